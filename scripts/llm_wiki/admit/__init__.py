"""What may come in and what may be seen; the only writer of raw files."""
