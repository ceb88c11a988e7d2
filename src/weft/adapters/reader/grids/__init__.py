"""Grids of cells as tables: where they stand, what their columns are called, what rows are of."""
