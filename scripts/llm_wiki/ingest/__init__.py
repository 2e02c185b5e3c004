"""From a URL, file or text to a source ready for admission."""
