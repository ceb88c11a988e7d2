"""Verbs about flows."""
