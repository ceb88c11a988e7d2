"""What knowledge backends keep and read alike: rows, packed facts, checks, feeds, exports."""
