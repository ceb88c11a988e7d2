"""The roles of research without a model: an outline, gaps, whom to ask, when it is enough."""
