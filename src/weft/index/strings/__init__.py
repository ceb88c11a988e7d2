"""Strings in great number: read where they lie, and numbered."""
