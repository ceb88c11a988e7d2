"""The OpenAI face: agents as models, asked and answered as OpenAI's clients do."""
