"""Bytes as files of the workspace."""
