"""The graph asked without a model: names of a question, and what is stated of them."""
