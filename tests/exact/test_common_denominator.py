"""Fractions over one denominator: every sum, product and rounding is that of the fractions one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Rational
from epstar.exact.common_denominator import Scaled, bits, column_products, narrowed, row_products, widened

SIZES = st.sampled_from([1, 3, 20, 40, 61, 62])


def integers(data: st.DataObject, rows: int, columns: int, size: int) -> np.ndarray:
    """A table of integers of up to `size` bits, in int64 where they fit."""
    entries = st.integers(-(1 << size) + 1, (1 << size) - 1)
    table = [[data.draw(entries) for _ in range(columns)] for _ in range(rows)]
    return narrowed(np.array(table, dtype=object))


@settings(deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 5), SIZES | st.just(90), SIZES | st.just(90))
def test_products_are_exact(data: st.DataObject, rows: int, columns: int, left: int, right: int) -> None:
    first, second = integers(data, rows, columns, left), integers(data, rows, columns, right)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    expected = [sum(a * b for a, b in zip(*pair, strict=True)) for pair in pairs]
    assert row_products(first, second) == expected
    weights = [row[0] * 3**50 for row in second.tolist()]
    by_column = zip(*first.tolist(), strict=True)
    assert column_products(weights, first) == [sum(w * a for w, a in zip(weights, c, strict=True)) for c in by_column]


@given(st.lists(st.fractions(max_denominator=1000), min_size=1, max_size=8))
def test_a_list_comes_back_as_it_was(values: list[Fraction]) -> None:
    exact = [Rational(value.numerator, value.denominator) for value in values]
    scaled = Scaled.of(exact)
    assert scaled is not None
    assert list(scaled.fractions()) == exact
    assert scaled.floats().tolist() == [int(value.p) / int(value.q) for value in exact]


def test_unlike_denominators_have_no_common_one_of_moderate_size() -> None:
    primes = [Rational(1, (1 << 61) - 1), Rational(1, (1 << 31) - 1), Rational(1, (1 << 89) - 1)]
    assert Scaled.of(primes, most_bits=100) is None
    whole = Scaled.of(primes, most_bits=200)
    assert whole is not None
    assert whole.fractions() == tuple(primes)


@given(st.lists(st.integers(0, 1 << 62), min_size=1, max_size=6), st.sampled_from([1 << 62, 1 << 10, 3, (1 << 53) + 1]))
def test_floats_are_the_nearest(numerators: list[int], denominator: int) -> None:
    scaled = Scaled(narrowed(numerators), denominator)
    assert scaled.floats().tolist() == [numerator / denominator for numerator in numerators]


def test_words_are_used_where_they_suffice() -> None:
    assert narrowed([1 << 61]).dtype == np.int64
    assert narrowed([1 << 62]).dtype == object
    assert widened(np.array([1, 2])).dtype == object
    assert bits(np.array([-8, 3])) == 4
    assert bits(np.array([], dtype=np.int64)) == 0
