"""Local facts and snapshots of them as arrays, with the arithmetic of retrieval: numpy, no I/O."""
