"""Programs that know numbers and no privacy: searches, linear programs and barriers."""

FEW_ENTRIES = 18**2
"""Entries of a mechanism: up to that a second candidate, or another program, takes a moment."""
MOST_MULTIPLES = 100_000
"""Multiples of bounds that are written down, and read again, in a second or so."""
STEEP = 8
"""The order from which on powers and norms have a barrier of their own, which finds its way where theirs is steep."""
LARGE = 64
"""The order up to which the smooth method in many digits finds in seconds what floats lose."""
HUGE = 10**9
"""The order from which on, as within its inverse of order one, answers differ by less than an interval may be wide."""
