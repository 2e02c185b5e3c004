"""Rules that find what is wrong in a wiki, and the smallest repair for each."""
