"""One module a verb; the file name is the name of the verb."""
