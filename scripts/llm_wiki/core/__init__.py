"""The machine: files, locks, transactions, text, time. Standard library only."""
