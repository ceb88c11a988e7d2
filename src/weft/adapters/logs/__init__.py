"""Structured logs, by structlog."""
