"""Spans sent over OTLP by OpenTelemetry's SDK: HTTP and protobuf."""
