"""Knowledge bases by name: their technologies, copies and readiness."""
