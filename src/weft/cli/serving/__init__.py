"""The service and workers, begun on the command line."""
