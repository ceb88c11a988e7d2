"""A question in, an answer out of which every sentence was checked."""
