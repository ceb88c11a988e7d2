"""Which sentences are shown."""
