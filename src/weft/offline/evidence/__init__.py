"""Passages and documents as the rules read them."""
