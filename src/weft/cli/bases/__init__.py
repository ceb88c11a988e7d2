"""Verbs about knowledge bases."""
