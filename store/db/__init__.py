"""The database: tables, engines, transactions, loading. The only package that knows SQLAlchemy."""
