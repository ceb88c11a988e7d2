"""Weft weaves documents into a knowledge graph and answers from it with evidence anyone can check."""

__version__ = "0.1.0"
