"""What the product talks about: frozen values, pure rules and errors."""
