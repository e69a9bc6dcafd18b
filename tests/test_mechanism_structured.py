"""Mechanisms that are never expanded: equal to their matrices on small cases, and quick on large ones."""

import json
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.distortion import Absolute, Distortion, Hamming, Matrix, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational, rationals
from epstar.mechanism import (
    AnyMechanism,
    Block,
    DiagonalMechanism,
    DistanceMechanism,
    Mechanism,
    ProductMechanism,
    StructuredMechanism,
    TopRandomisedResponse,
    randomised_response,
)
from epstar.source import Ball, Everything, Finite, Hull, Prior, Rows, RowsMaximum, Source
from epstar.testing import laws, mechanisms, priors
from epstar.universe import Alphabet, Databases, Universe

RATIOS = rationals(["1", "3/2", "7", "1000001/1000"])
DELTAS = rationals(["0", "1/10", "2/3", "1"])


def ratio_over_neighbours(mechanism: Mechanism) -> Rational | None:
    """The definition of the worst ratio, over every pair of neighbours and every output."""
    worst = ONE
    universe = mechanism.universe
    for x, z in product(range(universe.size), repeat=2):
        if universe.distance(x, z) == 1:
            for y in range(mechanism.shape[1]):
                high, low = mechanism.rows[x][y], mechanism.rows[z][y]
                if high > 0 and low == 0:
                    return None
                if low > 0:
                    worst = max(worst, high / low)
    return worst


def assert_same(structured: StructuredMechanism, matrix: list[list[Rational]], sources: list[Source]) -> None:
    """Check every answer of a structured mechanism against the matrix that its definition gives."""
    expected = Mechanism(matrix, structured.universe, list(structured.outputs))
    assert structured.dense() == expected
    assert structured.shape == expected.shape
    assert structured.is_exact
    for x, y in product(*map(range, structured.shape)):
        assert structured.entry(x, y) == matrix[x][y]
    assert structured.worst_ratio == ratio_over_neighbours(expected)
    if structured.shape[0] == structured.shape[1]:
        kinds: list[Distortion] = [Hamming(), Absolute(), Squared()]
        kinds.append(Matrix([[(3 * x + 5 * y) % 7 for y in range(len(matrix))] for x in range(len(matrix))]))
        for distortion in kinds:
            assert structured.costs(distortion) == expected.costs(distortion)
            for source in sources:
                found = structured.distortion(distortion, source).value
                assert found == expected.distortion(distortion, source).value
    document = json.loads(json.dumps(structured.to_json()))
    assert len(document) < 8
    back = AnyMechanism.from_json(document)
    assert back == structured
    assert hash(back) == hash(structured)
    assert type(back) is type(structured)
    assert back != expected
    assert type(structured).__name__ in repr(structured)


