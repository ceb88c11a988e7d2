"""Verbs about the audit log."""
