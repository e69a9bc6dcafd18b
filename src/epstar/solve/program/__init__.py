"""Programs that know numbers and no privacy: searches, linear programs and barriers."""

FEW_ENTRIES = 400
"""Entries of a mechanism, 20 by 20: up to that a second candidate, or another program, takes a moment."""
