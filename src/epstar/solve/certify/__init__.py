"""From floats to proofs: multipliers as fractions, and mechanisms that keep exactly to what is asked."""
