"""Bounds that privacy implies, against reference maxima and brute force."""

import math
from typing import Any

import pytest
from tests.query.reference import best_gain, reference, vectors

from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.notions import DifferentialPrivacy, MaximalLeakage
from epstar.query import (
    PathPower,
    Query,
    Star,
    StepCertificate,
    closed_form,
    database_bound,
    individual_bound,
    printed_individual_bound,
    printed_range_bound,
    range_bound,
    two_outputs,
    utility_bound,
)
from epstar.query.bounds import in_bits
from epstar.universe import Databases, Graph


@pytest.mark.parametrize("vector", vectors("database_leakage_max"), ids=lambda v: v["id"])
def test_largest_leakage_about_a_database(vector: dict[str, Any]) -> None:
    level = f"log({vector['e_eps']})"
    bound = database_bound(vector["u"], vector["v"], level)
    assert str(bound.argument_of_log) == vector["max_sum_of_column_maxima_exact"]
    assert math.isclose(float(in_bits(bound)), float(vector["bound_B_bits"]), abs_tol=1e-12)
    individual = individual_bound(vector["v"], level)
    assert math.isclose(float(in_bits(individual)), float(vector["individual_max_bits"]), abs_tol=1e-12)
    printed = printed_individual_bound(level)
    assert math.isclose(float(in_bits(printed)), float(vector["theorem2_bits"]), abs_tol=1e-12)


@pytest.mark.parametrize("vector", vectors("range_limited_leakage"), ids=lambda v: v["id"])
def test_leakage_with_few_outputs(vector: dict[str, Any]) -> None:
    arguments = vector["u"], vector["v"], vector["r"], f"log({vector['e_eps']})"
    bound = range_bound(*arguments)
    assert math.isclose(float(in_bits(bound)), float(vector["improved_bound_bits"]), abs_tol=1e-12)
    assert bound >= Real.log(rational(vector["max_sum_of_column_maxima_exact"]))
    printed = printed_range_bound(*arguments)
    assert math.isclose(float(in_bits(printed)), float(vector["prop2_bits"]), abs_tol=1e-12)
    assert bound <= database_bound(vector["u"], vector["v"], arguments[3])
    if vector["r"] == 2:
        exact = two_outputs(Query.named("identity", vector["u"], vector["v"]), rational(vector["e_eps"]))
        assert str(exact.value) == vector["max_sum_of_column_maxima_exact"]


def test_the_printed_range_bound_is_refused_where_it_is_false() -> None:
    # u = 1, v = 2, r = 4, E = 2: two pairs of equal columns reach 4/3, above the printed 8/7.
    with pytest.raises(InvalidInput, match="fewer than"):
        printed_range_bound(1, 2, 4, "log(2)")
    assert range_bound(1, 2, 4, "log(2)").argument_of_log == Rational(4, 3)


def test_figure_three() -> None:
    for point in reference()["paper_tables"]["figure3_points"]:
        bound = in_bits(database_bound(point["u"], point["v"], point["eps"]))
        assert math.isclose(float(bound), float(point["B_bits"]), abs_tol=1e-9)


def test_bounds_hold_at_irrational_levels_and_for_many_individuals() -> None:
    assert database_bound(3, 2, 1).lower >= 3 * math.log(2 * math.e / (1 + math.e)) - 1e-12
    million = database_bound(1_000_000, 2, "log(2)")
    assert math.isclose(float(million), 1e6 * math.log(4 / 3), rel_tol=1e-12)
    assert math.isclose(float(range_bound(1_000_000, 2, 3, "log(2)")), math.log(3), rel_tol=1e-6)
    many = range_bound(2000, 2, 10**9, "log(1001/1000)")
    assert many.upper <= database_bound(2000, 2, "log(1001/1000)").upper


@pytest.mark.parametrize(
    "graph", [Graph.line(4), Graph(4, [(0, 1), (0, 2), (0, 3), (1, 2)]), Graph(4, [(0, 1), (2, 3)])]
)
def test_the_utility_bound_holds_on_every_graph(graph: Graph) -> None:
    for ratio in (Rational(1), Rational(3, 2), Rational(4)):
        for prior in ([Rational(1, 4)] * 4, [Rational(1, 2), Rational(1, 4), Rational(1, 4), ZERO]):
            gain = [[ONE if y == z else ZERO for z in range(4)] for y in range(4)]
            best = best_gain(4, graph.edges, ratio, prior, gain)
            assert best <= utility_bound(graph, f"log({ratio})", prior)
    assert utility_bound(Graph.ring(4), "log(2)") == closed_form(Graph.ring(4), Rational(2)).value


def test_utility_bound_on_known_shapes() -> None:
    for query in (Query.named("count", 4, 2), Query.named("sum", 2, 4), Query.named("plurality_with_tie", 2, 4)):
        assert utility_bound(query, "log(2)") == utility_bound(query.graph, "log(2)")


