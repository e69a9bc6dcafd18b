"""Matrices of mechanisms: reading, distortion, Bayes' rule, processing, products and documents."""

import json
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.distortion import Absolute, Distortion, Hamming, Matrix, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational, Real, fraction, rational
from epstar.mechanism import (
    AnyMechanism,
    Mechanism,
    constant,
    exponential,
    geometric,
    identity,
    randomised_response,
    read_universe,
    write_universe,
)
from epstar.notions import DifferentialPrivacy
from epstar.source import Everything, Hull, Prior, Rows, Source
from epstar.testing import float_mechanisms, laws, mechanisms, priors, sources, universes
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

SIZES = st.integers(1, 4)


def brute_force_distortion(mechanism: Mechanism, costs: Any, law: tuple[Rational, ...]) -> Fraction:
    """The definition: the sum of P(x) Q(y|x) d(x, y), in another arithmetic."""
    inputs, outputs = mechanism.shape
    return sum(
        (
            fraction(law[x]) * fraction(mechanism.rows[x][y]) * fraction(costs[x][y])
            for x in range(inputs)
            for y in range(outputs)
        ),
        Fraction(0),
    )


@pytest.mark.parametrize(
    ("matrix", "exact"),
    [
        ([[1]], True),
        ([["1/3", "2/3"], [1, 0]], True),
        ([[Fraction(1, 3), Fraction(2, 3)]], True),
        ([[rational("1/7"), rational("6/7")]], True),
        ([["0.25", "0.75"]], True),
        (np.eye(2, dtype=int), True),
        (np.array([[Fraction(1, 2), Fraction(1, 2)]], dtype=object), True),
        (((1, 0), (0, 1)), True),
        ([[0.5, 0.5]], False),
        ([["1/2", 0.5]], False),
        ([["1/2", "1/2"], [1.0, 0]], False),
        (np.eye(3), False),
        (np.eye(3, dtype=np.float32), False),
        ([np.array([0.5, 0.5]), [1, 0]], False),
    ],
)
def test_exact_if_every_entry_is(matrix: Any, exact: bool) -> None:
    mechanism = Mechanism(matrix)
    assert mechanism.is_exact is exact
    assert mechanism.shape == (len(matrix), len(matrix[0]))
    assert mechanism.floats.sum(axis=1) == pytest.approx(1)
    assert mechanism.universe == Alphabet(len(matrix))


def test_floats_stay_as_they_were_given_and_cannot_be_changed() -> None:
    given_matrix = np.array([[0.1, 0.9], [0.3, 0.7]])
    mechanism = Mechanism(given_matrix)
    given_matrix[0, 0] = 5
    assert mechanism.floats.tolist() == [[0.1, 0.9], [0.3, 0.7]]
    for matrix in (mechanism, Mechanism([["1/2", "1/2"]])):
        with pytest.raises(ValueError, match="read-only"):
            matrix.floats[0, 0] = 1
    field = "universe"
    with pytest.raises(FrozenInstanceError):
        setattr(mechanism, field, Alphabet(3))


def test_labels_of_outputs() -> None:
    square = Mechanism([[1, 0], [0, 1]], Alphabet(["a", "b"]))
    assert square.outputs == ("a", "b")
    assert Mechanism([[1, 0, 0], [0, 1, 0]], Alphabet(["a", "b"])).outputs == (0, 1, 2)
    assert Mechanism([[1, 0]], outputs=["yes", ("no", 1)]).outputs == ("yes", ("no", 1))
    assert Mechanism([["1/2", "1/2"]] * 2, Databases(2, 1)).outputs == ((0,), (1,))


@settings(deadline=None)
@given(st.data(), SIZES, SIZES)
def test_equality_and_hash_are_by_value(data: st.DataObject, inputs: int, outputs: int) -> None:
    mechanism = data.draw(mechanisms(inputs, outputs))
    same = Mechanism([[str(entry) for entry in row] for row in mechanism.rows])
    assert same == mechanism
    assert hash(same) == hash(mechanism)
    assert {mechanism: 1}[same] == 1
    assert mechanism != Mechanism(mechanism.rows, Alphabet([f"x{k}" for k in range(inputs)]))
    assert mechanism != Mechanism(mechanism.rows, outputs=[f"y{k}" for k in range(outputs)])
    assert mechanism != Mechanism(mechanism.floats)
    assert Mechanism(mechanism.floats) == Mechanism(mechanism.floats.tolist())
    assert mechanism != "a mechanism"


