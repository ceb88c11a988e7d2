"""What runs took, in numbers: the ledger that is written, and its sums."""
