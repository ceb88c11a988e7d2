"""Files turned into text where they hold none, and kept as they were."""
