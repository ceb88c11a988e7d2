"""Verbs about runs: what was asked, what happened, and whether it would again."""
