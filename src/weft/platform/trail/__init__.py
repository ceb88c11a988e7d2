"""What the audit log says of acts, and how it is taken out."""
