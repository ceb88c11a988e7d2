"""Who may do what, who did what, and what was used, over HTTP."""
