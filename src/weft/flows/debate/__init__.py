"""One agent for each knowledge base, and a supervisor that compares what they concluded."""
