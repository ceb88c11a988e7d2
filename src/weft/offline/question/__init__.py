"""A question taken apart by rules."""
