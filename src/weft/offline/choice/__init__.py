"""Computed comparisons, contradictions and namesakes."""
