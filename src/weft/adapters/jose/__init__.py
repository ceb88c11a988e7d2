"""Signed tokens of identity providers, checked by joserfc."""
