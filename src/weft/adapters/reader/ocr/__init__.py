"""Pictures of pages read by programs of others, each run confined."""
