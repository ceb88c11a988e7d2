"""Tenants, users, groups, roles and keys in tables."""
