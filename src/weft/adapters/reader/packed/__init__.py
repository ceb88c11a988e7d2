"""Zip containers, the XML in them, and how Office packages hang together."""
