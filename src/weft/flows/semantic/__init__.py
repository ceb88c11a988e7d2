"""A question to the graph: its names resolved or pinned by the person, the side that answers."""
