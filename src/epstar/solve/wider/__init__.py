"""The general way to answer: one convex program made of the table of bounds and the limits, and its claims."""
