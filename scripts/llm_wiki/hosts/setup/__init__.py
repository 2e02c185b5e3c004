"""The one way to touch a host's files: hook entries and plugins, put in and taken out again (`hosts.md` §1).

Every edit is recorded with the hashes before and after, every file is backed up before its first edit, a
second run changes nothing, and taking out restores the bytes where nobody else has changed them.
"""
