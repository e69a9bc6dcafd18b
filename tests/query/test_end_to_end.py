"""Systems against the channel on databases written out, and against the reference."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.query.reference import query_of, vectors

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism, TopRandomisedResponse, geometric, identity, randomised_response
from epstar.notions import DifferentialPrivacy, MinEntropyLeakage
from epstar.query import KernelMechanism, Query, System, closed_form, remap
from epstar.query.closed_forms import kernel
from epstar.query.exponential_kernel import neighbours_on_a_line, neighbours_on_a_ring
from epstar.source import Prior
from epstar.testing import laws
from epstar.universe import Alphabet, Databases, Graph


@pytest.mark.parametrize("vector", vectors("query_end_to_end"), ids=lambda v: v["id"])
def test_reference_systems(vector: dict[str, Any]) -> None:
    query, ratio = query_of(vector), rational(vector["e_eps"])
    answers = [tuple(answer) if isinstance(answer, list) else answer for answer in vector["answers"]]
    assert list(query.answers) == answers
    edges = {frozenset(edge) for edge in query.shape.edges().tolist()}
    assert edges == {frozenset(edge) for edge in vector["answer_edges"]}
    law = query.answer_law().probabilities
    assert [str(p) for p in law] == vector["answer_prior_from_uniform_database"]
    expected = vector["kernel_mechanism"]
    if not expected or "alpha" not in expected:
        return
    found = kernel(query, ratio)
    assert [str(found.mechanism.entry(y, y)) for y in range(query.size)] == expected["alpha"]
    assert str(found.value) == expected["utility_uniform_Y"]
    assert str(remap(found.mechanism, law).utility) == expected["utility_uniform_X_with_remap"]
    system = System(query, found.mechanism)
    assert str(system.level().loss.upper) == f"log({ratio})"
    assert str(system.database_leakage().factor) == expected["sum_of_column_maxima"]
    assert str(system.worst_individual_leakage().factor) == expected["individual_sum_of_maxima"]
    for leakage, bits in (
        (system.database_leakage(), "I_inf_X_Z_uniform_X_bits"),
        (system.answer_leakage(law), "I_inf_Y_Z_uniform_X_bits"),
        (system.worst_individual_leakage(), "individual_max_over_Dminus_bits"),
    ):
        assert math.isclose(leakage.bits, float(expected[bits]), abs_tol=1e-12)
    compared = system.compare()
    limit = float(compared.database_limit) / math.log(2)
    assert math.isclose(limit, float(vector["theorem1_bound_bits"]), abs_tol=1e-12)
    assert compared.database <= compared.database_limit
    assert compared.database <= compared.range_limit
    assert compared.individual <= compared.individual_limit <= compared.printed_individual_limit


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_a_system_is_its_channel(rows: int, letters: int, data: st.DataObject) -> None:
    databases = Databases(letters, rows)
    table = data.draw(st.lists(st.integers(0, 3), min_size=databases.size, max_size=databases.size))
    query = Query(lambda label: table[databases.index(label)], databases)
    mechanism = Mechanism([data.draw(laws(2)) for _ in range(query.size)], outputs=["z", "zz"])
    system = System(query, mechanism)
    channel = system.channel()
    whole = DifferentialPrivacy().loss(channel)
    level = system.level()
    assert str(level.loss.upper) == str(whole.upper)
    if level.databases is not None:
        assert level.answers is not None
        first, second = level.databases
        assert (query.answer(first), query.answer(second)) == level.answers
        assert databases.distance(databases.index(first), databases.index(second)) == 1
    prior = data.draw(laws(databases.size))
    for law in (None, prior):
        source = Prior.uniform_on(databases.size) if law is None else Prior(law)
        leaked = MinEntropyLeakage().loss(channel, source).upper
        assert str(system.database_leakage(law).nats) == str(leaked)
    worst = ZERO
    for individual in range(rows):
        for others in Databases(letters, rows - 1).labels if rows > 1 else [()]:
            assert isinstance(others, tuple)
            worst = max(worst, system.individual_leakage(others, individual).factor)
    assert system.worst_individual_leakage().factor == worst


def test_uniform_databases_leak_the_capacity_whatever_the_query() -> None:
    coin = randomised_response(Alphabet(2), ratio=3)
    for query in (Query.named("any", 3, 2), Query.named("parity", 4, 3), Query(all, Databases([0, 1], 2))):
        assert System(query, coin).database_leakage().factor == Rational(3, 2)


def test_leakage_about_one_individual_uses_the_prior_on_values() -> None:
    system = System(Query.named("max", 2, 3), identity(Alphabet(3)))
    assert system.individual_leakage((0,), 0).factor == 3
    assert system.individual_leakage((2,), 1).factor == 1
    skewed = system.individual_leakage((1,), 0, [Rational(1, 2), Rational(1, 4), Rational(1, 4)])
    assert skewed.factor == Rational(3, 2)


def test_a_truthful_system_has_an_infinite_level_and_no_bounds() -> None:
    system = System(Query.named("count", 2, 2), identity(Graph.line(3)))
    level = system.level()
    assert level.loss.upper is not None
    assert level.loss.upper.is_infinite
    assert level.databases is not None
    with pytest.raises(InvalidInput, match="infinite"):
        system.compare()


def test_a_constant_system_loses_nothing() -> None:
    level = System(Query.named("count", 2, 2), Mechanism([[1], [1], [1]])).level()
    assert (level.answers, level.databases, level.loss.value) == (None, None, 0)


def test_the_level_ignores_pairs_that_no_two_databases_give() -> None:
    # On the ring the ends of the line would be neighbours, with ratio 32.
    mechanism = geometric(6, 2)
    assert str(System(Query.named("count", 5, 2), mechanism).level().loss.upper) == "log(2)"
    ring = System(Query.named("count_mod", 6, 2, modulus=6), mechanism).level()
    assert str(ring.loss.upper) == "log(32)"
    assert ring.answers is not None
    assert set(ring.answers) == {0, 5}


def test_restricted_domains() -> None:
    query = Query(lambda rows: rows[0], Databases(["A", "B"], 2), domain=lambda rows: rows[0] == rows[1])
    system = System(query, identity(Alphabet(["A", "B"])))
    assert system.level().loss.value == 0
    assert system.channel().shape == (2, 2)
    assert DifferentialPrivacy().loss(system.channel()).value == 0
    assert system.database_leakage().factor == 2
    assert system.worst_individual_leakage().factor == 1
    assert system.individual_leakage(("A",), 1).factor == 1


def test_large_systems_are_not_enumerated() -> None:
    count = Query.named("count", individuals=1_000_000, values=2)
    system = System(count, closed_form(count, Rational(2)).mechanism)
    assert str(system.level().loss.upper) == "log(2)"
    assert system.database_leakage().factor == count.size * closed_form(count, Rational(2)).value
    top = Query.named("max", individuals=10**6, values=300)
    response = TopRandomisedResponse(Alphabet(300), range(300), ratio=2)
    assert str(System(top, response).level().loss.upper) == "log(2)"
    # What is known about one individual is as much as the level allows: 2 E / (E + 1), and 300 E / (E + 299).
    assert system.worst_individual_leakage().factor == Rational(4, 3)
    assert System(top, response).worst_individual_leakage().factor == Rational(600, 301)
    compared = system.compare()
    assert str(compared.individual) == str(compared.individual_limit) == "log(4/3)"
    assert compared.database <= compared.database_limit
    ring = Query.named("count_mod", individuals=10_000, values=2, modulus=1000)
    around = System(ring, closed_form(ring, Rational(2)).mechanism).worst_individual_leakage().factor
    assert around == Rational(4, 3)
    steps = Query.named("sum", individuals=300_000, values=3)
    with pytest.raises(InvalidInput, match="too"):
        System(
            steps, KernelMechanism(steps.shape, Rational(2), (Rational(1, 3),) * steps.size)
        ).worst_individual_leakage()


@pytest.mark.parametrize("size", [3, 4, 5, 8, 9])
@pytest.mark.parametrize("ratio", [Rational(3, 2), Rational(7)], ids=str)
def test_neighbours_on_a_ring_are_compared_as_by_hand(size: int, ratio: Rational) -> None:
    ring = Query.named("count_mod", individuals=size, values=2, modulus=size)
    rows = closed_form(ring, ratio).mechanism.dense().rows
    by_hand = max(
        sum((max(rows[y][z], rows[(y + 1) % size][z]) for z in range(size)), Rational(0)) for y in range(size)
    )
    assert neighbours_on_a_ring(ratio, size) == by_hand


def test_a_huge_ring_needs_no_look_at_its_outputs() -> None:
    for modulus in (100_002, 100_003):
        ring = Query.named("count_mod", individuals=10**6, values=2, modulus=modulus)
        found = System(ring, closed_form(ring, Rational(2)).mechanism).worst_individual_leakage()
        assert found.bits == pytest.approx(math.log2(4 / 3), abs=1e-12)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_neighbours_on_a_line_are_compared_as_by_hand(size: int) -> None:
    ratio, weights = Rational(5, 2), tuple(Rational(k + 1, 9) for k in range(size))
    entries = [[weights[z] / ratio ** abs(y - z) for z in range(size)] for y in range(size)]
    by_hand = [sum(max(entries[y][z], entries[y + 1][z]) for z in range(size)) for y in range(size - 1)]
    assert list(neighbours_on_a_line(ratio, weights)) == by_hand


def test_floats_are_measured_too() -> None:
    system = System(Query.named("any", 2, 2), Mechanism([[0.75, 0.25], [0.25, 0.75]]))
    assert system.level().loss.value == pytest.approx(math.log(3))
    assert system.database_leakage().bits == pytest.approx(math.log2(1.5))
    assert float(system.compare().level) == pytest.approx(math.log(3))


def test_the_answers_must_be_in_their_order() -> None:
    query = Query.named("distinct", 2, 2)
    with pytest.raises(InvalidInput, match="another order"):
        System(query, identity(Alphabet([2, 1])))
    assert System(query, identity(Alphabet([1, 2]))).database_leakage().nats > Real.of(ZERO)
