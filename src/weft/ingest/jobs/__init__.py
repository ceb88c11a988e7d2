"""Ingestion as jobs under leases."""
