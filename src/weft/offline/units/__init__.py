"""Units of documents in the order of a learned score, and how sure it is that one answers."""