def test_minus_zero_is_zero() -> None:
    assert Mechanism([[-0.0, 1.0]]) == Mechanism([[0.0, 1.0]])


@settings(deadline=None)
@given(st.data(), SIZES, SIZES)
def test_entries_rows_and_columns_agree(data: st.DataObject, inputs: int, outputs: int) -> None:
    mechanism = data.draw(mechanisms(inputs, outputs))
    for x in range(inputs):
        for y in range(outputs):
            assert mechanism.entry(x, y) == mechanism.rows[x][y] == mechanism.column(y)[x]
            assert mechanism.floats[x, y] == float(fraction(mechanism.rows[x][y]))
    assert mechanism.dense(limit=0) is mechanism


@settings(deadline=None)
@given(st.data(), SIZES, SIZES, st.integers(3, 60))
def test_exact_keeps_zeros_and_moves_little(data: st.DataObject, inputs: int, outputs: int, bits: int) -> None:
    mechanism = data.draw(float_mechanisms(inputs, outputs))
    exact = mechanism.exact(bits)
    assert exact.is_exact
    assert exact.outputs == mechanism.outputs
    for x in range(inputs):
        for y in range(outputs):
            entry = fraction(exact.rows[x][y])
            assert (1 << bits) % entry.denominator == 0
            assert (entry > 0) == bool(mechanism.floats[x, y] > 0)
            assert abs(entry - fraction(mechanism.entry(x, y))) < Fraction(outputs + 1, 1 << bits)


@settings(deadline=None)
@given(st.data(), st.integers(2, 4), st.sampled_from([Hamming(), Absolute(), Squared()]))
def test_distortion_is_the_worst_over_the_source(data: st.DataObject, size: int, distortion: Any) -> None:
    mechanism = data.draw(mechanisms(size, size))
    source = data.draw(sources(size))
    worst = mechanism.distortion(distortion, source)
    costs = distortion.matrix(mechanism.universe)
    assert source.contains(worst.point)
    assert brute_force_distortion(mechanism, costs, worst.point) == fraction(worst.value)
    if not isinstance(source, Everything):
        for vertex in source.vertices():
            assert brute_force_distortion(mechanism, costs, vertex) <= fraction(worst.value)


def test_distortion_matches_outputs_by_label() -> None:
    universe = Alphabet(["a", "b", "c"])
    prior = Prior(["1/2", "1/3", "1/6"])
    swapped = Mechanism([["1/4", "3/4"], [1, 0], [0, 1]], universe, outputs=["b", "a"])
    assert swapped.distortion(Hamming(), prior).value == rational("1/2") * rational("1/4") + rational("1/6")
    costs = Matrix([[0, 4], [1, 0], [2, 3]], outputs=["a", "b"])
    # a: 1/4 chance of b at cost 4; b: always b, free; c: always a, cost 2.
    assert swapped.distortion(costs, prior).value == rational("1/2") + rational("1/3")
    stray = Mechanism([["1/2", "1/2"]] * 3, universe, outputs=["a", "z"])
    with pytest.raises(InvalidInput, match="no cost for the output 'z'"):
        stray.distortion(Hamming(), prior)


def test_distortion_on_databases_counts_wrong_rows() -> None:
    universe = Databases(2, 2)
    uniform = constant(universe, tuple(universe.labels), ["1/4"] * 4)
    assert uniform.distortion(Hamming(), Everything(4)).value == 1
    assert uniform.distortion(Hamming(), Rows(Prior(["1/3", "2/3"]), 2)).value == 1
    assert identity(universe).distortion(Hamming(), Everything(4)).value == 0


