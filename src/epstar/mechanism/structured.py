"""What the mechanisms that are never expanded have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epstar.distortion import Distortion, Hamming
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.mechanism.base import AnyMechanism
from epstar.mechanism.dense import Mechanism
from epstar.universe import Alphabet, Universe


@dataclass(frozen=True)
class SparseRow:
    """A distribution on many outputs in few numbers: `common` on each output of `support`, but for `exceptions`.

    Outputs that are in neither have probability 0; `exceptions` may lie outside the support.

    >>> from epstar import Rational
    >>> from epstar.mechanism import SparseRow
    >>> row = SparseRow(range(4), Rational(1, 6), {0: Rational(1, 2)})
    >>> str(row.common), {output: str(share) for output, share in row.exceptions.items()}
    ('1/6', {0: '1/2'})
    """

    support: Sequence[int]
    common: Rational
    exceptions: Mapping[int, Rational]

    def total(self) -> Rational:
        """Return the sum of the distribution."""
        inside = sum(1 for y in self.exceptions if y in self.support)
        return self.common * (len(self.support) - inside) + sum(self.exceptions.values(), ZERO)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class StructuredMechanism(AnyMechanism):
    """A mechanism described by a few exact numbers, to its own inputs unless it says otherwise.

    >>> from epstar import TopRandomisedResponse
    >>> from epstar.mechanism import StructuredMechanism
    >>> issubclass(TopRandomisedResponse, StructuredMechanism)
    True
    """

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and the number of outputs."""
        return self.universe.size, self.universe.size

    @property
    def is_exact(self) -> bool:
        """Whether the numbers that describe it are rationals: they always are."""
        return True

    @property
    @abstractmethod
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x') over neighbours x and x', exactly; None when it is infinite."""

    @abstractmethod
    def _entry(self, x: int, y: int) -> Rational:
        """Q(y|x) for positions that exist."""

    @abstractmethod
    def _hamming_costs(self) -> tuple[Rational, ...]:
        """The expected Hamming distortion of each input."""

    def entry(self, x: int, y: int) -> Rational:
        """Return Q(y|x) exactly, without expanding anything."""
        self._check_place(x, y)
        return self._entry(x, y)

    def costs(self, distortion: Distortion) -> tuple[Rational, ...]:
        """Return the expected distortion of each input, exactly.

        Hamming distortion costs one number per input; any other expands the matrix, below the usual limit.
        """
        if isinstance(distortion, Hamming):
            return self._hamming_costs()
        return self.dense().costs(distortion)

    def _expanded(self) -> Mechanism:
        inputs, outputs = self.shape
        rows = [[self._entry(x, y) for y in range(outputs)] for x in range(inputs)]
        return Mechanism(rows, self.universe, self.outputs)


def require_alphabet(universe: Universe, kind: str) -> Alphabet:
    """Return the universe if it is an `Alphabet`, on which alone the closed forms of `kind` hold."""
    if not isinstance(universe, Alphabet):
        raise InvalidInput(f"{kind} is defined on an Alphabet, where all pairs are neighbours; give one.")
    return universe
