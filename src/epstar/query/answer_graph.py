"""Answer graphs, as far as possible without a list of edges.

Two answers are neighbours when two databases that differ in one row give them (alvim2011, Definition 2). A shape
answers for its distances and spheres; those of well-known queries need a few numbers for a million answers, any
other graph is an `AnyShape`. Every shape is a universe, and `graph()` writes it out as a `Graph`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import check_kind, shown
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.universe import Graph, Label, Pairs, Universe
from epstar.universe.base import check_pair_count

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shape(Universe):
    """A graph on the answers of a query; nothing is listed unless asked.

    >>> from epstar import Query
    >>> shape = Query.named("count", individuals=3, values=2).shape
    >>> type(shape).__name__, shape.answers
    ('PathPower', range(0, 4))
    """

    answers: Sequence[Label]

    def __post_init__(self) -> None:
        check_kind(self.answers, Sequence, "The answers of a graph", "them as a list, in order")

    @property
    def size(self) -> int:
        return len(self.answers)

    @property
    def labels(self) -> Sequence[Label]:
        return self.answers

    @cached_property
    def _place_of_answer(self) -> dict[Label, int]:
        return {answer: place for place, answer in enumerate(self.answers)}

    def index(self, label: Label) -> int:
        try:
            return self._place_of_answer[label]
        except (KeyError, TypeError):
            raise InvalidInput(
                f"{shown(label)} is not an answer of this query; answers are compared exactly."
            ) from None

    def distance(self, i: int, j: int) -> Rational | None:
        steps = self.steps(self.read_index(i), self.read_index(j))
        return None if steps is None else Rational(steps)

    def pairs(self) -> Pairs:
        check_pair_count(self.edge_count)
        ends = self.edges()
        return Pairs(ends[:, 0], ends[:, 1])

    @property
    def diameter(self) -> Rational | None:
        steps = self.longest
        return None if steps is None else Rational(steps)

    @abstractmethod
    def steps(self, i: int, j: int) -> int | None:
        """Return the length of a shortest path, None where there is none."""

    @property
    @abstractmethod
    def longest(self) -> int | None:
        """The diameter as an int; None for a graph of several components."""

    @property
    @abstractmethod
    def edge_count(self) -> int:
        """The number of edges."""

    @abstractmethod
    def edges(self) -> Indices:
        """Return the edges as an array of two columns, the smaller index first."""

    @abstractmethod
    def sphere_sum(self, q: Rational) -> Rational | None:
        """Return S = sum over z of q^distance(y, z) if it is the same for every y, else None."""

    @abstractmethod
    def least_sphere_sum(self, q: Rational) -> Rational:
        """Return the least sum over z of q^distance(y, z) of any answer y, or a number just below it."""

    def steps_from_end(self, z: int) -> int:
        """Return the distance from an answer that is as far from some other as the diameter."""
        steps = self.steps(0, z)
        assert steps is not None, "the shapes that are known by name are connected"
        return steps

    @property
    @abstractmethod
    def is_vertex_transitive(self) -> bool | None:
        """Whether the automorphisms move any answer to any other; None where that was not decided."""

    @property
    def component_count(self) -> int:
        """The number of connected components."""
        return 1

    @property
    def is_clique(self) -> bool:
        """Whether every two answers are neighbours."""
        return self.edge_count == self.size * (self.size - 1) // 2

    @property
    def is_tree(self) -> bool:
        """Whether the graph is connected and has no cycle."""
        return self.component_count == 1 and self.edge_count == self.size - 1

    def degrees(self) -> Indices:
        """Return the number of neighbours of each answer."""
        return np.bincount(self.edges().ravel(), minlength=self.size).astype(np.int64)

    def graph(self) -> Graph:
        """Return the same graph with its edges written out.

        Raises:
            InvalidInput: if it has more than 2**22 edges.
        """
        check_pair_count(self.edge_count)
        return graph_on(tuple(self.answers), self.edges().tolist())


class AnyShape(Shape):
    """A graph without a known shape; its distances are computed by search, once.

    >>> from epstar import Graph
    >>> from epstar.query import AnyShape
    >>> AnyShape(Graph(["a", "b", "c"], [(0, 1), (1, 2)])).distance(0, 2)
    2
    """

    listed: Graph

    def __init__(self, graph: Graph) -> None:
        check_kind(graph, Graph, "An answer graph", "a Graph")
        super().__init__(graph.labels)
        object.__setattr__(self, "listed", graph)

    def steps(self, i: int, j: int) -> int | None:
        steps = int(self.listed.distances[i, j])
        return None if steps < 0 else steps

    @property
    def longest(self) -> int | None:
        return None if self.component_count > 1 else int(self.listed.distances.max())

    @property
    def component_count(self) -> int:
        return len(self.listed.components)

    @property
    def edge_count(self) -> int:
        return len(self.listed.edges)

    def edges(self) -> Indices:
        return np.array(self.listed.edges, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def sphere_sizes(self) -> tuple[tuple[int, ...], ...]:
        """The different lists of sphere sizes, by distance from 0, that occur among the answers."""
        distances = self.listed.distances
        far = int(distances.max()) + 1
        rows = {tuple(np.bincount(row[row >= 0], minlength=far).tolist()) for row in distances}
        return tuple(sorted(rows))

    def _sphere_sums(self, q: Rational) -> set[Rational]:
        return {sum((size * q**d for d, size in enumerate(sizes)), ZERO) for sizes in self.sphere_sizes}

    def sphere_sum(self, q: Rational) -> Rational | None:
        sums = self._sphere_sums(q)
        return sums.pop() if len(sums) == 1 else None

    def least_sphere_sum(self, q: Rational) -> Rational:
        return min(self._sphere_sums(q))

    def steps_from_end(self, z: int) -> int:
        steps = int(self.listed.distances[self._end, z])
        if steps < 0:
            raise InvalidInput("The graph has several components, so that it has no two ends.")
        return steps

    @cached_property
    def _end(self) -> int:
        return int(self.listed.distances.argmax()) // self.size

    @property
    def is_vertex_transitive(self) -> bool | None:
        return None if len(self.sphere_sizes) == 1 else False

    def graph(self) -> Graph:
        return self.listed


def graph_on(answers: tuple[Label, ...], edges: Sequence[Sequence[int]]) -> Graph:
    """Return the graph on the answers whose edges are pairs of places.

    A whole number could be read as a label or as a place; the equal fraction is a label for sure.
    """
    ends = [Fraction(int(answer)) if isinstance(answer, int | np.integer) else answer for answer in answers]
    return Graph(answers, [(ends[i], ends[j]) for i, j in edges])


def shape_of(graph: Shape | Graph) -> Shape:
    """Return the graph as a shape.

    >>> shape_of(Graph.line(3)).is_tree
    True
    """
    if isinstance(graph, Shape):
        return graph
    if isinstance(graph, Graph):
        return AnyShape(graph)
    raise InvalidInput(f"An answer graph cannot be a value of type {type(graph).__name__}; give a Query or a Graph.")
