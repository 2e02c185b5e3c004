"""The table of verbs, and the work that needs more than one room."""