@settings(deadline=None)
@given(st.data(), st.integers(2, 3))
def test_distortion_of_floats_is_that_of_the_normalised_rows(data: st.DataObject, size: int) -> None:
    mechanism = data.draw(float_mechanisms(size, size))
    prior = data.draw(priors(size))
    value = mechanism.distortion(Hamming(), prior).value
    expected = float(prior.floats @ (1 - np.diag(mechanism.floats)))
    assert float(fraction(value)) == pytest.approx(expected, abs=1e-12)
    assert all(sum(mechanism.entry(x, y) for y in range(size)) == 1 for x in range(size))


@settings(deadline=None)
@given(st.data(), SIZES, SIZES)
def test_bayes_rule(data: st.DataObject, inputs: int, outputs: int) -> None:
    mechanism = data.draw(mechanisms(inputs, outputs))
    prior = data.draw(priors(inputs))
    chances = mechanism.output_law(prior)
    assert sum(chances, ZERO) == 1
    assert chances == mechanism.output_law([str(p) for p in prior.probabilities])
    backwards = mechanism.posterior(prior)
    possible = [y for y in range(outputs) if chances[y] > 0]
    assert backwards.universe.labels == tuple(mechanism.outputs[y] for y in possible)
    assert backwards.outputs == tuple(mechanism.universe.labels)
    for row, y in zip(backwards.rows, possible, strict=True):
        for x in range(inputs):
            assert row[x] * chances[y] == prior.probabilities[x] * mechanism.rows[x][y]
    assert backwards.output_law([chances[y] for y in possible]) == prior.probabilities


@settings(deadline=None)
@given(st.data(), SIZES, SIZES, SIZES, SIZES)
def test_processing_is_a_category(data: st.DataObject, a: int, b: int, c: int, d: int) -> None:
    first, second, third = (data.draw(mechanisms(m, n)) for m, n in ((a, b), (b, c), (c, d)))
    chain = first.then(second)
    assert chain.shape == (a, c)
    for x in range(a):
        for z in range(c):
            expected = sum((first.rows[x][y] * second.rows[y][z] for y in range(b)), ZERO)
            assert chain.rows[x][z] == expected
    assert chain.then(third).rows == first.then(second.then(third)).rows
    assert second.after(first) == chain
    assert first.then(identity(Alphabet(list(first.outputs)))) == first
    assert identity(first.universe).then(first) == first
    floats = Mechanism(first.floats).then(second)
    assert not floats.is_exact
    assert floats.floats == pytest.approx(chain.floats, abs=1e-14)


@settings(deadline=None)
@given(st.data(), SIZES, st.integers(1, 5))
def test_merging_is_processing(data: st.DataObject, inputs: int, outputs: int) -> None:
    mechanism = data.draw(mechanisms(inputs, outputs))
    colours = data.draw(st.lists(st.integers(0, 2), min_size=outputs, max_size=outputs))
    groups = [[y for y in range(outputs) if colours[y] == c] for c in range(3) if c in colours]
    post = Mechanism([[int(y in group) for group in groups] for y in range(outputs)])
    merged = mechanism.merge(groups)
    assert merged.rows == mechanism.then(post).rows
    assert Mechanism(mechanism.floats).merge(groups).floats == pytest.approx(merged.floats, abs=1e-15)
    for label, group in zip(merged.outputs, groups, strict=True):
        assert label == (group[0] if len(group) == 1 else tuple(group))


@settings(deadline=None)
@given(st.data(), SIZES, st.integers(1, 5))
def test_null_outputs_are_dropped_and_no_others(data: st.DataObject, inputs: int, outputs: int) -> None:
    mechanism = data.draw(mechanisms(inputs, outputs))
    kept = [y for y in range(outputs) if any(mechanism.column(y))]
    smaller = mechanism.drop_null_outputs()
    assert smaller.outputs == tuple(kept)
    assert [smaller.column(k) for k in range(len(kept))] == [mechanism.column(y) for y in kept]
    assert smaller.drop_null_outputs() == smaller
    assert Mechanism(mechanism.floats).drop_null_outputs().outputs == tuple(kept)


