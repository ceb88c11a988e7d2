"""Weft over HTTP: parse, authenticate, call one flow or service, render."""
