"""Closed forms and small programs, each for the hypotheses that it checks."""
