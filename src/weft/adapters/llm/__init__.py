"""Language and embedding models reached over HTTP, by pydantic-ai."""
