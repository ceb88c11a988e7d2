"""Files turned into text in a limited child process."""
