"""The best oblivious mechanism: reference optima, closed forms against programs, proofs, what obliviousness costs."""

import math
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.query.reference import best_gain, gain_of, graph_of, level_of, query_of, vectors

from epstar.completion import Proof
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Rational, Real, rational
from epstar.notions import DifferentialPrivacy
from epstar.query import HypothesisFails, Query, remap
from epstar.query.optimum import cost_of_obliviousness, kernel_proof, optimal_oblivious
from epstar.testing import laws
from epstar.universe import Graph


@pytest.mark.parametrize("vector", vectors("optimal_utility"), ids=lambda v: v["id"])
def test_reference_optima(vector: dict[str, Any]) -> None:
    graph = graph_of(vector)
    prior = [rational(p) for p in vector["prior"]]
    gain = gain_of(vector, graph)
    best = optimal_oblivious(graph, level_of(vector), prior, gain)
    assert best.lower - 1e-12 <= float(str(vector["optimum"])) <= best.upper + 1e-12
    assert best.upper - best.lower < 1e-9
    loss = DifferentialPrivacy().loss(best.mechanism).upper
    assert loss is not None
    assert loss <= Real.of(level_of(vector))
    assert remap(best.mechanism.dense(), prior, gain).utility >= best.interval.lower.below()
    if best.certificate is not None:
        assert Real.of(best.certificate.check()) <= best.interval.upper
        if "optimum_exact" in vector:
            assert str(best.interval.lower) == str(best.interval.upper) == vector["optimum_exact"]
    if vector.get("kernel_mechanism_valid"):
        assert best.certificate is not None
    if "leakage_I_inf_Y_Z_of_optimum_bits" in vector:
        # Leakage about the answer is the utility over the largest prior; at the uniform prior also the capacity.
        leaked = math.log2(best.lower / float(Real.of(max(prior))))
        assert math.isclose(leaked, float(vector["leakage_I_inf_Y_Z_of_optimum_bits"]), abs_tol=1e-10)
    if vector["prior_name"] == "uniform" and "max_capacity_over_dp_mechanisms_bits" in vector:
        capacity = math.log2(best.lower * graph.size)
        assert math.isclose(capacity, float(vector["max_capacity_over_dp_mechanisms_bits"]), abs_tol=1e-10)


@pytest.mark.parametrize("vector", vectors("optimal_utility")[::3], ids=lambda v: v["id"])
def test_programs_agree_with_the_reference(vector: dict[str, Any]) -> None:
    graph = graph_of(vector)
    prior = [rational(p) for p in vector["prior"]]
    best = optimal_oblivious(graph, level_of(vector), prior, gain_of(vector, graph), method="program")
    assert best.certificate is None
    assert best.lower - 1e-12 <= float(str(vector["optimum"])) <= best.upper + 1e-12


@pytest.mark.parametrize("level", ["log(2)", "0", "1/3", 2.5])
@pytest.mark.parametrize(
    "graph",
    [Graph.line(4), Graph.ring(5), Graph.clique(3), Graph(5, [(0, k) for k in range(1, 5)]), Graph(3, [(0, 1)])],
)
def test_closed_forms_come_with_an_epstar_proof(graph: Graph, level: object) -> None:
    best = optimal_oblivious(graph, level)
    assert best.certificate is not None
    checked = best.proof.check()
    # A proof speaks of minus the gain.
    assert checked.lower <= best.interval.lower * -1 <= checked.upper
    assert checked.width < 1e-30
    if best.interval.width == 0:
        assert checked.upper.rational == -best.certificate.check()


def test_a_proof_with_too_little_weight_is_rejected_or_proves_less() -> None:
    best = optimal_oblivious(Graph.ring(5), "log(2)")
    assert best.certificate is not None
    proof = best.proof
    assert isinstance(proof, Proof)
    spoilt = kernel_proof(best.certificate, best.mechanism, Real.of("log(21/10)"))
    assert spoilt.check().lower < proof.check().lower
    with pytest.raises(ProofRejected):
        kernel_proof(best.certificate, best.mechanism, Real.of("log(19/10)")).check()


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_any_gain_agrees_with_the_exact_program(data: st.DataObject) -> None:
    graph = data.draw(st.sampled_from([Graph.line(3), Graph.ring(3), Graph(3, [(0, 1)]), Graph.line(2)]))
    guesses = data.draw(st.integers(1, 3))
    entries = st.lists(st.integers(-3, 3).map(Rational), min_size=guesses, max_size=guesses)
    gain = data.draw(st.lists(entries, min_size=graph.size, max_size=graph.size))
    prior = data.draw(laws(graph.size))
    best = optimal_oblivious(graph, "log(3/2)", prior, gain)
    exact = best_gain(graph.size, graph.edges, Rational(3, 2), prior, gain)
    assert best.interval.lower <= Real.of(exact) <= best.interval.upper
    assert best.interval.width < 1e-9


