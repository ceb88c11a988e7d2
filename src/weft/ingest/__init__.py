"""Documents in, patches out."""
