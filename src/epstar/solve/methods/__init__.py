"""Numerical methods that know matrices and programs, and nothing of privacy."""
