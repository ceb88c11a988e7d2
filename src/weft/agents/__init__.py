"""Flows that think: their nodes, tools, prompts and roles."""
