"""Verbs about a service somewhere else: signed in to by a key, left again."""
