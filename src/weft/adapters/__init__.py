"""One folder per technology, each behind a port."""
