"""The gate, the frame and the streams of every request."""
