"""Roles run by any model, and the tools and evidence that they share with rules."""
