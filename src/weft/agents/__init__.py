"""A role run by any model, and the tools and evidence that models and rules share."""
