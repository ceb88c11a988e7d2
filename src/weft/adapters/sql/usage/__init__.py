"""What runs took, in numbers: its entries, and their sums."""
