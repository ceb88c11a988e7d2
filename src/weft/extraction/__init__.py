"""Text in, mentions and claims out."""
