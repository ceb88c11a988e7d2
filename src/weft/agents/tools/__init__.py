"""The knowledge tools: what they say of themselves and what they do."""
