"""From floats to tickets: integer laws close to the given ones."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import (
    rational,
    rationalise,
)

ROWS = st.lists(
    st.one_of(st.just(0.0), st.floats(0, 1, allow_subnormal=True), st.floats(0, 1e-12)),
    min_size=1,
    max_size=12,
).filter(lambda row: sum(row) > 0)


@settings(deadline=None, max_examples=300)
@given(ROWS, st.integers(4, 80))
def test_rationalised_rows_are_integer_laws_close_to_the_given_ones(row: list[float], bits: int) -> None:
    (tickets,) = rationalise([row], bits)
    total = sum((Fraction(entry) for entry in row), Fraction(0))
    assert sum(tickets) == 1 << bits
    for entry, count in zip(row, tickets, strict=True):
        assert (count > 0) == (entry > 0)
        moved = abs(Fraction(count, 1 << bits) - Fraction(entry) / total)
        assert moved < Fraction(len(row) + 1, 1 << bits)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any), st.integers(6, 40))
def test_rationalising_a_dyadic_law_changes_nothing(weights: list[int], bits: int) -> None:
    rest = (1 << 9) - sum(weights)
    tickets = [*weights, rest]
    law = [rational(Fraction(ticket, 1 << 9)) for ticket in tickets]
    if bits >= 9:
        assert rationalise([law], bits) == [[ticket << (bits - 9) for ticket in tickets]]


def test_rationalise_takes_arrays_and_many_tiny_entries() -> None:
    assert rationalise(np.array([[0.5, 0.5], [0.25, 0.75]]), 2) == [[2, 2], [1, 3]]
    row = [1.0] + [1e-30] * 20_000
    (tickets,) = rationalise([row], 20)
    assert tickets == [(1 << 20) - 20_000] + [1] * 20_000


@pytest.mark.parametrize(
    ("row", "bits", "fragment"),
    [
        ([math.nan, 1], 8, "finite"),
        ([math.inf, 1], 8, "finite"),
        ([-0.5, 1.5], 8, "non-negative"),
        ([0, 0], 8, "positive sum"),
        ([], 8, "positive sum"),
        ([True, 0], 8, "truth value"),
        (["half", "half"], 8, "not a number"),
        ([[0.5], [0.5]], 8, "not a number"),
        ([1.0] * 5, 2, "raise the number of bits"),
        ([1.0], 0, "number of bits"),
        ([1.0], -3, "number of bits"),
        ([1.0], 2.0, "number of bits"),
        ([1.0], True, "number of bits"),
        ([1.0], 10**9, "number of bits"),
    ],
)
def test_rationalise_refuses_in_one_sentence(row: list[object], bits: Any, fragment: str) -> None:
    with pytest.raises(InvalidInput, match=fragment):
        rationalise([row], bits)
