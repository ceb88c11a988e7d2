"""The graph of passages and what they name, and the walk over it."""
