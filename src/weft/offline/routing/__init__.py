"""Who should answer a question: told from its words, by signs and learned weights."""
