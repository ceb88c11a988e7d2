"""Tables: rows that stand in files and texts as typed columns, plans over them, and the engine."""
