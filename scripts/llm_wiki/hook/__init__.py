"""The program a coding agent's host waits for: standard library only, reads flat files, never fails."""
