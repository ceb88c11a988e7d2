"""What fills a role without a model."""