@settings(deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 3), universes(4), universes(4))
def test_products(data: st.DataObject, b: int, d: int, left: Universe, right: Universe) -> None:
    first = data.draw(mechanisms(left.size, b, universe=left))
    second = data.draw(mechanisms(right.size, d, universe=right))
    both = first.product(second)
    labels = list(both.universe.labels)
    assert both.shape == (left.size * right.size, b * d)
    for x, (i, j) in enumerate((i, j) for i in range(left.size) for j in range(right.size)):
        assert labels[x] == (left.labels[i], right.labels[j])
        for y, (k, n) in enumerate((k, n) for k in range(b) for n in range(d)):
            assert both.outputs[y] == (first.outputs[k], second.outputs[n])
            assert both.rows[x][y] == first.rows[i][k] * second.rows[j][n]
        for z, (k, n) in enumerate((k, n) for k in range(left.size) for n in range(right.size)):
            parts = left.distance(i, k), right.distance(j, n)
            whole = both.universe.distance(x, z)
            assert whole == (None if parts[0] is None or parts[1] is None else parts[0] + parts[1])
    floats = Mechanism(first.floats, left).product(second)
    assert floats.floats == pytest.approx(both.floats, abs=1e-14)


def test_the_product_of_equal_alphabets_is_a_database() -> None:
    coin = randomised_response(Alphabet(["n", "y"]), ratio=3)
    both = coin.product(coin)
    assert both.universe == Databases(["n", "y"], 2)
    assert both.outputs == tuple(both.universe.labels)


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("ratio", ["1", "3/2", "2", "1000000"])
def test_randomised_response_has_exactly_its_ratio(size: int, ratio: str) -> None:
    mechanism = randomised_response(Alphabet(size), ratio=ratio)
    for x in range(size):
        for y in range(size):
            expected = mechanism.entry(y, y) / (1 if x == y else rational(ratio))
            assert mechanism.entry(x, y) == expected


@pytest.mark.parametrize("level", [0, 0.5, "1/3", 1, 5, 30])
def test_randomised_response_never_exceeds_its_level(level: Any) -> None:
    mechanism = randomised_response(Alphabet(4), level)
    loss = Real.log(mechanism.entry(0, 0) / mechanism.entry(0, 1))
    assert level == 0 or loss < Real.of(level)
    assert float(loss) == pytest.approx(float(Real.of(level)), abs=1e-12)


def test_randomised_response_at_a_logarithm_is_exact() -> None:
    level = Real.log(rational("7/3"))
    assert randomised_response(Alphabet(3), level) == randomised_response(Alphabet(3), ratio="7/3")


@pytest.mark.parametrize("size", range(2, 9))
@pytest.mark.parametrize("ratio", ["1", "5/4", "2", "50"])
def test_geometric_neighbours_have_exactly_the_ratio(size: int, ratio: str) -> None:
    mechanism = geometric(size, ratio)
    exact = rational(ratio)
    assert mechanism.universe == Graph.line(size)
    for x in range(size - 1):
        for y in range(size):
            left, right = mechanism.entry(x, y), mechanism.entry(x + 1, y)
            if ratio == "1":
                assert left == right
            else:
                assert left / right == (exact if y <= x else 1 / exact)


def test_constant_says_nothing() -> None:
    mechanism = constant(Alphabet(3), ["a", "b"], ["1/4", "3/4"])
    assert mechanism.rows == ((rational("1/4"), rational("3/4")),) * 3
    assert mechanism.posterior(["1/2", "1/3", "1/6"]).rows[0] == (
        rational("1/2"),
        rational("1/3"),
        rational("1/6"),
    )


LABELS = st.one_of(st.text(max_size=4), st.integers(), st.booleans(), st.tuples(st.text(), st.integers()))


@settings(deadline=None)
@given(st.data(), universes(5), st.integers(1, 4), st.booleans())
def test_documents_bring_an_equal_mechanism_back(
    data: st.DataObject, universe: Universe, outputs: int, exact: bool
) -> None:
    labels = data.draw(st.lists(LABELS, min_size=outputs, max_size=outputs, unique=True))
    rows = data.draw(st.lists(laws(outputs), min_size=universe.size, max_size=universe.size))
    mechanism = Mechanism(rows, universe, labels)
    if not exact:
        mechanism = Mechanism(mechanism.floats, universe, labels)
    document = json.loads(json.dumps(mechanism.to_json()))
    back = AnyMechanism.from_json(document)
    assert back == mechanism
    assert back.is_exact == mechanism.is_exact
    assert back.universe == universe
    assert document["schema"] == "epstar/mechanism/1"
    assert read_universe(write_universe(universe)) == universe


