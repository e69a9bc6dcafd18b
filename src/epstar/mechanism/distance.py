"""Mechanisms on databases that depend only on how many rows change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from epstar.arguments import whole_number
from epstar.distortion import Distortion, Hamming
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, text
from epstar.exact.vectors import sum_of
from epstar.mechanism.base import DENSE_LIMIT, SCHEMA
from epstar.mechanism.structured import StructuredMechanism
from epstar.probability_vectors import Numbers, law
from epstar.source import Everything, Maximum, Rows, RowsMaximum, Source
from epstar.universe import Databases


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DistanceMechanism(StructuredMechanism):
    """The mechanism Q(y|x) = f(d(x, y)) on databases, d being the number of rows that differ.

    `weights[l]` is the probability that exactly l rows change, for l = 0 to the number of rows; all databases
    at that distance share it evenly. By symmetry some such mechanism is optimal for Hamming distortion when
    the uniform distribution is in the hull of the source (zhong2022, Class I). A million rows are never enumerated.

    Raises `InvalidInput` if the weights are not a distribution on the distances 0 to rows.

    >>> flip = DistanceMechanism(Databases(3, 2), ["1/2", "1/4", "1/4"])
    >>> str(flip.entry(0, 0)), str(flip.entry(0, 1)), str(flip.mean_distance)
    ('1/2', '1/16', '3/4')
    """

    weights: tuple[Rational, ...]

    def __init__(self, databases: Databases, weights: Numbers) -> None:
        if not isinstance(databases, Databases):
            raise InvalidInput("A distance mechanism is defined on Databases; give Databases(alphabet, rows).")
        exact = law(weights, "The distribution of the distance")
        if len(exact) != databases.rows + 1:
            raise InvalidInput(
                f"The distribution of the distance has {len(exact)} entries; {databases.rows} rows need one for each "
                f"distance from 0 to {databases.rows}."
            )
        if databases.alphabet.size == 1 and exact[0] != 1:
            raise InvalidInput("With one category no row can change; the distribution of the distance must be 1 at 0.")
        object.__setattr__(self, "universe", databases)
        object.__setattr__(self, "outputs", databases.labels)
        object.__setattr__(self, "weights", exact)

    @property
    def databases(self) -> Databases:
        """The universe, which is one of databases."""
        assert isinstance(self.universe, Databases)
        return self.universe

    def at_distance(self, distance: int) -> Rational:
        """Return Q(y|x) for any databases x and y that differ in `distance` rows."""
        if whole_number(distance, "A distance", 0) > self.databases.rows:
            raise InvalidInput(f"No two databases differ in more than {self.databases.rows} rows.")
        weight = self.weights[distance]
        return weight if weight == 0 else weight / self.databases.sphere_size(distance)

    @cached_property
    def mean_distance(self) -> Rational:
        """The expected number of rows that change, the same for every input."""
        return sum_of([weight * distance for distance, weight in enumerate(self.weights)])

    def _entry(self, x: int, y: int) -> Rational:
        return self.at_distance(int(self.databases.distance(x, y).p))

    def _hamming_costs(self) -> tuple[Rational, ...]:
        if self.databases.size > DENSE_LIMIT:
            raise InvalidInput("There are too many databases to list their costs; all equal `mean_distance`.")
        return (self.mean_distance,) * self.databases.size

    def distortion(self, distortion: Distortion, source: Source) -> Maximum | RowsMaximum:
        """Return the expected distortion; under Hamming it is `mean_distance` for every input distribution."""
        self._check_source(source)
        if isinstance(source, Everything) and source.size > DENSE_LIMIT:
            # One law is as bad as another, so independent rows will do.
            source = Rows(Everything(self.databases.alphabet.size), self.databases.rows)
        if isinstance(distortion, Hamming) and isinstance(source, Rows):
            nothing = (ZERO,) * source.alphabet_size
            return RowsMaximum(self.mean_distance, source.maximum_of_sum([nothing] * source.rows).laws)
        return source.maximum(self.costs(distortion))

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x') over databases that differ in one row, exactly, in O(rows)."""
        rows, others = self.databases.rows, self.databases.alphabet.size - 1
        worst = ONE
        # Two neighbours are at distances l and l + 1 from some third database, for each l.
        for near in range(rows if others > 0 else 0):
            # f(l) / f(l+1): the numbers of databases at l+1 and l have the ratio (rows-l) others / (l+1).
            left = self.weights[near] * ((rows - near) * others)
            right = self.weights[near + 1] * (near + 1)
            low, high = (left, right) if left < right else (right, left)
            if low == 0 and high > 0:
                return None
            if low > 0 and high > worst * low:
                worst = high / low
        return worst

    def to_json(self) -> dict[str, object]:
        """Return the description: the distribution of the distance."""
        from epstar.mechanism.document import write_universe

        return {
            "schema": SCHEMA,
            "kind": "distance",
            "universe": write_universe(self.universe),
            "weights": [text(weight) for weight in self.weights],
        }

    def _key(self) -> tuple[object, ...]:
        return self.universe, self.weights
