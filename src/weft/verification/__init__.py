"""A sentence against its stored text."""
