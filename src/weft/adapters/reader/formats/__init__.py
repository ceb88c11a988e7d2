"""One parser a format: a file's bytes in, its records out."""
