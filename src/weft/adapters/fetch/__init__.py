"""The one way out: HTTP to public addresses, and inside to what a tenant was allowed."""
