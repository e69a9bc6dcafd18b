"""Fractions of every size, drawn from a seeded generator."""

import random
from fractions import Fraction


def random_fraction(generator: random.Random) -> Fraction:
    """A fraction that is often zero, an integer, negative, huge or tiny."""
    kind = generator.randrange(6)
    if kind == 0:
        return Fraction(generator.randint(-3, 3), generator.randint(1, 4))
    if kind == 1:
        return Fraction(generator.randint(-(10**6), 10**6), generator.randint(1, 10**6))
    if kind == 2:
        return Fraction(generator.getrandbits(200) - (1 << 199), 1 + generator.getrandbits(190))
    if kind == 3:
        return Fraction(generator.choice((-1, 1)), 10 ** generator.randint(0, 300))
    if kind == 4:
        return Fraction(generator.choice((-1, 1)) * 10 ** generator.randint(0, 300))
    return Fraction(generator.randint(-20, 20))