@pytest.mark.parametrize("vector", vectors("query_end_to_end"), ids=lambda v: v["id"])
def test_reference_queries(vector: dict[str, Any]) -> None:
    query = query_of(vector)
    level = f"log({vector['e_eps']})"
    uniform = optimal_oblivious(query, level)
    exact = Real.of(rational(vector["optimum_uniform_Y"]))
    assert uniform.interval.lower <= exact <= uniform.interval.upper
    by_database = optimal_oblivious(query, level, query.answer_law())
    exact = Real.of(rational(vector["optimum_uniform_X"]))
    assert by_database.interval.lower <= exact <= by_database.interval.upper
    assert by_database.interval.width < 1e-9
    if "optimum_non_oblivious_uniform_X" in vector:
        cost = cost_of_obliviousness(query, level)
        free = Real.of(rational(vector["optimum_non_oblivious_uniform_X"]))
        assert cost.unrestricted.interval.lower <= free <= cost.unrestricted.interval.upper
        assert cost.unrestricted.interval.width < 1e-9


@pytest.mark.parametrize(
    ("name", "u", "v", "with_answer", "with_database"),
    [("max", 2, 2, "4/5", "67/80"), ("sum", 2, 3, "137/261", "92/171"), ("count", 2, 2, None, None)],
)
def test_obliviousness_costs_something_but_not_for_counting(
    name: str, u: int, v: int, with_answer: str | None, with_database: str | None
) -> None:
    cost = cost_of_obliviousness(Query.named(name, u, v), "log(4)")
    if with_answer is None or with_database is None:
        assert abs(float(cost.cost.upper)) < 1e-9
        return
    assert abs(cost.oblivious.lower - float(Real.of(with_answer))) < 1e-12
    assert abs(cost.unrestricted.lower - float(Real.of(with_database))) < 1e-12
    assert cost.cost.lower > 0


def test_obliviousness_on_a_restricted_domain() -> None:
    query = Query(lambda rows: rows[0], Query.named("max", 2, 2).databases, domain=lambda rows: rows[0] == rows[1])
    cost = cost_of_obliviousness(query, "log(2)")
    assert cost.oblivious.lower == 1
    assert cost.unrestricted.upper >= 1


def test_irrational_levels_are_enclosed() -> None:
    best = optimal_oblivious(Query.named("count", 4, 2), 1)
    e = Real.exp(1)
    exact = Real.of(1) - Real.of("8/5") / (e + 1)
    assert best.interval.lower <= exact <= best.interval.upper
    assert 0 < best.interval.width < 1e-36


def test_forcing_a_method() -> None:
    with pytest.raises(HypothesisFails, match="No closed form"):
        optimal_oblivious(Graph(6, [(0, k) for k in range(1, 6)] + [(1, 2), (2, 3)]), "log(3/2)", method="closed form")
    with pytest.raises(HypothesisFails, match="0/1 gain"):
        optimal_oblivious(Graph.line(2), 1, gain=[[2, 0], [0, 1]], method="closed form")
    with pytest.raises(InvalidInput, match="not a method"):
        optimal_oblivious(Graph.line(2), 1, method=cast(Any, "magic"))
    big = Query.named("sum", 2000, 3)
    with pytest.raises(InvalidInput, match="too large"):
        optimal_oblivious(big, 1)


def test_a_million_answers_at_a_plain_level() -> None:
    best = optimal_oblivious(Query.named("count", 1_000_000, 2), "1/10")
    assert best.form == "tree"
    assert best.interval.width < 1e-30
    assert abs(best.lower - (1 - 2 / (1 + 2.718281828459045**0.1))) < 2e-6
