"""Agents of a model: the runner, its tape, its costs, its prompts."""
