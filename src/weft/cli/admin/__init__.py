"""Verbs about those who may ask: tenants, users, groups, roles, keys, and why somebody may."""
