"""The answer graphs of well-known queries, each described by a few numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epstar.arguments import check_kind, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, Real
from epstar.query.answer_graph import Indices, Shape
from epstar.universe import Databases, Label

# Exact powers up to this one have digits that are still worth writing.
_LONG = 1 << 10


class PathPower(Shape):
    """Answers in a row, neighbours when at most `reach` places apart: counting (reach 1) and summing queries.

    >>> from epstar.query import PathPower
    >>> PathPower(range(7), reach=2).diameter
    3
    """

    reach: int

    def __init__(self, answers: Sequence[Label], reach: int = 1) -> None:
        super().__init__(answers)
        steps = whole_number(reach, "The reach of a path", 0)
        object.__setattr__(self, "reach", max(1, min(steps, max(1, len(answers) - 1))))

    def steps(self, i: int, j: int) -> int:
        return -(-abs(i - j) // self.reach)

    @property
    def longest(self) -> int:
        return self.steps(0, self.size - 1)

    @property
    def edge_count(self) -> int:
        reach = min(self.reach, self.size - 1)
        return reach * self.size - reach * (reach + 1) // 2

    def edges(self) -> Indices:
        place = np.arange(self.size, dtype=np.int64)
        blocks = [
            np.stack([place[:-step], place[step:]], axis=1) for step in range(1, min(self.reach, self.size - 1) + 1)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, 2), dtype=np.int64)

    def sphere_sum(self, q: Rational) -> Rational | None:
        if not self.is_clique:
            return None if q != ONE else Rational(self.size)
        return ONE + q * (self.size - 1)

    def least_sphere_sum(self, q: Rational) -> Rational:
        """Return the sum of an end, which sees the fewest answers nearby; on a long path, a number just below it."""
        if q == ONE:
            return Rational(self.size)
        whole, rest = divmod(self.size - 1, self.reach)
        if whole < _LONG:
            last = q ** (whole + 1)
        else:
            # The exact power would have millions of digits; a larger one gives a smaller sum.
            last = min(q, Real.exp(Real.log(q) * (whole + 1)).above())
        return ONE + self.reach * (q - last) / (ONE - q) + rest * last

    @property
    def is_vertex_transitive(self) -> bool:
        return self.is_clique


class Clique(PathPower):
    """Answers of which every two are neighbours: maximum, plurality, any yes-or-no question.

    >>> from epstar.query import Clique
    >>> Clique(["no", "yes"]).diameter
    1
    """

    def __init__(self, answers: Sequence[Label]) -> None:
        Shape.__init__(self, answers)
        super().__init__(answers, max(1, len(answers) - 1))


class Ring(Shape):
    """At least three answers in a circle: counting modulo their number.

    >>> from epstar.query import Ring
    >>> Ring([0, 1, 2, 3, 4]).diameter
    2
    """

    def __init__(self, answers: Sequence[Label]) -> None:
        super().__init__(answers)
        if len(answers) < 3:
            raise InvalidInput(f"A ring needs at least 3 answers, not {len(answers)}; use a clique.")

    def steps(self, i: int, j: int) -> int:
        way = abs(i - j)
        return min(way, self.size - way)

    @property
    def longest(self) -> int:
        return self.size // 2

    @property
    def edge_count(self) -> int:
        return self.size

    def edges(self) -> Indices:
        place = np.arange(self.size - 1, dtype=np.int64)
        steps = np.stack([place, place + 1], axis=1)
        return np.concatenate([steps, np.array([[0, self.size - 1]], dtype=np.int64)])

    def sphere_sum(self, q: Rational) -> Rational:
        if q == ONE:
            return Rational(self.size)
        half, is_odd = divmod(self.size, 2)
        if is_odd:
            return (ONE + q - 2 * q ** (half + 1)) / (ONE - q)
        return (ONE + q) * (ONE - q**half) / (ONE - q)

    def least_sphere_sum(self, q: Rational) -> Rational:
        return self.sphere_sum(q)

    @property
    def is_vertex_transitive(self) -> bool:
        return True


class Star(Shape):
    """Answers that are neighbours of the last one only: plurality of two voters, with "tie" as an answer.

    >>> from epstar.query import Star
    >>> Star(["a", "b", "tie"]).diameter
    2
    """

    def steps(self, i: int, j: int) -> int:
        if i == j:
            return 0
        return 1 if self.size - 1 in (i, j) else 2

    @property
    def longest(self) -> int:
        return min(2, self.size - 1)

    @property
    def edge_count(self) -> int:
        return self.size - 1

    def edges(self) -> Indices:
        leaves = np.arange(self.size - 1, dtype=np.int64)
        return np.stack([leaves, np.full(self.size - 1, self.size - 1, dtype=np.int64)], axis=1)

    def sphere_sum(self, q: Rational) -> Rational | None:
        if self.size <= 2 or q == ONE:
            return ONE + q * (self.size - 1)
        return None

    def least_sphere_sum(self, q: Rational) -> Rational:
        """Return the sum of a leaf, from which all other leaves are two steps away."""
        return ONE if self.size == 1 else ONE + q + (self.size - 2) * q * q

    @property
    def is_vertex_transitive(self) -> bool:
        return self.size <= 2


class HammingShape(Shape):
    """All databases, neighbours when they differ in one row: the query that asks for everything.

    >>> from epstar import Databases
    >>> from epstar.query import HammingShape
    >>> HammingShape(Databases(2, rows=3)).diameter
    3
    """

    databases: Databases

    def __init__(self, databases: Databases) -> None:
        check_kind(databases, Databases, "What is asked for", "Databases(alphabet, rows)")
        super().__init__(databases.labels)
        object.__setattr__(self, "databases", databases)

    @property
    def size(self) -> int:
        return self.databases.size

    def index(self, label: Label) -> int:
        return self.databases.index(label)

    def steps(self, i: int, j: int) -> int:
        return int(self.databases.distance(i, j).p)

    @property
    def longest(self) -> int:
        return int(self.databases.diameter.p)

    @property
    def edge_count(self) -> int:
        return self.size * self.databases.rows * (self.databases.alphabet.size - 1) // 2

    def edges(self) -> Indices:
        pairs = self.databases.pairs()
        return np.stack([pairs.first, pairs.second], axis=1)

    def sphere_sum(self, q: Rational) -> Rational:
        power: Rational = (ONE + q * (self.databases.alphabet.size - 1)) ** self.databases.rows
        return power

    def least_sphere_sum(self, q: Rational) -> Rational:
        return self.sphere_sum(q)

    @property
    def is_vertex_transitive(self) -> bool:
        return True
