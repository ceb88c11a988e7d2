"""What is typed at a terminal, and what stands there of an answer."""
