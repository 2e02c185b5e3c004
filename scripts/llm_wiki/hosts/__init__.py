"""What hosts get from us: packages rendered from one source."""
