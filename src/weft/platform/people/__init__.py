"""People and programs that ask: how they are known, what they may do, who changes that."""
