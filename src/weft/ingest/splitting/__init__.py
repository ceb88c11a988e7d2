"""Records cut into chunks."""