@pytest.mark.parametrize("size", range(1, 5))
def test_top_randomised_response_is_its_definition(size: int) -> None:
    source = Prior([Rational(k, size * (size + 1) // 2) for k in range(1, size + 1)])
    for count in range(1, size + 1):
        for active in combinations(range(size), count):
            for ratio, delta in product(RATIOS, DELTAS):
                u = (1 - delta) * ratio / (ratio + count - 1)
                matrix = [
                    [
                        (ZERO if y not in active else (u if x == y else u / ratio))
                        if x in active
                        else ((1 - delta) / count if y in active else ZERO)
                        for y in range(size)
                    ]
                    for x in range(size)
                ]
                for x in range(size):
                    matrix[x][x] += delta
                top = TopRandomisedResponse(Alphabet(size), active, ratio, delta)
                assert_same(top, matrix, [source, Everything(size)])
                for x in range(size):
                    row = top.row(x)
                    assert row.total() == 1
                    for y in range(size):
                        common = row.common if y in row.support else ZERO
                        assert row.exceptions.get(y, common) == matrix[x][y]


def test_the_active_symbols_are_a_set() -> None:
    alphabet = Alphabet(5)
    expected = TopRandomisedResponse(alphabet, [1, 2, 3], 2)
    for active in ([3, 1, 2], range(1, 4), range(3, 0, -1), (2, 3, 1)):
        found = TopRandomisedResponse(alphabet, active, 2)
        assert found == expected
        assert hash(found) == hash(expected)
        assert found.dense() == expected.dense()


def test_top_randomised_response_on_all_symbols_is_randomised_response() -> None:
    for size, ratio in product(range(1, 6), RATIOS):
        alphabet = Alphabet(size)
        top = TopRandomisedResponse(alphabet, range(size), ratio)
        assert top.dense() == randomised_response(alphabet, ratio=ratio)


def test_top_randomised_response_attains_the_closed_form() -> None:
    # zhong2022, Theorem 9 inverted: one prior, sorted, k symbols left out.
    prior = rationals(["1/2", "1/4", "3/20", "1/10"])
    size = len(prior)
    for ratio, delta, k in product(RATIOS, DELTAS, range(1, size + 1)):
        active = size - k + 1
        tail = sum(prior[active:], ZERO)
        expected = (1 - delta) * ((size - k) + ratio * tail) / (size - k + ratio)
        top = TopRandomisedResponse(Alphabet(size), range(active), ratio, delta)
        assert top.distortion(Hamming(), Prior(prior)).value == expected


def diagonal_matrix(diagonal: tuple[Rational, ...]) -> list[list[Rational]]:
    size, total = len(diagonal), sum(diagonal, ZERO)
    rows = []
    for i in range(size):
        if total == diagonal[i]:  # certain of one symbol: all rows are
            rows.append([ONE if j == i else ZERO for j in range(size)])
        else:
            spread = (1 - diagonal[i]) / (total - diagonal[i])
            rows.append([diagonal[j] if j == i else spread * diagonal[j] for j in range(size)])
    return rows


@pytest.mark.parametrize("size", range(1, 5))
def test_diagonal_mechanism_is_its_definition(size: int) -> None:
    levels = rationals(["0", "1/3", "3/4", "1"])
    checked = 0
    for diagonal in product(levels, repeat=size):
        if sum(diagonal, ZERO) >= 1:
            mechanism = DiagonalMechanism(Alphabet(size), diagonal)
            assert_same(mechanism, diagonal_matrix(diagonal), [Everything(size)])
            checked += 1
    assert checked >= size


def test_diagonal_mechanism_on_equal_entries_is_top_randomised_response() -> None:
    # The extreme points of the diagonals at ratio E (kalantari2018, Theorem 2).
    for size, count, ratio in product(range(2, 6), range(2, 6), RATIOS[1:]):
        if count <= size:
            kept = ratio / (ratio + count - 1)
            diagonal = [kept if i < count else ZERO for i in range(size)]
            mechanism = DiagonalMechanism(Alphabet(size), diagonal)
            assert mechanism.worst_ratio == ratio
            assert mechanism.dense() == TopRandomisedResponse(Alphabet(size), range(count), ratio).dense()


@pytest.mark.parametrize(("symbols", "rows"), [(1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 2)])
@settings(deadline=None, max_examples=12)
@given(st.data())
def test_distance_mechanism_is_its_definition(symbols: int, rows: int, data: st.DataObject) -> None:
    weights = (ONE,) + (ZERO,) * rows if symbols == 1 else data.draw(laws(rows + 1))
    databases = Databases(symbols, rows)
    words = list(product(range(symbols), repeat=rows))
    matrix = []
    for x in words:
        distances = [sum(a != b for a, b in zip(x, y, strict=True)) for y in words]
        matrix.append([weights[d] / distances.count(d) for d in distances])
    mechanism = DistanceMechanism(databases, weights)
    shared = Rows(data.draw(priors(symbols)), rows)
    assert_same(mechanism, matrix, [Everything(symbols**rows), shared])
    assert set(mechanism.costs(Hamming())) == {mechanism.mean_distance}
    assert [mechanism.at_distance(d) * comb(rows, d) * (symbols - 1) ** d for d in range(rows + 1)] == list(weights)


@settings(deadline=None, max_examples=40)
@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_product_mechanism_is_the_kronecker_product(data: st.DataObject, symbols: int, rows: int) -> None:
    outputs = data.draw(st.sampled_from([symbols, 2]))
    factors = [data.draw(mechanisms(symbols, outputs)) for _ in range(rows)]
    if data.draw(st.booleans()):
        factors = [factors[0]] * rows
    matrix: list[list[Rational]] = [[ONE]]
    for factor in factors:
        matrix = [[a * b for a in left for b in right] for left in matrix for right in factor.rows]
    sources: list[Source] = [
        Everything(symbols**rows),
        Rows(data.draw(priors(symbols)), rows),
        Rows(Finite([data.draw(laws(symbols)), data.draw(laws(symbols))]), rows),
        Rows([Hull([data.draw(laws(symbols)), data.draw(laws(symbols))]) for _ in range(rows)]),
        Rows(Hull([data.draw(laws(symbols)), data.draw(laws(symbols))]), rows, iid=False),
    ]
    found = ProductMechanism(factors)
    assert_same(found, matrix, sources)
    for row, factor in enumerate(factors):
        assert found.factor(row) == factor
    if factors == [factors[0]] * rows:
        assert found == ProductMechanism(factors[0], rows)
        assert len(found.blocks) == 1


def test_product_distortion_under_an_unknown_shared_law_is_a_linear_maximum() -> None:
    # A continuum of row laws has no list of vertices over databases; the sum over rows needs none.
    coin = Mechanism([["3/4", "1/4"], ["1/2", "1/2"]])
    swap = Mechanism([["1/3", "2/3"], ["1/5", "4/5"]])
    source = Rows(Ball(["1/2", "1/2"], "1/5"), 5)
    worst = ProductMechanism([Block(coin, 2), Block(swap, 3)]).distortion(Hamming(), source)
    assert isinstance(worst, RowsMaximum)
    costs = [2 * rational("1/4") + 3 * rational("2/3"), 2 * rational("1/2") + 3 * rational("1/5")]
    assert worst.value == max(costs[0] * p + costs[1] * (1 - p) for p in (rational("2/5"), rational("3/5")))
    assert worst.laws == ((rational("3/5"), rational("2/5")),) * 5


def test_products_of_structured_factors() -> None:
    alphabet = Alphabet(["a", "b", "c"])
    top = TopRandomisedResponse(alphabet, [0, 1], 5)
    diagonal = DiagonalMechanism(alphabet, ["3/4", "1/2", "1/4"])
    mixed = ProductMechanism([top, diagonal, top])
    assert len(mixed.blocks) == 3
    expected = ProductMechanism([top.dense(), diagonal.dense(), top.dense()])
    assert mixed.dense() == expected.dense()
    assert mixed.worst_ratio == expected.worst_ratio == max(top.worst_ratio or 0, diagonal.worst_ratio or 0)
    assert AnyMechanism.from_json(json.loads(json.dumps(mixed.to_json()))) == mixed
    assert mixed.outputs[0] == ("a", "a", "a")


@pytest.mark.parametrize("size", [20_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_many_symbols(size: int) -> None:
    alphabet = Alphabet(size)
    prior = Prior([Rational(1, size)] * size)
    top = TopRandomisedResponse(alphabet, range(0, size, 2), ratio=size // 2 - 1, delta="1/3")
    assert top.entry(4, 4) == rational("2/3") / 2 + rational("1/3")
    assert top.entry(4, 6) == rational("2/3") / (size - 2)
    assert top.entry(4, 5) == 0
    assert top.entry(5, 5) == rational("1/3")
    assert top.entry(5, 4) == rational("2/3") / (size // 2)
    assert top.row(5).total() == 1
    expected = (1 - top.entry(4, 4)) / 2 + rational("2/3") / 2
    assert top.distortion(Hamming(), prior).value == expected
    diagonal = DiagonalMechanism(alphabet, [rational("1/2")] * size)
    assert diagonal.worst_ratio == 1 + (Rational(size, 2) - 1) * 2
    assert diagonal.distortion(Hamming(), prior).value == rational("1/2")
    assert sum((diagonal.entry(0, y) for y in range(100)), ZERO) == rational("1/2") + Rational(99, 2) / (size - 1)
    for mechanism in (top, diagonal):
        with pytest.raises(InvalidInput, match="more than 1000000 entries"):
            mechanism.dense()


@pytest.mark.parametrize("rows", [20_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_many_rows(rows: int) -> None:
    databases = Databases(3, rows)
    source = Rows(Prior(["1/2", "1/3", "1/6"]), rows)
    weights = [ZERO] * (rows + 1)
    weights[0], weights[1], weights[7] = rational("1/2"), rational("1/4"), rational("1/4")
    jumps = DistanceMechanism(databases, weights)
    assert jumps.mean_distance == 2
    assert jumps.distortion(Hamming(), source).value == 2
    assert jumps.worst_ratio is None
    assert jumps.at_distance(1) == rational("1/4") / (2 * rows)
    assert jumps.entry(0, 0) == rational("1/2")
    assert jumps.entry(5, 5 + 3**20) == rational("1/4") / (2 * rows)
    factor = randomised_response(databases.alphabet, ratio=8)
    many = ProductMechanism(factor, rows)
    assert many.distortion(Hamming(), source).value == Rational(rows, 5)
    assert many.worst_ratio == 8
    assert many.factor(rows - 1) == factor
    assert "2^" in repr(many)
    assert AnyMechanism.from_json(json.loads(json.dumps(many.to_json()))) == many
    for mechanism in (jumps, many):
        with pytest.raises(InvalidInput, match="more than 1000000 entries"):
            mechanism.dense()
        with pytest.raises(InvalidInput, match="too many databases"):
            mechanism.costs(Hamming())
        with pytest.raises(InvalidInput, match="does not exist"):
            mechanism.entry(0, 3**rows)


def test_a_product_of_randomised_responses_is_a_distance_mechanism() -> None:
    # A row changes with chance 1 - E/(E+m-1), evenly to each other symbol: the distance is binomial.
    for symbols, rows in ((2, 3), (3, 2)):
        ratio = rational("5/2")
        change = 1 - ratio / (ratio + symbols - 1)
        weights = [comb(rows, d) * change**d * (1 - change) ** (rows - d) for d in range(rows + 1)]
        by_distance = DistanceMechanism(Databases(symbols, rows), weights)
        by_row = ProductMechanism(randomised_response(Alphabet(symbols), ratio=ratio), rows)
        assert by_distance.dense() == by_row.dense()
        assert by_distance.worst_ratio == by_row.worst_ratio == ratio


def test_kinds_are_never_equal_to_each_other() -> None:
    universe: Universe = Alphabet(1)
    assert isinstance(universe, Alphabet)
    kinds: list[AnyMechanism] = [
        TopRandomisedResponse(universe, [0], 1),
        DiagonalMechanism(universe, [1]),
        Mechanism([[1]]),
        DistanceMechanism(Databases(1, 1), [1, 0]),
        ProductMechanism(Mechanism([[1]]), 1),
    ]
    for first, second in combinations(kinds, 2):
        assert first != second
