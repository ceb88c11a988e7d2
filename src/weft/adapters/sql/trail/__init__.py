"""The audit log: its rows, the seals that chain them, the heads that end them."""
