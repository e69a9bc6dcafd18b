"""Graphs: neighbours are joined by an edge, and distance is the length of a shortest path."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.universe.base import Label, Labels, Listed, Pairs, check_pair_count

Indices = NDArray[np.int64]
_MOST_NODES_FOR_ALL_DISTANCES = 1 << 13


@dataclass(frozen=True, init=False)
class Graph(Listed):
    """Labelled nodes joined by edges; it may fall apart into components, which do not constrain each other.

    An edge is a pair of labels or, if they are not all labels, a pair of indices; edges in an array are indices.

    >>> Graph(["a", "b", "c"], [("a", "b"), ("b", "c")]).distance(0, 2)
    2
    """

    edges: tuple[tuple[int, int], ...]

    def __init__(self, nodes: Labels, edges: Sequence[tuple[Label, Label]] | NDArray[np.integer]) -> None:
        super().__init__(nodes, "A graph")
        object.__setattr__(self, "edges", self._read_edges(edges))

    @classmethod
    def ring(cls, n: int) -> Graph:
        """Return the cycle of n >= 3 nodes."""
        nodes = whole_number(n, "The number of nodes of a ring", 3)
        return cls(nodes, [(k, (k + 1) % nodes) for k in range(nodes)])

    @classmethod
    def line(cls, n: int) -> Graph:
        """Return the path of n nodes, such as the answers of a counting query."""
        nodes = whole_number(n, "The number of nodes of a line", 1)
        return cls(nodes, [(k, k + 1) for k in range(nodes - 1)])

    @classmethod
    def clique(cls, n: int) -> Graph:
        """Return the complete graph on n nodes."""
        nodes = whole_number(n, "The number of nodes of a clique", 1)
        check_pair_count(nodes * (nodes - 1) // 2)
        return cls(nodes, [(i, j) for i in range(nodes) for j in range(i + 1, nodes)])

    @property
    def number_of_pairs(self) -> int:
        return len(self.edges)

    def pairs(self) -> Pairs:
        check_pair_count(self.number_of_pairs)
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        return Pairs(ends[:, 0], ends[:, 1])

    def distance(self, i: int, j: int) -> Rational | None:
        i, j = self.read_index(i), self.read_index(j)
        row = self.distances[i] if self.size <= _MOST_NODES_FOR_ALL_DISTANCES else self.distances_from(i)
        return None if row[j] < 0 else Rational(int(row[j]))

    @cached_property
    def distances(self) -> Indices:
        """All distances as a square array, -1 where there is no path (read-only).

        Raises:
            InvalidInput: beyond 8,192 nodes; use `distances_from` there.
        """
        if self.size > _MOST_NODES_FOR_ALL_DISTANCES:
            raise InvalidInput(
                f"The distances of {self.size} nodes do not fit in memory; ask for distances_from(node)."
            )
        return self._searched(None)

    def distances_from(self, i: int) -> Indices:
        """Return the distances from one node, -1 where there is no path."""
        return self._searched(self.read_index(i))

    @property
    def diameter(self) -> Rational | None:
        return None if len(self.components) > 1 else Rational(int(self.distances.max()))

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """The connected components, each a tuple of indices, ordered by their first index."""
        from scipy.sparse.csgraph import connected_components

        _, number = connected_components(self._adjacency(), directed=False)
        found: dict[int, list[int]] = {}
        for node, component in enumerate(number.tolist()):
            found.setdefault(component, []).append(node)
        return tuple(tuple(component) for component in found.values())

    def _adjacency(self) -> Any:
        from scipy.sparse import csr_array

        pairs = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        ones = np.ones(len(pairs))
        return csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(self.size, self.size))

    def _searched(self, start: int | None) -> Indices:
        from scipy.sparse.csgraph import dijkstra

        # With every length one this is breadth-first search; floats hold whole lengths exactly.
        lengths = dijkstra(self._adjacency(), directed=False, indices=start, unweighted=True)
        steps: Indices = np.where(np.isinf(lengths), -1, lengths).astype(np.int64)
        steps.flags.writeable = False
        return steps

    def _read_edges(self, edges: object) -> tuple[tuple[int, int], ...]:
        given = edges.tolist() if isinstance(edges, np.ndarray) else edges
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise InvalidInput("The edges of a graph must be a list of pairs of nodes.")
        ends = []
        for number, edge in enumerate(given, 1):
            if not isinstance(edge, tuple | list) or len(edge) != 2:
                raise InvalidInput(f"Edge {number} is {shown(edge)}; an edge is a pair of nodes.")
            ends.append((edge[0], edge[1]))
        pairs: dict[tuple[int, int], None] = {}
        resolved = self._resolved(ends, isinstance(edges, np.ndarray))
        for number, (i, j) in enumerate(resolved, 1):
            if i == j:
                raise InvalidInput(f"Edge {number} joins node {shown(self.names[i])} to itself; remove it.")
            pair = (min(i, j), max(i, j))
            if pair in pairs:
                raise InvalidInput(f"Edge {number} repeats an earlier one; edges have no direction.")
            pairs[pair] = None
        return tuple(sorted(pairs))

    def _resolved(self, ends: list[tuple[Any, Any]], are_indices: bool) -> list[tuple[int, int]]:
        by_label = [None if are_indices else self._both(edge, self._place_of_label) for edge in ends]
        by_index = [self._both(edge, self._place_of_index) for edge in ends]
        labels = [edge for edge in by_label if edge is not None]
        indices = [edge for edge in by_index if edge is not None]
        if len(labels) == len(ends) and not are_indices:
            if len(indices) == len(ends) and indices != labels:
                raise InvalidInput(
                    "The edges can be read as labels and as indices, and the two graphs differ; "
                    "label the nodes with texts."
                )
            return labels
        if len(indices) == len(ends):
            return indices
        unknown = next(edge for edge, found in zip(ends, by_label, strict=True) if found is None)
        raise InvalidInput(f"The edge {shown(unknown)} names an unknown node; use labels, or indices throughout.")

    @staticmethod
    def _both(edge: tuple[object, object], place: Callable[[object], int | None]) -> tuple[int, int] | None:
        first, second = place(edge[0]), place(edge[1])
        return None if first is None or second is None else (first, second)

    def _place_of_label(self, end: object) -> int | None:
        # True equals 1 in Python, but nobody means the node 1 by it.
        if isinstance(end, bool) and not any(name is end for name in self.names):
            return None
        try:
            return self._index_of_label.get(end) if isinstance(end, Hashable) else None
        except TypeError:
            return None

    def _place_of_index(self, end: object) -> int | None:
        if isinstance(end, bool) or not isinstance(end, int | np.integer):
            return None
        return int(end) if 0 <= end < self.size else None
