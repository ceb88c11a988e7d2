"""The database itself: its connection, dialect, tables and migrations."""
