"""The `research` flow: a question looked into over and over, by sections; a cited report."""
