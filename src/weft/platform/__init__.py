"""Who may do what: identity, policy, tools and audit."""
