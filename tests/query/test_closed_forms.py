"""Closed forms against the whole program in exact rationals, with every certificate checked and then spoilt."""

import dataclasses
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.query.reference import best_gain, graph_of, identity, vectors

from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.query import HypothesisFails, KernelCertificate, KernelMechanism, PathPower, Query, Ring, closed_form
from epstar.query import closed_forms as forms
from epstar.query.answer_graph import shape_of
from epstar.query.exponential_kernel import dense_solutions, kernel_entry, tree_solution
from epstar.testing import laws
from epstar.universe import Graph

RATIOS = [Rational(1), Rational(5, 4), Rational(3, 2), Rational(2), Rational(4)]


@st.composite
def small_graphs(draw: st.DrawFn, most: int = 4) -> Graph:
    size = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    return Graph(size, draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else Graph(size, [])


@settings(deadline=None, max_examples=150)
@given(small_graphs(), st.sampled_from(RATIOS), st.data())
def test_every_form_that_applies_is_the_optimum(graph: Graph, ratio: Rational, data: st.DataObject) -> None:
    prior = data.draw(st.one_of(st.just((Rational(1, graph.size),) * graph.size), laws(graph.size)))
    optimum: Rational | None = None
    for form in forms.FORMS:
        try:
            found = form(graph, ratio, prior)
        except HypothesisFails:
            continue
        if optimum is None:
            optimum = best_gain(graph.size, graph.edges, ratio, prior, identity(graph.size))
        assert found.check() == found.value == optimum, (found.form, graph.edges, ratio, prior)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 5), st.sampled_from(RATIOS[1:]), st.data())
def test_cliques_have_a_form_for_every_prior(size: int, ratio: Rational, data: st.DataObject) -> None:
    prior = data.draw(laws(size))
    found = forms.clique(Graph.clique(size), ratio, prior)
    largest = sorted(prior, reverse=True)
    assert found.check() == max(ratio * sum(largest[:k], ZERO) / (ratio + k - 1) for k in range(1, size + 1))


@pytest.mark.parametrize("size", range(3, 12))
@pytest.mark.parametrize("ratio", RATIOS[1:])
def test_ring_formulas(size: int, ratio: Rational) -> None:
    q, (n, odd) = ONE / ratio, divmod(size, 2)
    expected = (ONE - q) / (ONE + q - 2 * q ** (n + 1)) if odd else (ONE - q) / ((ONE + q) * (ONE - q**n))
    assert forms.constant_spheres(Graph.ring(size), ratio).check() == expected
    assert forms.constant_spheres(Ring(range(size)), ratio).check() == expected


@pytest.mark.parametrize(("u", "v"), [(1, 3), (2, 2), (2, 3), (3, 2)])
def test_hamming_graph_formula(u: int, v: int) -> None:
    found = closed_form(Query.named("identity", u, v), Rational(3))
    assert found.check() == (Rational(3) / (v - 1 + 3)) ** u


CONSTANT = [v for v in vectors("optimal_utility") if v.get("constant_S") and "e_eps" in v]


@pytest.mark.parametrize("vector", CONSTANT, ids=lambda v: v["id"])
def test_constant_spheres_of_the_reference(vector: dict[str, Any]) -> None:
    assert str(forms.constant_spheres(graph_of(vector), rational(vector["e_eps"])).check()) == vector["optimum_exact"]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 8), st.sampled_from(RATIOS[1:]), st.data())
def test_trees(size: int, ratio: Rational, data: st.DataObject) -> None:
    edges = [(data.draw(st.integers(0, child - 1)), child) for child in range(1, size)]
    graph = Graph(size, edges)
    shape = shape_of(graph)
    vector = data.draw(laws(size))
    solved = tree_solution(shape, ratio, vector)
    back = [sum((kernel_entry(shape, ratio, y, z) * solved[z] for z in range(size)), ZERO) for y in range(size)]
    assert back == list(vector)
    degree = max(shape.degrees().tolist())
    if Rational(degree) <= ONE + ratio:
        assert forms.tree(graph, ratio).check() == ONE - Rational(2 * (size - 1), size) / (ONE + ratio)
    else:
        with pytest.raises(HypothesisFails, match="neighbours"):
            forms.tree(graph, ratio)


@pytest.mark.parametrize("leaves", [2, 3, 4, 5, 7])
def test_stars_on_both_sides_of_the_threshold(leaves: int) -> None:
    graph = Graph(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])
    uniform = (Rational(1, leaves + 1),) * (leaves + 1)
    for ratio in (Rational(2), Rational(leaves - 1), Rational(leaves)):
        if ratio <= 1:
            continue
        found = closed_form(graph, ratio)
        assert found.check() == best_gain(graph.size, graph.edges, ratio, uniform, identity(graph.size))
        if Rational(leaves) > ONE + ratio:
            assert (found.form, found.value) == ("star", ratio / (leaves + 1))


@pytest.mark.parametrize(
    ("first", "second"),
    [(Graph.line(2), Graph.line(3)), (Graph.ring(4), Graph.line(3)), (Graph.clique(3), Graph.line(2))],
)
def test_products_multiply(first: Graph, second: Graph) -> None:
    ratio = Rational(2)
    both = forms.product(closed_form(first, ratio), closed_form(second, ratio))
    assert both.check() == closed_form(first, ratio).value * closed_form(second, ratio).value
    edges = both.certificate.shape.graph().edges
    size = first.size * second.size
    if size <= 6:
        assert both.value == best_gain(size, edges, ratio, (Rational(1, size),) * size, identity(size))


