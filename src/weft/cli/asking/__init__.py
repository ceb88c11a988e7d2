"""A question on the command line: its words read, its answer shown."""
