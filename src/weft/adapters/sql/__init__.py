"""Platform records in a relational database by SQLAlchemy."""
