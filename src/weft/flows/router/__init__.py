"""A question handed to exactly one specialist: graph, vector, web or table."""
