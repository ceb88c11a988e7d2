"""The engine, and how the steps of its runs are scheduled."""
