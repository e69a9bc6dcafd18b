"""The paper's own constructions: what they are worth, where they fail, and that the best one beats them."""

from itertools import combinations

import pytest
from tests.query.reference import reference

from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, Real
from epstar.mechanism import AnyMechanism, geometric
from epstar.notions import DifferentialPrivacy, MinEntropyCapacity
from epstar.query import closed_form, database_bound, remap
from epstar.query import gallery as paper
from epstar.query.baselines import (
    circulant,
    completed,
    constant_border,
    doubled_ring,
    equation_six,
    proposition_one,
    truncated_geometric,
)
from epstar.universe import Graph


def is_private(mechanism: AnyMechanism, level: object) -> bool:
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None
    return loss <= Real.of(level)


def test_geometric_with_the_level_spread_over_a_clique() -> None:
    mechanism = truncated_geometric(Graph.clique(6), "log(2)", steps=5)
    assert is_private(mechanism, "log(2)")
    assert not is_private(truncated_geometric(Graph.clique(6), "log(2)"), "log(2)")
    assert truncated_geometric(Graph.line(4), "log(3)").rows == geometric(4, 3).rows
    assert truncated_geometric(Graph.line(1), 1).rows == ((ONE,),)


@pytest.mark.parametrize("level", ["0", "log(5/4)", "log(2)", "3/2"])
def test_equation_six_is_optimal_where_it_applies(level: str) -> None:
    for size in range(1, 10):
        connections = range(1, size // 2 + 1)
        for count in range(1, size // 2 + 1):
            for chosen in combinations(connections, count):
                graph = circulant(Graph(size, []), chosen)
                if constant_border(graph) is None or len(graph.components) > 1:
                    continue
                mechanism = equation_six(graph, level)
                assert is_private(mechanism, level)
                best = closed_form(graph, max(ONE, Real.exp(Real.of(level)).below(128)))
                assert mechanism.entry(0, 0) == remap(mechanism).utility == best.value


@pytest.mark.parametrize("size", range(1, 14))
def test_constant_borders_are_the_even_divisors(size: int) -> None:
    found = set()
    half = size // 2
    for count in range(1, half + 1):
        for chosen in combinations(range(1, half + 1), count):
            graph = circulant(Graph(size, []), chosen)
            border = constant_border(graph)
            if border is not None and len(graph.components) == 1:
                found.add(border)
    if size % 2 == 0:
        assert found == {size - 1}
    elif size > 1:
        assert found <= {c for c in range(2, size, 2) if (size - 1) % c == 0}
        assert {2, size - 1} <= found


def test_equation_six_is_refused_elsewhere() -> None:
    for graph in (Graph.line(4), Graph.ring(6), Graph(4, [(0, 1), (2, 3)])):
        with pytest.raises(InvalidInput, match="same number of answers"):
            equation_six(graph, 1)


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_the_doubled_ring_is_private_from_the_root_of_two_and_never_best(size: int) -> None:
    for level in ("log(3/2)", "log(2)", "log(4)"):
        mechanism = doubled_ring(size, level)
        assert is_private(mechanism, level)
        ratio = Real.of(level).argument_of_log
        assert ratio is not None
        assert remap(mechanism).utility < closed_form(Graph.ring(size), ratio).value
    with pytest.raises(InvalidInput, match="E\\^2"):
        doubled_ring(size, "log(1.414213562)")
    doubled_ring(size, "log(1.414213563)")


@pytest.mark.parametrize(("size", "expected"), [(5, "2/5"), (6, "2/7"), (7, "4/11"), (4, "2/5")])
def test_completing_a_line(size: int, expected: str) -> None:
    found = completed(Graph.line(size), "log(2)")
    assert str(found.mechanism.entry(0, 0)) == expected
    assert is_private(found.mechanism, "log(2)")
    assert set(Graph.line(size).edges) <= set(found.graph.edges)
    assert remap(found.mechanism).utility <= closed_form(Graph.line(size), Rational(2)).value


@pytest.mark.parametrize(("u", "v"), [(1, 2), (2, 2), (2, 3), (3, 2)])
def test_proposition_one_reaches_the_bound(u: int, v: int) -> None:
    mechanism = proposition_one(u, v, "log(3)")
    assert str(DifferentialPrivacy().loss(mechanism).upper) == "log(3)"
    leaked = MinEntropyCapacity().loss(mechanism.dense()).upper
    assert str(leaked) == str(database_bound(u, v, "log(3)"))


def test_tables_one_and_two() -> None:
    tables = reference()["paper_tables"]
    first = paper.table_one()
    for row, expected in zip(first.first.floats.tolist(), tables["table1_M1"], strict=True):
        assert row == pytest.approx(expected, abs=1e-11)
    assert [[str(entry) for entry in row] for row in first.second.rows] == tables["table1_M2"]
    utilities = tables["table1_utilities"]
    assert first.prior is not None
    assert float(Real.of(first.uniform[0])) == pytest.approx(float(utilities["M1_uniform"]), abs=1e-11)
    assert float(Real.of(first.prior[0])) == pytest.approx(float(utilities["M1_prior_tenth_fifth"]), abs=1e-11)
    assert [str(u) for u in (first.uniform[1], first.best, *first.prior[1:])] == ["2/7", "2/7", "2/7", "8/25"]
    second = paper.table_two()
    assert [[str(entry) for entry in row] for row in second.first.rows] == tables["table2_M1"]
    assert [[str(entry) for entry in row] for row in second.second.rows] == tables["table2_M2"]
    assert [str(u) for u in (*second.uniform, second.best)] == ["4/9", "4/11", "4/9"]
    assert [[str(entry) for entry in row] for row in paper.best_on_the_ring().rows] == tables["table2_ring_optimal"]
    assert str(paper.smallest_completion().entry(0, 0)) == "2/7"


def test_example_one_and_figure_three() -> None:
    tables = reference()["paper_tables"]
    example = paper.example_one()
    assert [list(row) for row in example.distances] == [
        tables["example1_matrix_distances"][name] for name in example.order
    ]
    assert example.alpha == Rational(1, 4)
    assert paper.example_one("log(4)").alpha == Rational(4, 9)
    figure = paper.figure_three(("1/2", 1, 2))
    points = {(p["v"], p["eps"]): float(p["B_bits"]) for p in tables["figure3_points"]}
    for v, curve in figure.items():
        for eps, value in zip((0.5, 1.0, 2.0), curve, strict=True):
            if (v, eps) in points:
                assert float(value) == pytest.approx(points[v, eps], abs=1e-9)
