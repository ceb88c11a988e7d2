"""What leaves over HTTP, and how it is described."""
