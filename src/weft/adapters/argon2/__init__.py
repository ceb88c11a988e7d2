"""Passwords hashed with Argon2id."""
