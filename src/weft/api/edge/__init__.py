"""The gate, the middleware and the streams of every request."""
