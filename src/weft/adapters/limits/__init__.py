"""Rates counted by the library limits, in this process."""
