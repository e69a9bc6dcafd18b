"""Square systems of linear equations in fractions, of which most rows are short.

Pivots in short rows and columns come first, as they leave the rest short; what is left is small and dense, and is
solved modulo powers of a prime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from epstar.exact import ZERO, Rational, RationalMatrix

Row = Mapping[int, Rational]
# Pivots that may touch more entries than this are left to the dense solver.
_MOST_FILL = 16


def solution(rows: Sequence[Row], right: Sequence[Rational]) -> list[Rational] | None:
    """Return the solution of a square system, None if it is singular.

    Cost: little where most rows are short; that of a dense system in exact arithmetic elsewhere.

    >>> one, two, three = Rational(1), Rational(2), Rational(3)
    >>> solution([{0: two}, {0: three, 1: three}], [one, one])
    [1/2, -1/6]
    """
    return _Elimination(rows, right).solution()


class _Elimination:
    """Gaussian elimination that takes short rows and columns first, and leaves the rest to a dense solver."""

    def __init__(self, rows: Sequence[Row], right: Sequence[Rational]) -> None:
        self.rows = [{j: value for j, value in row.items() if value != 0} for row in rows]
        self.right = list(right)
        self.holders: list[set[int]] = [set() for _ in rows]
        for i, row in enumerate(self.rows):
            for j in row:
                self.holders[j].add(i)
        self.left = set(range(len(rows)))
        self.pivots: list[tuple[int, int]] = []
        # Lengths of rows and of columns; those that have changed since are stale.
        self.queue = [(len(row), i, False) for i, row in enumerate(self.rows)]
        self.queue += [(len(held), j, True) for j, held in enumerate(self.holders)]
        heapify(self.queue)

    def solution(self) -> list[Rational] | None:
        """Return the solution, None if there is not exactly one."""
        while True:
            pivot = self._next()
            if pivot is None:
                break
            if not self._eliminate(*pivot):
                return None
        values = self._core()
        if values is None:
            return None
        for i, j in reversed(self.pivots):
            row = self.rows[i]
            rest = self.right[i]
            for k, value in row.items():
                if k != j and values[k] != 0:
                    rest -= value * values[k]
            values[j] = rest / row[j]
        return [values[j] for j in range(len(self.rows))]

    def _next(self) -> tuple[int, int] | None:
        """Return the row and the column of the next sparse pivot, None if there is none."""
        while self.queue:
            length, k, is_column = heappop(self.queue)
            if is_column:
                if length != len(self.holders[k]) or length == 0:
                    continue
                i, j = min(self.holders[k], key=lambda i: len(self.rows[i])), k
            else:
                if k not in self.left or length != len(self.rows[k]) or length == 0:
                    continue
                i, j = k, min(self.rows[k], key=lambda j: len(self.holders[j]))
            if (
                min(len(self.rows[i]), len(self.holders[j])) > 2
                and (len(self.rows[i]) - 1) * (len(self.holders[j]) - 1) > _MOST_FILL
            ):
                return None
            return i, j
        return None

    def _eliminate(self, i: int, j: int) -> bool:
        """Use row i to get rid of variable j; return whether every other row still has a variable."""
        row = self.rows[i]
        self.left.discard(i)
        self.pivots.append((i, j))
        for k in row:
            self.holders[k].discard(i)
        for other in self.holders[j]:
            target = self.rows[other]
            factor = target.pop(j) / row[j]
            for k, value in row.items():
                if k == j:
                    continue
                changed = target.get(k, ZERO) - factor * value
                if changed == 0:
                    del target[k]
                    self.holders[k].discard(other)
                else:
                    if k not in target:
                        self.holders[k].add(other)
                    target[k] = changed
            self.right[other] -= factor * self.right[i]
            if not target:
                return False
            heappush(self.queue, (len(target), other, False))
        self.holders[j] = set()
        for k in row:
            if k != j:
                heappush(self.queue, (len(self.holders[k]), k, True))
        return True

    def _core(self) -> dict[int, Rational] | None:
        """Return the variables that are left, by a dense solver."""
        if not self.left:
            return {}
        places = sorted({j for i in self.left for j in self.rows[i]})
        size = len(self.left)
        if len(places) != size:
            return None
        where = {j: k for k, j in enumerate(places)}
        matrix, right = RationalMatrix(size, size), RationalMatrix(size, 1)
        for k, i in enumerate(sorted(self.left)):
            for j, value in self.rows[i].items():
                matrix[k, where[j]] = value
            right[k, 0] = self.right[i]
        try:
            found = matrix.solve(right)
        except ZeroDivisionError:
            return None
        return {j: found[k, 0] for k, j in enumerate(places)}
