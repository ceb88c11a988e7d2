"""A question in, evidence out."""
