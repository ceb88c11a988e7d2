"""Stages from a model down to rules, so that no chunk is lost."""
