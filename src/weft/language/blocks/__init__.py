"""The lines of a text and what they are: headings, items, rows, code, directives."""
