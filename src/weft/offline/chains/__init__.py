"""Answers that lead over several documents."""