def test_products_take_independent_priors_on_cliques() -> None:
    ratio, prior = Rational(3), (Rational(5, 6), Rational(1, 6))
    one = closed_form(Graph.clique(2), ratio, prior)
    both = forms.product(one, closed_form(Graph.clique(2), ratio))
    joint = [a * b for a in prior for b in (Rational(1, 2), Rational(1, 2))]
    assert both.check() == best_gain(4, both.certificate.shape.graph().edges, ratio, joint, identity(4))
    with pytest.raises(InvalidInput, match="different levels"):
        forms.product(one, closed_form(Graph.clique(2), Rational(2)))


def test_the_kernel_of_a_path_is_the_truncated_geometric_mechanism() -> None:
    from epstar.mechanism import geometric

    assert closed_form(Graph.line(5), Rational(3)).mechanism.dense().rows == geometric(5, 3).rows


def test_level_zero_names_one_answer_per_component() -> None:
    prior = (Rational(1, 6), Rational(2, 6), Rational(3, 6))
    assert closed_form(Graph.line(3), ONE, prior).check() == Rational(1, 2)
    apart = closed_form(Graph(3, [(0, 1)]), ONE, prior)
    assert (apart.form, apart.check()) == ("no loss", Rational(5, 6))


def test_an_edgeless_graph_is_answered_truthfully() -> None:
    assert closed_form(Graph(3, []), Rational(2)).check() == 1


@pytest.mark.parametrize("spoil", ["negative", "short", "small", "ratio"])
@pytest.mark.parametrize(
    "graph", [Graph.line(4), Graph.ring(5), Graph.clique(4), Graph(5, [(0, k) for k in range(1, 5)])]
)
def test_a_spoilt_certificate_is_rejected(graph: Graph, spoil: str) -> None:
    good = closed_form(graph, Rational(2)).certificate
    weights = list(good.weights)
    heaviest = max(range(len(weights)), key=lambda y: weights[y])
    changes: dict[str, Any] = {}
    if spoil == "negative":
        weights[heaviest] = -weights[heaviest]
    elif spoil == "short":
        weights.pop()
    elif spoil == "small":
        weights[heaviest] -= Rational(1, 10**30)
    else:
        changes["ratio"] = Rational(2) + Rational(1, 10**30)
    with pytest.raises(ProofRejected):
        dataclasses.replace(good, weights=tuple(weights), **changes).check()


def test_a_certificate_may_be_generous() -> None:
    half = (Rational(1, 2), Rational(1, 2))
    assert KernelCertificate(shape_of(Graph.line(2)), Rational(2), half, half).check() == 1


def test_forms_say_which_hypothesis_fails() -> None:
    skewed = (Rational(8, 10), Rational(1, 10), Rational(1, 10))
    for form, graph, prior, message in (
        (forms.constant_spheres, Graph.line(3), None, "sphere sums differ"),
        (forms.constant_spheres, Graph.ring(3), skewed, "uniform prior"),
        (forms.clique, Graph.line(3), None, "needs a clique"),
        (forms.tree, Graph.ring(3), None, "needs a tree"),
        (forms.tree, Graph.line(3), (Rational(1, 10), Rational(8, 10), Rational(1, 10)), "outside the region"),
        (forms.star, Graph.line(3), None, "at least 1"),
        (forms.kernel, Graph.line(3), (Rational(1, 10), Rational(8, 10), Rational(1, 10)), "negative entry"),
        (forms.no_loss, Graph.line(3), None, "level 0"),
    ):
        with pytest.raises(HypothesisFails, match=message):
            form(graph, Rational(2), prior)


def test_a_million_answers() -> None:
    count = Query.named("count", individuals=1_000_000, values=2)
    found = closed_form(count, Rational(3, 2))
    size = count.size
    assert found.value == found.certificate.check() == ONE - Rational(2 * (size - 1), size) / Rational(5, 2)
    assert isinstance(found.mechanism, KernelMechanism)
    assert found.mechanism.entry(7, 7) == Rational(1, 5)
    assert found.mechanism.worst_ratio == Rational(3, 2)
    ring = closed_form(Query.named("count_mod", 10**6, 2, modulus=10**6), Rational(3, 2))
    assert ring.value == ring.certificate.check()
    assert abs(float(Real.of(ring.value)) - 0.2) < 1e-12


def test_the_structured_kernel_is_the_written_out_one() -> None:
    shape = PathPower(range(4))
    ratio = Rational(3)
    mechanism = KernelMechanism(shape, ratio, tree_solution(shape, ratio, (ONE,) * 4))
    dense = mechanism.dense()
    assert dense.rows == closed_form(Graph.line(4), ratio).mechanism.dense().rows
    assert mechanism.entry(0, 3) == dense.entry(0, 3)
    assert mechanism.to_json() == dense.to_json()
    assert KernelMechanism(shape, ratio, mechanism.weights) == mechanism


@settings(deadline=None, max_examples=30)
@given(small_graphs(5), st.sampled_from(RATIOS[1:]), st.data())
def test_exact_elimination_solves(graph: Graph, ratio: Rational, data: st.DataObject) -> None:
    shape, vector = shape_of(graph), data.draw(laws(graph.size))
    solutions = dense_solutions(shape, ratio, [vector])
    assume(solutions is not None)
    assert solutions is not None
    for y in range(graph.size):
        row = [kernel_entry(shape, ratio, y, z) * solutions[0][z] for z in range(graph.size)]
        assert sum(row, ZERO) == vector[y]
