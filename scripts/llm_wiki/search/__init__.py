"""Finding what a wiki knows: an index in the cache folder, one ranking, nothing that must not be seen."""
