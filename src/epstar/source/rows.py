"""Sources for databases whose rows are independent; the joint distribution is never written out unless asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.vectors import sum_of
from epstar.probability_vectors import Numbers
from epstar.source.base import (
    VERTEX_LIMIT,
    Disagreement,
    Maximum,
    Mixture,
    Point,
    Source,
    SourceClass,
    largest_ratio,
    ratio,
)
from epstar.source.cells import Cell, enclosed, product_law
from epstar.source.corners import check_vertex_count
from epstar.source.points import Finite, Hull
from epstar.source.prior import Prior
from epstar.source.triangulation import simplices
from epstar.universe import Databases, digits, from_digits
from epstar.universe.databases import number_of_databases

JOINT_LIMIT = 1 << 20
# Of the range of a cost: what a law may fall short of the supremum over powers of a continuum of laws.
_TOLERANCE = 1e-14


@dataclass(frozen=True)
class RowsMaximum:
    """The largest expected value of a sum of row costs, and the row distributions that attain it.

    >>> from epstar import Prior, Rows
    >>> rows = Rows(Prior(["2/3", "1/3"]), rows=2)
    >>> print(rows.maximum_of_sum([[0, 1], [0, 1]]).value)
    2/3
    """

    value: Rational
    laws: tuple[Point, ...]


@dataclass(frozen=True, init=False, repr=False)
class Rows(Source):
    """Distributions on databases (in lexicographic order) under which the rows are independent.

    `Rows(source, n)` is the set of all powers P x ... x P with P in `source` (zhong2022, Theorem 17): one unknown
    distribution shared by the rows. With `iid=False` each row may follow its own distribution of `source`. A list of
    sources gives the rows in turn. A set of products is not convex, unless it has one point.

    >>> rows = Rows(Prior(["1/3", "2/3"]), 2)
    >>> rows.size, rows.joint().probabilities
    (4, (1/9, 2/9, 2/9, 4/9))
    """

    sources: tuple[Source, ...]
    rows: int
    iid: bool

    def __init__(self, source: Source | Sequence[Source], rows: int | None = None, iid: bool = True) -> None:
        sources, number, shared = _read_sources(source, rows, iid)
        object.__setattr__(self, "sources", sources)
        object.__setattr__(self, "rows", number)
        object.__setattr__(self, "iid", shared)

    @property
    def alphabet_size(self) -> int:
        """The number of categories of one row."""
        return self.sources[0].size

    @cached_property
    def _size(self) -> int:
        return number_of_databases(self.alphabet_size, self.rows)

    @property
    def size(self) -> int:
        return self._size

    @property
    def row_marginals(self) -> tuple[Source, ...]:
        """What is known of each row by itself."""
        return self.sources if len(self.sources) == self.rows else self.sources * self.rows

    @property
    def is_one_law(self) -> bool:
        """Whether the distribution of every row is known."""
        return all(isinstance(source, Prior) for source in self.sources)

    @property
    def is_convex(self) -> bool:
        return self.is_one_law or (self.rows == 1 and self.sources[0].is_convex)

    @property
    def is_curved(self) -> bool:
        """Whether it holds a continuum of products, which neither is convex nor has a finite list of distributions."""
        return self.rows > 1 and not all(isinstance(source, Prior | Finite) for source in self.sources)

    def cells(self) -> list[Cell]:
        """Return pieces that make up the source, whose row distributions are in simplices."""
        self._check_dense(JOINT_LIMIT)
        shared = self.iid and len(self.sources) == 1
        regions = [simplices(source) for source in (self.sources if shared else self.row_marginals)]
        powers = (self.rows,) if shared else (1,) * self.rows
        return [Cell(chosen, powers) for chosen in product(*regions)]

    def joint(self, limit: int = JOINT_LIMIT) -> Prior:
        """Return the distribution of the whole database as a `Prior`.

        Raises:
            InvalidInput: if a row distribution is not known, or there are more than `limit` databases.
        """
        laws = [source.probabilities for source in self.row_marginals if isinstance(source, Prior)]
        if len(laws) != self.rows:
            raise InvalidInput("Only rows with known distributions have a joint one; give a Prior for every row.")
        self._check_dense(limit)
        return Prior(product_law(laws))

    def maximum(self, cost: Numbers) -> Maximum:
        if self.rows == 1:
            return self.sources[0].maximum(cost)
        self._check_dense(JOINT_LIMIT)
        exact = self.read_cost(cost)
        if self.is_curved and self.iid:
            return self._maximum_of_powers(exact)
        # Linear in the law of each independent row, so some corner of every row source is best.
        return max((Maximum(dot(exact, point), point) for point in self.vertices()), key=lambda best: best.value)

    def _maximum_of_powers(self, cost: Point) -> Maximum:
        """Return the maximum over the powers of a continuum of laws: a polynomial's, so that its value is rounded up.

        The distribution attains the value to about 1e-14 of the range of the cost; exactly, where a corner is best.
        """
        floats = [float(Real.of(entry)) for entry in cost]
        tolerance = _TOLERANCE * (max(floats) - min(floats))
        found = enclosed(
            self.cells(),
            lambda laws: max(float(Real.of(dot(cost, law))) for law in laws),
            lambda law: float(Real.of(dot(cost, law))),
            tolerance,
        )
        return Maximum(max(dot(cost, law) for leaf in found.leaves for law in leaf.hull), found.point)

    def maximum_of_sum(self, costs: Sequence[Numbers]) -> RowsMaximum:
        """Return the maximum of the expected sum of row costs, `costs[k]` being the cost of row k per category.

        Exact for every kind of row source and any number of rows: nothing is enumerated.
        """
        if len(costs) != self.rows:
            raise InvalidInput(f"There are {self.rows} rows, but {len(costs)} row costs.")
        read: dict[int, Point] = {
            id(cost): self.sources[0].read_cost(cost) for cost in {id(c): c for c in costs}.values()
        }
        exact = [read[id(cost)] for cost in costs]
        if self.iid:
            best = self.sources[0].maximum([sum_of(column) for column in zip(*exact, strict=True)])
            return RowsMaximum(best.value, (best.point,) * self.rows)
        # Rows that are alike in law and cost are alike in this.
        pairs = list(zip(self.row_marginals, exact, strict=True))
        known = {(id(source), id(cost)): (source, cost) for source, cost in pairs}
        best_of = {key: source.maximum(cost) for key, (source, cost) in known.items()}
        parts = [best_of[id(source), id(cost)] for source, cost in pairs]
        return RowsMaximum(sum_of([part.value for part in parts]), tuple(part.point for part in parts))

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        first, second = (digits(k, self.alphabet_size, self.rows) for k in (i, j))
        source = self.sources[0]
        if not self.iid or self.is_one_law:
            return _product_of_ratios(
                [s.maximum_ratio(a, b) for s, a, b in zip(self.row_marginals, first, second, strict=True)]
            )
        if isinstance(source, Finite):
            return largest_ratio(
                [
                    ratio(
                        math.prod((p[a] for a in first), start=ONE),
                        math.prod((p[b] for b in second), start=ONE),
                    )
                    for p in source.points
                ]
            )
        return _shared_ratio(source, first, second)

    def contains(self, point: Numbers) -> bool:
        self._check_dense(JOINT_LIMIT)
        exact = self.read_point(point)
        laws = None if exact is None else _factors(exact, self.alphabet_size, self.rows)
        if laws is None or (self.iid and len(set(laws)) > 1):
            return False
        return all(source.contains(law) for source, law in zip(self.row_marginals, laws, strict=True))

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        """Return the products of extreme row distributions, whose hull is that of the source."""
        if self.rows == 1:
            return self.sources[0].vertices(limit)
        self._check_dense(JOINT_LIMIT)
        source = self.sources[0]
        if not self.iid or self.is_one_law:
            corners = [source.vertices(limit) for source in self.row_marginals]
            check_vertex_count(math.prod(map(len, corners)), limit)
            return [product_law(laws) for laws in product(*corners)]
        if isinstance(source, Finite):
            return [product_law([law] * self.rows) for law in source.vertices(limit)]
        raise InvalidInput(
            "The powers of a continuum of row distributions have no finite list of vertices; "
            "use maximum_of_sum, or a Finite row source."
        )

    def kalantari_class(self) -> SourceClass:
        """Return the class of the source over databases.

        With two or more rows of one shared distribution, a mixture of powers is uniform only if each of them is:
        otherwise two rows would be correlated. So a shared source is of Class I only if it contains the
        uniform distribution of one row.
        """
        source = self.sources[0]
        if self.rows == 1:
            return source.kalantari_class()
        if all(source.contains(source.uniform) for source in self.sources):
            return SourceClass("I", Mixture(None))
        if not self.iid or self.is_one_law or isinstance(source, Finite):
            return Finite(self.vertices()).kalantari_class()
        witness = source.kalantari_class().witness
        if not isinstance(witness, Disagreement):
            raise Undecided(
                "Whether one order fits all powers of a continuum of row distributions is not decided; "
                "ask for the class of the row source instead."
            )
        self._check_dense(JOINT_LIMIT)
        # The databases that repeat one of the two letters are ranked as the letters are.
        first, second = (from_digits([letter] * self.rows, self.alphabet_size) for letter in witness.pair)
        powers = [product_law([law] * self.rows) for law in (witness.first, witness.second)]
        return SourceClass("III", Disagreement((first, second), powers[0], powers[1]))

    def _check_dense(self, limit: int) -> None:
        if self.size > limit:
            raise InvalidInput(
                f"A distribution on {shown(self.size)} databases is too long to write out; use maximum_of_sum or "
                "fewer rows."
            )


def product_rows(prior: Prior, universe: Databases) -> tuple[Prior, ...] | None:
    """Return the distributions of the rows if they are independent under `prior`, exactly; otherwise None.

    Costs one multiplication per database.

    >>> from epstar import Databases, Prior
    >>> from epstar.source import product_rows
    >>> rows = product_rows(Prior(["1/4", "1/4", "1/4", "1/4"]), Databases(2, rows=2))
    >>> [tuple(map(str, row.probabilities)) for row in rows]
    [('1/2', '1/2'), ('1/2', '1/2')]
    """
    if prior.size != universe.size:
        raise InvalidInput(
            f"The prior has {prior.size} entries, but there are {shown(universe.size)} databases; "
            "give one entry per database."
        )
    laws = _factors(prior.probabilities, universe.alphabet.size, universe.rows)
    return None if laws is None else tuple(Prior(law) for law in laws)


def _read_sources(
    source: Source | Sequence[Source], rows: int | None, iid: bool
) -> tuple[tuple[Source, ...], int, bool]:
    if isinstance(source, Source):
        if rows is None:
            raise InvalidInput("How many rows there are is missing; write Rows(source, rows).")
        given: tuple[Source, ...] = (source,)
        number = whole_number(rows, "The number of rows", 1)
    else:
        given = tuple(source) if isinstance(source, list | tuple) else ()
        number = len(given) if rows is None else whole_number(rows, "The number of rows", 1)
        if not given or not all(isinstance(entry, Source) for entry in given):
            raise InvalidInput("Rows takes a source or a list of sources; write a distribution as Prior([...]).")
        if number != len(given):
            raise InvalidInput(f"There are {number} rows, but {len(given)} row sources; give one per row.")
    if any(isinstance(entry, Rows) for entry in given):
        raise InvalidInput("The source of one row cannot itself be Rows; give all rows at once.")
    if len({entry.size for entry in given}) > 1:
        raise InvalidInput("All rows must have the same alphabet, but their sources differ in size.")
    given = tuple(Prior(s.points[0]) if isinstance(s, Finite | Hull) and len(s.points) == 1 else s for s in given)
    # Equal known laws are one shared law, however they were written.
    if len(set(given)) == 1 and isinstance(given[0], Prior):
        return given[:1], number, True
    return given, number, iid and isinstance(source, Source)


def _factors(joint: Point, letters: int, rows: int) -> tuple[Point, ...] | None:
    """Return the row distributions whose product is `joint`, or None; one row is split off at a time."""
    laws = []
    rest = joint
    for _ in range(rows - 1):
        length = len(rest) // letters
        blocks = [rest[k * length : (k + 1) * length] for k in range(letters)]
        law = tuple(sum_of(block) for block in blocks)
        tail = tuple(sum_of(column) for column in zip(*blocks, strict=True))
        if any(q != p * t for p, block in zip(law, blocks, strict=True) for q, t in zip(block, tail, strict=True)):
            return None
        laws.append(law)
        rest = tail
    return (*laws, rest)


def _product_of_ratios(ratios: Sequence[Rational | None]) -> Rational | None:
    # A factor 0 means that the first database never occurs, whatever the other rows do.
    if ZERO in ratios:
        return ZERO
    finite = [value for value in ratios if value is not None]
    return math.prod(finite, start=ONE) if len(finite) == len(ratios) else None


def _shared_ratio(source: Source, first: list[int], second: list[int]) -> Rational | None:
    """Return the supremum of the ratio of two databases over the powers of a convex source."""
    common = Counter(first) & Counter(second)
    more, fewer = Counter(first) - common, Counter(second) - common
    if any(source.maximum_ratio(letter, letter) == ZERO for letter in common):
        return ZERO
    if not more:
        return ONE
    if len(more) > 1 or len(fewer) > 1:
        raise Undecided(
            "For a continuum of row distributions, databases that differ in several rows are not compared; "
            "ask for neighbours, or use a Finite row source."
        )
    (letter, power), (other, _) = next(iter(more.items())), next(iter(fewer.items()))
    value = source.maximum_ratio(letter, other)
    return None if value is None else value**power
