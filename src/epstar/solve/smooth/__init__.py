"""Notions that bend: mutual information, and the orders of Rényi and Sibson, to the digits that a proof needs."""
