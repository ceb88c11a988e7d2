"""Words about words, each table once: terms, names, numerals, months, Hangul, sentences."""
