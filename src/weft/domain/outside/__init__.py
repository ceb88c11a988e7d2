"""Values made of what comes from outside, checked then and only then; and written as JSON."""
