"""Block designs as mechanisms: the answers are the sets {x : a x + b mod p < k} over a prime p, by number.

Affine maps over a field take any pair of points to any other equally often, so that any two categories lie together in
equally many sets (a balanced incomplete block design), and the frequencies that are estimated have the error of subset
selection on p categories. There are p (p - 1) answers, each a number, whatever the size of the sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, Number, Rational, text
from epstar.mechanism.base import SCHEMA
from epstar.mechanism.parsing import read_ratio
from epstar.mechanism.structured import StructuredMechanism, require_alphabet
from epstar.universe import Alphabet

# The squares of places fit a machine word with room to spare.
_LARGEST_PRIME = 1 << 20


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BlockDesign(StructuredMechanism):
    """The mechanism whose answer (a - 1) p + b stands for the set of the x with a x + b mod p < `chosen`.

    A set is `ratio` times as likely if it holds the input.

    >>> seven = BlockDesign(Alphabet(6), 7, 3, 2)
    >>> seven.shape, str(seven.inclusion), str(seven.elsewhere)
    ((6, 42), '3/5', '2/5')
    """

    prime: int
    chosen: int
    ratio: Rational

    def __init__(self, universe: Alphabet, prime: int, chosen: int, ratio: Number) -> None:
        universe = require_alphabet(universe, "A block design")
        if not universe.size <= whole_number(prime, "The prime", 2) <= _LARGEST_PRIME or not _is_prime(prime):
            raise InvalidInput(
                f"A block design needs a prime of at least as many points as categories and at most {_LARGEST_PRIME}."
            )
        if whole_number(chosen, "The size of the sets", 1) >= prime:
            raise InvalidInput("The sets of a block design are smaller than the number of its points.")
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", range(prime * (prime - 1)))
        object.__setattr__(self, "prime", prime)
        object.__setattr__(self, "chosen", chosen)
        object.__setattr__(self, "ratio", read_ratio(ratio))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and the number of answers."""
        return self.universe.size, self.prime * (self.prime - 1)

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x'): that of a set that holds the one and not the other."""
        return self.ratio if self.universe.size > 1 else ONE

    @property
    def inclusion(self) -> Rational:
        """The probability that the set holds the input."""
        inside = self.ratio * self.chosen
        return inside / (inside + self.prime - self.chosen)

    @property
    def elsewhere(self) -> Rational:
        """The probability that the set holds a category that is not the input."""
        return (self.chosen - self.inclusion) / (self.prime - 1)

    def holds(self, x: int, y: int) -> bool:
        """Return whether the set of answer `y` holds category `x`."""
        return ((y // self.prime + 1) * x + y % self.prime) % self.prime < self.chosen

    def _entry(self, x: int, y: int) -> Rational:
        total = (self.prime - 1) * (self.chosen * self.ratio + self.prime - self.chosen)
        return (self.ratio if self.holds(x, y) else ONE) / total

    def _hamming_costs(self) -> tuple[Rational, ...]:
        raise InvalidInput("A set of categories has no Hamming cost; estimate frequencies from it instead.")

    def to_json(self) -> dict[str, object]:
        """Return the description: the categories, the prime, the size of the sets and the ratio."""
        from epstar.mechanism.document import write_universe

        return {
            "schema": SCHEMA,
            "kind": "block_design",
            "universe": write_universe(self.universe),
            "prime": self.prime,
            "chosen": self.chosen,
            "ratio": text(self.ratio),
        }

    def _key(self) -> tuple[object, ...]:
        return self.universe, self.prime, self.chosen, self.ratio


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
