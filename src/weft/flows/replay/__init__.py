"""Runs gone through once more: what their tapes replied, compared event by event."""
