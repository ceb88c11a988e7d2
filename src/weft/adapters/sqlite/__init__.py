"""Knowledge in one SQLite file per knowledge base."""
