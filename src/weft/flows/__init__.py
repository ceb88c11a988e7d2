"""Graphs of nodes, a folder each, and what all of them share."""
