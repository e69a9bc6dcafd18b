"""Vectors, tables and laws are read exactly, and whatever is wrong with them is said in a sentence."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import Rational, fraction
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.probability_vectors import law, listed, table, vector


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@settings(deadline=None)
def test_floats_are_read_as_the_decimals_that_print_them(values: list[float]) -> None:
    assert [fraction(entry) for entry in vector(values, "Values")] == [Fraction(repr(v)) for v in values]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30).filter(any))
@settings(deadline=None)
def test_float_laws_are_normalised_exactly_and_by_at_most_the_tolerance(weights: list[int]) -> None:
    floats = np.array(weights, dtype=float) / sum(weights)
    exact = law(floats, "A prior")
    assert sum_of(exact) == 1
    assert np.abs(nearest_floats(exact) - floats).max() < 1e-9
    assert [entry == 0 for entry in exact] == [weight == 0 for weight in weights]


def test_exact_numbers_are_taken_as_they_are() -> None:
    mixed = law(["1/2", Fraction(1, 4), Decimal("0.125"), Rational(1, 8)], "A prior")
    assert mixed == (Rational(1, 2), Rational(1, 4), Rational(1, 8), Rational(1, 8))


def test_one_float_among_exact_numbers_makes_the_law_a_rounded_one() -> None:
    assert sum_of(law(["1/3", 0.3333333333, "1/3"], "A prior")) == 1
    with pytest.raises(InvalidInput, match="sums to"):
        law(["1/3", "0.3333333333", "1/3"], "A prior")


def test_the_normalisation_tolerance_is_one_billionth() -> None:
    assert sum_of(law([0.5, 0.5000000009], "A prior")) == 1
    with pytest.raises(InvalidInput, match=r"1\.0000000011"):
        law([0.5, 0.5000000011], "A prior")


def test_a_tenth_and_nine_tenths_stay_what_they_are() -> None:
    assert law([0.1, 0.9], "A prior") == (Rational(1, 10), Rational(9, 10))


def test_a_large_law_is_read() -> None:
    weights = np.random.default_rng(3).random(200_000)
    assert sum(law(weights / weights.sum(), "A prior"), Rational(0)) == 1


HOSTILE_LAWS = [
    ([], "empty"),
    (np.array([]), "empty"),
    ("0.5", "ordered list"),
    (b"12", "ordered list"),
    ({0.5: 1}, "ordered list"),
    ({0.5, 0.25}, "ordered list"),
    (1.0, "ordered list"),
    (None, "ordered list"),
    (np.array(1.0), "single value"),
    ([0.5, math.nan], "not a finite number"),
    ([0.5, math.inf], "not a finite number"),
    ([0.5, -math.inf], "not a finite number"),
    ([1.5, -0.5], "negative entry at place 2"),
    ([2, -1], "negative entry at place 2"),
    (["3/2", "-1/2"], "negative entry at place 2"),
    ([0.5, 0.4], "sums to 0.9,"),
    ([1, 1], "sums to 2, not to 1"),
    (["1/3", "1/3"], "sums to 2/3, not to 1"),
    ([0, 0], "sums to 0, not to 1"),
    ([0.0, 0.0], "sums to 0.0"),
    ([[0.5, 0.5]], "entry 1 is itself a list"),
    ([(0.5,), 0.5], "entry 1 is itself a list"),
    (np.full((2, 2), 0.25), "entry 1 is itself a list"),
    ([0.5, "half"], "Entry 2 of a prior is wrong"),
    ([0.5, None], "Entry 2 of a prior is wrong"),
    ([True, False], "truth value"),
    ([1 + 0j], "not a number"),
    (["1/0"], "not a number"),
    (["nan"], "not a number"),
    ([""], "not a number"),
    (["1e999999999"], "too long"),
    ([1e308, 1e308], "more than 1e308"),
]


@pytest.mark.parametrize(("values", "fragment"), HOSTILE_LAWS)
def test_hostile_laws_are_refused(values: object, fragment: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(fragment)) as caught:
        law(values, "A prior")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_ragged_tables_are_refused() -> None:
    with pytest.raises(InvalidInput, match="ragged: row 1 has 2 entries and row 2 has 1"):
        table([[1, 2], [3]], "A table")
    with pytest.raises(InvalidInput, match="Row 2 of a table is empty"):
        table([[1, 2], []], "A table")


def test_generators_are_listed_once() -> None:
    assert listed((k for k in range(3)), "Values") == [0, 1, 2]


@pytest.mark.parametrize("value", [True, 1.0, "3", None, np.True_])
def test_whole_numbers_are_ints(value: object) -> None:
    with pytest.raises(InvalidInput, match="whole number"):
        whole_number(value, "A size", 0)


def test_whole_numbers_have_a_least_value() -> None:
    assert whole_number(np.int32(4), "A size", 1) == 4
    with pytest.raises(InvalidInput, match="at least 1, not 0"):
        whole_number(0, "A size", 1)


def test_numbers_beyond_floats_are_refused_as_floats() -> None:
    with pytest.raises(InvalidInput, match="too large for floating point"):
        nearest_floats(vector(["1e400"], "Values"))


def test_rounding_never_reverses_an_order() -> None:
    close = [Rational(1, 3), Rational(1, 3) + Rational(1, 10**40)]
    rounded = nearest_floats(close)
    assert rounded[0] <= rounded[1]


def test_messages_show_the_numbers_of_a_document_as_they_are_written() -> None:
    assert shown(Decimal("2.5")) == "2.5"
    assert shown(["x", Decimal("0.10")]) == "['x', 0.10]"
