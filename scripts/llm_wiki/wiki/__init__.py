"""One root on disk: found, listed, read once."""
