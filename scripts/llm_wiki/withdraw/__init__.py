"""Taking things away: archiving hides a whole topic and keeps it (`archive-retract.md`)."""
