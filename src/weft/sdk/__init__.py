"""Weft as a library: open a knowledge base, add documents, ask."""
