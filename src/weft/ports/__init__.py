"""What we need from outside: one Protocol per file."""
