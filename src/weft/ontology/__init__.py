"""What may be said and what must hold: classes, relations and their cue phrases."""