@pytest.mark.parametrize("size", range(1, 7))
@pytest.mark.parametrize("ratio", [Rational(1), Rational(3, 2), Rational(3)])
def test_two_outputs_are_exact_on_paths(size: int, ratio: Rational) -> None:
    graph = Graph.line(size)
    found = two_outputs(graph, ratio)
    assert found.certificate is not None
    assert found.certificate.check() == found.value
    best = max(
        best_gain(
            size,
            graph.edges,
            ratio,
            (ONE,) * size,
            [[ONE if y == i else ZERO, ONE if y == j else ZERO] for y in range(size)],
        )
        for i in range(size)
        for j in range(size)
    )
    assert found.value == best
    assert str(MaximalLeakage().loss(found.mechanism).upper) == str(Real.log(found.value))
    loss = DifferentialPrivacy().loss(found.mechanism).upper
    assert loss is not None
    assert loss <= Real.log(ratio)


@pytest.mark.parametrize(
    "graph", [Graph.ring(6), Graph.clique(4), Graph(5, [(0, k) for k in range(1, 5)]), Databases(2, 3)]
)
def test_two_outputs_elsewhere(graph: Graph | Databases) -> None:
    answers = Query.named("identity", 3, 2) if isinstance(graph, Databases) else graph
    found = two_outputs(answers, Rational(2))
    n = int(graph.diameter.p) if graph.diameter is not None else 0
    q = Rational(1, 2)
    expected = 2 - q ** (n // 2) if n % 2 == 0 else 2 * (ONE - q ** ((n + 1) // 2) / (ONE + q))
    assert found.value == expected
    assert found.certificate is not None
    assert found.certificate.check() == expected
    assert DifferentialPrivacy().loss(found.mechanism).value <= math.log(2) + 1e-12


def test_two_outputs_tell_components_apart() -> None:
    found = two_outputs(Graph(4, [(0, 1), (2, 3)]), Rational(2))
    assert found.value == 2
    assert found.certificate is None
    assert MaximalLeakage().loss(found.mechanism).value == pytest.approx(math.log(2))
    assert DifferentialPrivacy().loss(found.mechanism).value == 0


@pytest.mark.parametrize(
    "certificate",
    [
        StepCertificate(Rational(2), 3, ((ONE, 2),)),
        StepCertificate(Rational(2), 2, ((ONE, 3),)),
        StepCertificate(Rational(2), 2, ((Rational(1, 2), 1),)),
        StepCertificate(Rational(2), 2, ((Rational(3, 2), 1), (Rational(-1, 2), 1))),
        StepCertificate(Rational(1, 2), 2, ((ONE, 1),)),
        StepCertificate(Rational(2), 2, ()),
    ],
)
def test_spoilt_step_certificates_are_rejected(certificate: StepCertificate) -> None:
    with pytest.raises(ProofRejected):
        certificate.check()


@pytest.mark.parametrize(("values", "outputs"), [(2, 2), (2, 101), (3, 7), (5, 10**6)])
@pytest.mark.parametrize("ratio", [Rational(1001, 1000), Rational(3, 2), Rational(20)])
def test_the_best_term_for_many_individuals(values: int, outputs: int, ratio: Rational) -> None:
    u = 100
    terms = [
        outputs * ratio**u / (ratio**u - ratio**part + outputs * ((values - 1 + ratio) / values) ** part)
        for part in range(u + 1)
    ]
    found = range_bound(u, values, outputs, Real.log(ratio))
    assert float(found) == pytest.approx(float(Real.log(min(terms))), rel=1e-12)
    assert found.upper >= Real.log(min(terms)).lower


def test_a_small_level_and_many_individuals() -> None:
    """Between few individuals, where Theorem 1 decides, and many, where the number of outputs does."""
    for individuals in (1000, 10**6, 10**12):
        level = Rational(1, individuals)
        assert range_bound(individuals, 2, 10, level).upper < 0.51
    assert float(range_bound(10**6, 2, 10, 1)) == pytest.approx(float(Real.log(Rational(10))))


def test_spheres_of_the_end_of_a_path() -> None:
    for q in (Rational(1), Rational(1, 2), Rational(9, 10)):
        for shape in (*(PathPower(range(n), reach) for n in range(1, 8) for reach in range(1, 4)), Star(range(5))):
            sums = [
                sum((q ** (shape.steps(y, z) or 0) for z in range(shape.size)), Rational(0)) for y in range(shape.size)
            ]
            assert shape.least_sphere_sum(q) == min(sums)
    q, many = Rational(999_999, 1_000_000), PathPower(range(3_000_001))
    found = many.least_sphere_sum(q)
    assert float(Real.of(found)) == pytest.approx((1 - (1 - 1e-6) ** 3_000_001) / 1e-6, rel=1e-9)
    assert int(found.q).bit_length() < 1000
