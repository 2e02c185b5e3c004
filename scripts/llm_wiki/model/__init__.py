"""What a document is: front matter, links, headings, indexes, kinds and layout. No file access."""
