"""The database: its schema, the calls into it and, by default, the PostgreSQL that it lives in."""
