"""The kernel: flows of nodes with state, budget and events."""
