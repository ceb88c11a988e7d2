"""Traces: a run's record as a tree of spans, and whose trace a run is a part of."""
