"""What an answer reads and writes of the records: by statements with names, loaded at once."""
