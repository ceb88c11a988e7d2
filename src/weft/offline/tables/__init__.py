"""Answers over the rows of tables."""
