"""The verbs of Weft on the command line."""
