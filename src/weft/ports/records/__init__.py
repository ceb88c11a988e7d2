"""Records of the platform: runs, tapes, jobs, conversations, audit."""
