"""Graphs: distances against Floyd and Warshall's recursion, components, and ways to write edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.universe import Graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(st.integers(1, 8))
    possible = [(i, j) for i in range(nodes) for j in range(i + 1, nodes)]
    edges = [edge for edge in possible if draw(st.booleans())]
    return Graph(nodes, edges)


def brute_force(graph: Graph) -> list[list[int | None]]:
    far = 10**6
    lengths = [[0 if i == j else far for j in range(graph.size)] for i in range(graph.size)]
    for i, j in graph.edges:
        lengths[i][j] = lengths[j][i] = 1
    for k in range(graph.size):
        for i in range(graph.size):
            for j in range(graph.size):
                lengths[i][j] = min(lengths[i][j], lengths[i][k] + lengths[k][j])
    return [[None if length >= far else length for length in row] for row in lengths]


@given(graphs())
@settings(deadline=None)
def test_distances_are_shortest_paths(graph: Graph) -> None:
    expected = brute_force(graph)
    found = [[graph.distance(i, j) for j in range(graph.size)] for i in range(graph.size)]
    assert found == [[None if d is None else Rational(d) for d in row] for row in expected]
    assert graph.distances_from(0).tolist() == [-1 if d is None else d for d in expected[0]]
    entries = [d for row in expected for d in row]
    assert graph.diameter == (None if None in entries else max(d for d in entries if d is not None))
    joined = {(i, j) for c in graph.components for i in c for j in c}
    assert joined == {(i, j) for i, row in enumerate(expected) for j, d in enumerate(row) if d is not None}


def test_named_graphs() -> None:
    assert Graph.ring(5).distances_from(0).tolist() == [0, 1, 2, 2, 1]
    assert Graph.line(4).diameter == 3
    assert Graph.clique(4).diameter == 1
    assert len(Graph.clique(5).pairs()) == 10
    assert Graph.line(1).edges == ()
    assert len(Graph.line(1).pairs()) == 0


def test_edges_may_be_labels_or_indices_in_any_direction() -> None:
    by_label = Graph(["a", "b", "c"], [("b", "a"), ("c", "b")])
    by_index = Graph(["a", "b", "c"], np.array([[0, 1], [1, 2]]))
    assert by_label == by_index
    assert by_label.edges == ((0, 1), (1, 2))
    # Zero is no label here, so all ends are indices.
    assert Graph([1, 2, 3], [(0, 1), (1, 2)]).edges == ((0, 1), (1, 2))
    # Three is no index here, so all ends are labels.
    assert Graph([1, 2, 3], [(1, 2), (2, 3)]).edges == ((0, 1), (1, 2))


def test_distances_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Graph.ring(4).distances[0, 0] = 7


def test_many_nodes_are_searched_one_at_a_time() -> None:
    graph = Graph.line(9_000)
    assert graph.distance(0, 8_999) == 8_999
    with pytest.raises(InvalidInput, match="distances_from"):
        _ = graph.distances
