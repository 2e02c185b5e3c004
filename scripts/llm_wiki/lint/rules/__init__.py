"""One file a rule family, and one table."""
