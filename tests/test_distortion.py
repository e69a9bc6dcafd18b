"""Distortions: named kinds from labels and rows, tables, gains, and what is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix, Squared
from epstar.errors import InvalidInput
from epstar.exact import Rational, fraction, rationals
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

NAMED: list[Distortion] = [Hamming(), Absolute(), Squared()]


def cost(kind: Distortion, x: Fraction, y: Fraction) -> Fraction:
    if isinstance(kind, Hamming):
        return Fraction(int(x != y))
    return abs(x - y) if isinstance(kind, Absolute) else (x - y) ** 2


numeric_labels = st.lists(st.integers(-20, 20), min_size=1, max_size=4, unique=True)


@given(st.sampled_from(NAMED), numeric_labels, st.integers(1, 3))
@settings(deadline=None)
def test_named_distortions_on_databases_are_sums_over_rows(kind: Distortion, labels: list[int], rows: int) -> None:
    universe = Databases(labels, rows)
    exact = kind.matrix(universe)
    for i, x in enumerate(universe.labels):
        for j, y in enumerate(universe.labels):
            assert isinstance(x, tuple)
            assert isinstance(y, tuple)
            expected = sum((cost(kind, Fraction(a), Fraction(b)) for a, b in zip(x, y, strict=True)), Fraction(0))
            assert fraction(exact[i][j]) == expected
    floats = kind.floats(universe)
    assert floats.tolist() == [[float(fraction(entry)) for entry in row] for row in exact]
    assert kind.shape(universe) == floats.shape == (universe.size, universe.size)


@given(st.sampled_from(NAMED), numeric_labels)
@settings(deadline=None)
def test_named_distortions_on_letters(kind: Distortion, labels: list[int]) -> None:
    universe = Alphabet(labels)
    exact = [[fraction(entry) for entry in row] for row in kind.matrix(universe)]
    assert exact == [[cost(kind, Fraction(x), Fraction(y)) for y in labels] for x in labels]
    assert kind.floats(universe).tolist() == [[float(entry) for entry in row] for row in exact]
    assert list(kind.outputs(universe)) == labels


def test_numeric_labels_of_any_kind_are_values() -> None:
    universe = Alphabet([0.1, Fraction(1, 2), Decimal("0.9"), 2, np.int64(5)])
    assert Absolute().matrix(universe)[0] == rationals([0, "2/5", "4/5", "19/10", "49/10"])
    assert Squared().matrix(universe)[0][1] == Rational(4, 25)


@pytest.mark.parametrize("universe", [Alphabet(["low", "mid", "high"]), Alphabet([1, "2", 9]), Graph.line(3)])
def test_other_labels_count_by_index(universe: Universe) -> None:
    assert Absolute().matrix(universe) == (rationals([0, 1, 2]), rationals([1, 0, 1]), rationals([2, 1, 0]))
    assert Squared().floats(universe).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]


def test_truth_values_are_not_numbers() -> None:
    assert Absolute().matrix(Alphabet([False, "x", True])) == Absolute().matrix(Alphabet(3))


def test_hamming_is_zero_or_one_off_databases() -> None:
    for universe in (Graph.line(3), Metric([[0, 1, 9], [1, 0, 9], [9, 9, 0]])):
        assert Hamming().matrix(universe) == (
            rationals([0, 1, 1]),
            rationals([1, 0, 1]),
            rationals([1, 1, 0]),
        )


def test_a_table_may_have_other_outputs_than_inputs() -> None:
    matrix = Matrix([[0, 0.1], ["1/3", 0], [2, 1]], outputs=["yes", "no"])
    universe = Alphabet(["a", "b", "c"])
    assert matrix.matrix(universe)[1] == rationals(["1/3", 0])
    assert matrix.outputs(universe) == ("yes", "no")
    assert matrix.shape(universe) == (3, 2)
    assert matrix.floats(universe).tolist() == [[0, 0.1], [1 / 3, 0], [2, 1]]
    assert list(Matrix([[0, 1]] * 3).outputs(universe)) == [0, 1]
    assert list(Matrix(np.ones((3, 3))).outputs(universe)) == ["a", "b", "c"]
    assert Matrix([[0, 1]]) == Matrix([[0.0, 1.0]])
    turned: Distortion = Gain([[0, 1]])
    assert turned != Matrix([[0, 1]])


def test_a_gain_is_turned_round() -> None:
    gain = Gain([[1, -0.5], [0, 1]], guesses=["g", "h"])
    universe = Alphabet(2)
    assert gain.matrix(universe) == (rationals([-1, "1/2"]), rationals([0, -1]))
    assert gain.floats(universe).tolist() == [[-1, 0.5], [0, -1]]
    assert gain.guesses == gain.outputs(universe) == ("g", "h")


def test_floats_go_where_fractions_are_refused() -> None:
    universe = Databases(2, 12)
    with pytest.raises(InvalidInput, match="above the limit"):
        Hamming().matrix(universe)
    floats = Hamming().floats(universe)
    assert floats.shape == (4096, 4096)
    assert floats[0].sum() == 12 * 2048
    with pytest.raises(InvalidInput, match="above the limit"):
        Hamming().floats(Databases(2, 10_000))


matrix: Any = Matrix
gain: Any = Gain

HOSTILE: list[tuple[Callable[[], object], str]] = [
    (lambda: matrix([]), "empty"),
    (lambda: matrix([[]]), "empty"),
    (lambda: matrix([[0, 1], [1]]), "ragged"),
    (lambda: matrix([0, 1]), "ordered list"),
    (lambda: matrix([[0, -1], [1, 0]]), "use a Gain"),
    (lambda: matrix([[0, math.nan]]), "not a finite number"),
    (lambda: matrix([[0, math.inf]]), "not a finite number"),
    (lambda: matrix([[0, "far"]]), "not a number"),
    (lambda: matrix([[0, None]]), "not a number"),
    (lambda: matrix([[[0]]]), "itself a list"),
    (lambda: matrix("01"), "ordered list"),
    (lambda: matrix([[0, 1]], outputs=["a"]), "2 columns, but 1 outputs"),
    (lambda: matrix([[0, 1]], outputs=["a", "a"]), "twice"),
    (lambda: matrix([[0, 1]], outputs="ab"), "ordered list"),
    (lambda: matrix([[0, 1]]).matrix(Alphabet(3)), "1 rows, but the universe has 3"),
    (lambda: matrix([[0, 1]]).floats(Alphabet(3)), "1 rows, but the universe has 3"),
    (lambda: matrix([[0, 1]]).outputs(Alphabet(3)), "1 rows, but the universe has 3"),
    (lambda: gain([[0, math.inf]]), "not a finite number"),
    (lambda: gain([]), "empty"),
    (lambda: gain([[1, 0]], guesses=["a", "b", "c"]), "2 columns, but 3 guesses"),
    (lambda: gain([[1, 0]]).matrix(Alphabet(2)), "1 rows, but the universe has 2"),
    (lambda: Absolute().matrix(Alphabet(3000)), "above the limit"),
]


@pytest.mark.parametrize(("action", "fragment"), HOSTILE)
def test_hostile_distortions_are_refused(action: Callable[[], object], fragment: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(fragment)) as caught:
        action()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
