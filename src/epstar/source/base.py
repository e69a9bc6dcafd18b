"""What every kind of source can answer: the set of input distributions that are thought possible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational
from epstar.exact.vectors import sum_of
from epstar.notebook.face import Displayed
from epstar.probability_vectors import NORMALISATION, Numbers, has_float, listed, vector

if TYPE_CHECKING:
    from epstar.source.prior import Prior

Point = tuple[Rational, ...]
VERTEX_LIMIT = 100_000


@dataclass(frozen=True)
class Maximum:
    """The largest value of a linear cost over a source, and a distribution that attains it.

    >>> from epstar import Box
    >>> found = Box(["1/4", "1/4"], ["3/4", "3/4"]).maximum([0, 1])
    >>> print(found.value, *found.point)
    3/4 1/4 3/4
    """

    value: Rational
    point: Point


@dataclass(frozen=True)
class Minimum:
    """The smallest value of a linear cost over a source, and a distribution that attains it.

    >>> from epstar import Box
    >>> found = Box(["1/4", "1/4"], ["3/4", "3/4"]).minimum([0, 1])
    >>> print(found.value, *found.point)
    1/4 3/4 1/4
    """

    value: Rational
    point: Point


@dataclass(frozen=True)
class Mixture:
    """Why a source is of Class I: these weights on its points give the uniform distribution.

    `weights` is None when the uniform distribution itself belongs to the source.

    >>> from epstar import Finite
    >>> print(*Finite([["2/3", "1/3"], ["1/3", "2/3"]]).kalantari_class().witness.weights)
    1/2 1/2
    """

    weights: Point | None


@dataclass(frozen=True)
class Mixtures:
    """A set of laws as all mixtures of some vectors, with weights w in the simplex that satisfy matrix w <= bounds."""

    vectors: tuple[Point, ...]
    matrix: tuple[Point, ...]
    bounds: Point


@dataclass(frozen=True)
class Order:
    """Why a source is of Class II: every distribution in it is non-increasing along `letters`.

    >>> from epstar import Finite
    >>> Finite([["2/3", "1/3"], ["3/4", "1/4"]]).kalantari_class().witness
    Order(letters=(0, 1))
    """

    letters: tuple[int, ...]


@dataclass(frozen=True)
class Disagreement:
    """Why no order fits: category `pair[0]` is strictly likelier under `first`, `pair[1]` under `second`.

    >>> from epstar import Finite
    >>> found = Finite([["3/6", "2/6", "1/6"], ["3/6", "1/6", "2/6"]]).kalantari_class()
    >>> found.name, found.witness.pair
    ('III', (1, 2))
    """

    pair: tuple[int, int]
    first: Point
    second: Point


@dataclass(frozen=True)
class SourceClass:
    """The class of a source set (kalantari2018, Definition 1) with the reason for it.

    "I": the uniform distribution is in its convex hull. "II": it is not, and one order sorts every distribution of the
    set. "III": neither.

    >>> from epstar import Finite
    >>> found = Finite([["2/3", "1/3"], ["1/3", "2/3"]]).kalantari_class()
    >>> found.name, type(found.witness).__name__
    ('I', 'Mixture')
    """

    name: Literal["I", "II", "III"]
    witness: Mixture | Order | Disagreement


class Source(Displayed, ABC):
    """What is known of the distribution of the inputs: a set of distributions of `size` categories, in exact rationals.

    >>> from epstar import Box, Prior
    >>> [isinstance(source, Source) for source in (Prior([0.6, 0.4]), Box([0.5, 0.3], [0.7, 0.5]))]
    [True, True]
    """

    _face: ClassVar[str] = "sources"

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of categories."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self.size)} categories)"

    @property
    def is_convex(self) -> bool:
        """Whether every mixture of its distributions belongs to the source too."""
        return True

    @abstractmethod
    def maximum(self, cost: Numbers) -> Maximum:
        """Return the exact maximum of the expected `cost` (one number per category) over the source."""

    def minimum(self, cost: Numbers) -> Minimum:
        """Return the exact minimum of the expected `cost` over the source."""
        best = self.maximum([-entry for entry in self.read_cost(cost)])
        return Minimum(-best.value, best.point)

    @abstractmethod
    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        """Return the supremum of p_i / p_j over the distributions that do not give both categories 0; None if infinite.

        Zero when every distribution gives both categories 0.
        """

    @abstractmethod
    def contains(self, point: Numbers) -> bool:
        """Return whether the distribution `point` belongs to the source; what is no distribution never does."""

    @abstractmethod
    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        """Return the extreme points, each once.

        Raises:
            InvalidInput: if there are more than `limit`, or no finite list of them.
        """

    @abstractmethod
    def kalantari_class(self) -> SourceClass:
        """Return the class of the source and the reason for it (kalantari2018, Definition 1)."""

    @property
    def flattest(self) -> Prior | None:
        """The distribution of the source that every other one majorises; None where there is none, or none is known.

        For each k its k likeliest categories are together no likelier than those of any other distribution of the
        source.
        """
        return None

    @property
    def ranges(self) -> tuple[Point, Point] | None:
        """The least and the largest probability of each category, if any category can have its largest while any other
        has its least; None where that is not known."""
        return None

    @property
    def mixtures(self) -> Mixtures | None:
        """How the source is made of mixtures by few inequalities; None where that is not known."""
        return None

    @staticmethod
    def from_counts(counts: Numbers, confidence: Number = 0.95, shape: Literal["box", "ball"] = "box") -> Source:
        """Return a region that holds the true distribution with at least the given confidence, from a histogram.

        See `epstar.source.counts` for the two shapes; the region states its `coverage`.
        """
        from epstar.source.counts import region_from_counts

        return region_from_counts(counts, confidence, shape)

    @cached_property
    def uniform(self) -> Point:
        """The uniform distribution on the categories."""
        return (Rational(1, self.size),) * self.size

    def read_cost(self, cost: Numbers) -> Point:
        """Return `cost` in exact rationals after checking that it has one entry per category."""
        exact = vector(cost, "A cost")
        if len(exact) != self.size:
            raise InvalidInput(f"A cost needs one entry per category, {self.size}, but has {len(exact)}.")
        return exact

    def read_letters(self, i: int, j: int) -> tuple[int, int]:
        """Return the two categories as ints after checking that the source has them."""
        letters = whole_number(i, "A category", 0), whole_number(j, "A category", 0)
        if max(letters) >= self.size:
            raise InvalidInput(f"Category {max(letters)} does not exist; the categories are 0 to {self.size - 1}.")
        return letters

    def read_point(self, point: Numbers) -> Point | None:
        """Return `point` in exact rationals, or None when it is not a probability distribution.

        Floats that sum to one within 1e-9 are divided by their sum, as in a `Prior`.
        """
        entries = listed(point, "A point")
        exact = vector(entries, "A point")
        if len(exact) != self.size:
            raise InvalidInput(f"A point needs one entry per category, {self.size}, but has {len(exact)}.")
        total = sum_of(exact)
        if any(entry < ZERO for entry in exact):
            return None
        if total == ONE:
            return exact
        if not has_float(entries) or abs(total - ONE) > NORMALISATION:
            return None
        return tuple(entry / total for entry in exact)


def unit_vectors(size: int) -> tuple[Point, ...]:
    """Return the distributions that are certain of one category, for each category."""
    return tuple(unit_vector(size, letter) for letter in range(size))


def unit_vector(size: int, letter: int) -> Point:
    """Return the distribution that is certain of one category."""
    return (ZERO,) * letter + (ONE,) + (ZERO,) * (size - letter - 1)


def ratio(numerator: Rational, denominator: Rational) -> Rational | None:
    """Return the quotient of two probabilities; None for infinity, and zero for 0/0."""
    if denominator == ZERO:
        return None if numerator > ZERO else ZERO
    return numerator / denominator


def largest_ratio(ratios: Sequence[Rational | None]) -> Rational | None:
    """Return the largest ratio, where None stands for infinity."""
    finite = [value for value in ratios if value is not None]
    return max(finite, default=ZERO) if len(finite) == len(ratios) else None