def test_documents_keep_fractions_in_labels_and_infinite_distances() -> None:
    universe = Metric([[0, 1, None], [1, 0, None], [None, None, 0]], labels=["a", "b", "c"])
    mechanism = Mechanism([[1, 0]] * 3, universe, outputs=[rational("1/3"), (1, (2, "x"))])
    back = AnyMechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert back == mechanism
    assert back.universe.distance(0, 2) is None


def test_json_numbers_in_exact_rows_are_read_as_decimals() -> None:
    document = {
        "schema": "epstar/mechanism/1",
        "kind": "matrix",
        "universe": {"size": 1},
        "outputs": ["a", "b"],
        "rows": [[0.1, 0.9]],
    }
    assert AnyMechanism.from_json(document) == Mechanism([["1/10", "9/10"]], outputs=["a", "b"])


def test_the_representation_is_short() -> None:
    assert repr(Mechanism(np.eye(100))) == "Mechanism(100 inputs, 100 outputs, floats)"
    assert repr(Mechanism([[1]])) == "Mechanism(1 inputs, 1 outputs, exact)"


def test_a_robust_distortion_is_worse_than_each_prior() -> None:
    top = Mechanism([[1, 0, 0]] * 3)
    source: Source = Hull([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]])
    worst = top.distortion(Hamming(), source)
    assert (worst.value, worst.point) == (
        rational("3/4"),
        (rational("1/4"), rational("1/2"), rational("1/4")),
    )


def test_a_thousand_symbols_take_no_table_of_costs() -> None:
    size = 3000
    mechanism = Mechanism(np.full((size, 2), 0.5), outputs=[0, 1])
    value = mechanism.distortion(Hamming(), Prior([ONE / size] * size)).value
    assert value == 1 - ONE / size
    assert math.isclose(float(fraction(value)), 1 - 1 / size)


@pytest.mark.parametrize("distortion", [Hamming(), Absolute(), Squared(), Matrix([[0, "1/3"], ["5/6", 0], [1, "1/2"]])])
@pytest.mark.parametrize("level", ["log(4)", 1, "1/3", 0])
def test_the_exponential_mechanism_keeps_its_level(distortion: Distortion, level: Number) -> None:
    mechanism = exponential(Alphabet(3), distortion, level)
    costs = np.array([[float(Real.of(cost)) for cost in row] for row in distortion.matrix(Alphabet(3))])
    sensitivity = max(abs(costs[x] - costs[y]).max() for x in range(3) for y in range(3))
    weights = np.exp(-float(Real.of(level)) * costs / (2 * sensitivity))
    assert mechanism.floats == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-14)
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None
    assert loss <= Real.of(level)


def test_the_exponential_mechanism_takes_neighbours_and_distances_into_account() -> None:
    on_a_line = exponential(Graph.line(4), Absolute(), "log(4)")
    assert on_a_line.floats[0] == pytest.approx(np.array([8, 4, 2, 1]) / 15)
    far_apart = exponential(Metric([[0, 3], [3, 0]]), Hamming(), "log(4)")
    loss = DifferentialPrivacy().loss(far_apart).upper
    assert loss is not None
    assert loss <= Real.log(rational(4))
    assert loss > Real.log(rational("39/10")) / 2


def test_the_exponential_mechanism_of_equal_costs_is_uniform() -> None:
    assert exponential(Alphabet(2), Matrix([[1, 1], [1, 1]]), 3).rows[0] == (rational("1/2"), rational("1/2"))


def test_the_exponential_mechanism_refuses_levels_and_costs_it_cannot_use() -> None:
    with pytest.raises(InvalidInput, match="not a finite loss"):
        exponential(Alphabet(2), Hamming(), -1)
    with pytest.raises(InvalidInput, match="too fine a common unit"):
        exponential(Alphabet(2), Matrix([[0, "1/9973"], [1, 0]]), 1)
