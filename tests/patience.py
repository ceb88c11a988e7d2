"""How long a test waits for what comes soon."""

from __future__ import annotations

# Seconds: far beyond what anything here takes on a quiet machine, so that a busy one fails no
# test, and far below what it takes to do nothing at all. Figures are for the benches.
SOON = 20.0
