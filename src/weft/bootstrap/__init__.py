"""Builds the product: picks adapters and hands them on."""
