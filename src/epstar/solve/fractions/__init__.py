"""Exact optima of linear questions, where floats do not reach."""
