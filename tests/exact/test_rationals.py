"""Rationals against the fractions of Python: arithmetic, what is read and refused, floats rounded outward."""

import math
import operator
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.corpus import random_fraction

from epstar.errors import InvalidInput
from epstar.exact import (
    ONE,
    ZERO,
    dot,
    float_above,
    float_below,
    fraction,
    rational,
    rationals,
    text,
)

ARITHMETIC: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul]
COMPARISONS: list[Callable[[Any, Any], bool]] = [
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]


def test_arithmetic_agrees_with_fractions_on_a_large_corpus() -> None:
    generator = random.Random(20180418)
    operations = 0
    for _ in range(16_000):
        a, b = random_fraction(generator), random_fraction(generator)
        p, q = rational(a), rational(b)
        for arithmetic in ARITHMETIC:
            assert fraction(arithmetic(p, q)) == arithmetic(a, b), (arithmetic, a, b)
        for comparison in COMPARISONS:
            assert comparison(p, q) is comparison(a, b), (comparison, a, b)
        if b != 0:
            assert fraction(p / q) == a / b
        else:
            with pytest.raises(ZeroDivisionError):
                p / q
        exponent = generator.randint(-5, 8)
        if a != 0 or exponent >= 0:
            assert fraction(p**exponent) == a**exponent
        assert int(p.floor()) == math.floor(a)
        assert fraction(abs(-p)) == abs(a)
        assert (hash(p) == hash(q)) or a != b
        operations += 13
    assert operations >= 200_000


def test_text_and_fraction_bring_every_number_back() -> None:
    generator = random.Random(7)
    for _ in range(5_000):
        value = random_fraction(generator)
        assert fraction(rational(text(rational(value)))) == value
        assert text(rational(value)) == str(value)


def test_dot_is_the_inner_product_and_checks_lengths() -> None:
    generator = random.Random(8)
    left = [random_fraction(generator) for _ in range(50)]
    right = [random_fraction(generator) for _ in range(50)]
    expected = sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
    assert fraction(dot(rationals(left), rationals(right))) == expected
    with pytest.raises(ValueError, match="shorter"):
        dot([ONE], [])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (3, "3"),
        (-(10**400), str(-(10**400))),
        (0.1, "1/10"),
        (-0.0, "0"),
        (-0.5, "-1/2"),
        (1e-7, "1/10000000"),
        (1e22, "1" + "0" * 22),
        (123456789.125, "987654313/8"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "17976931348623157" + "0" * 292),
        ("3/10", "3/10"),
        ("-6/4", "-3/2"),
        (" 0.25 ", "1/4"),
        ("+.5", "1/2"),
        ("1e-3", "1/1000"),
        ("1E3", "1000"),
        ("1_000", "1000"),
        (Fraction(2, -6), "-1/3"),
        (Decimal("0.10"), "1/10"),
        (Decimal("1E-2"), "1/100"),
        (np.float64(0.3), "3/10"),
        (np.float32(0.1), "1/10"),
        (np.float16(0.1), "1/10"),
        (np.longdouble("0.1"), "1/10"),
        (np.int8(-4), "-4"),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        (rational("7/9"), "7/9"),
        (rational("7/9").p, "7"),
    ],
)
def test_rational_reads_what_was_written(written: object, expected: str) -> None:
    assert fraction(rational(written)) == Fraction(expected)


@pytest.mark.parametrize(
    ("hostile", "fragment"),
    [
        (math.nan, "not a finite number"),
        (math.inf, "not a finite number"),
        (-math.inf, "not a finite number"),
        (np.float64("nan"), "not a finite number"),
        (np.float32("inf"), "not a number"),
        (Decimal("NaN"), "not a number"),
        (Decimal("Infinity"), "not a number"),
        (Decimal("1E+999999"), "too long"),
        (True, "truth value"),
        (np.False_, "truth value"),
        (None, "None is not a number"),
        ([], "type list"),
        ([10**5000], "type list"),
        ({}, "type dict"),
        (object(), "type object"),
        (b"1/2", "not a number"),
        (1 + 0j, "not a number"),
        (np.complex128(1), "not a number"),
        (np.array(0.5), "type ndarray"),
        ("1/0", "not a number"),
        ("abc", "not a number"),
        ("", "not a number"),
        (" ", "not a number"),
        ("0x10", "not a number"),
        ("1e", "not a number"),
        ("e5", "not a number"),
        ("1e+-5", "not a number"),
        ("1e²", "not a number"),
        ("1/2/3", "not a number"),
        ("1/-2", "not a number"),
        ("1/3.5", "not a number"),
        ("1,5", "not a number"),
        ("nan", "not a number"),
        ("inf", "not a number"),
        ("--1", "not a number"),
        ("1 2", "not a number"),
        ("1e999999999", "too long"),
        ("1e-9999", "too long"),
        ("9" * 5000, "too long"),
        ("1/" + "7" * 5000, "too long"),
        ("x" * 10**6, "too long"),
    ],
)
def test_rational_refuses_in_one_sentence(hostile: object, fragment: str) -> None:
    with pytest.raises(InvalidInput, match=fragment) as refused:
        rational(hostile)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "hostile", ["123", b"12", {"a": 1}, {1, 2}, None, 5, np.array(0.5), [[1]], np.eye(2), [0.5, None]]
)
def test_rationals_refuses_what_is_no_list_of_numbers(hostile: Any) -> None:
    with pytest.raises(InvalidInput):
        rationals(hostile)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_the_decimal_that_prints_it(value: float) -> None:
    assert fraction(rational(value)) == Fraction(repr(value))
    assert float(fraction(rational(value))) == value


@settings(deadline=None)
@given(st.fractions())
def test_floats_are_rounded_outward_by_less_than_one_step(value: Fraction) -> None:
    below, above = float_below(rational(value)), float_above(rational(value))
    assert Fraction(below) <= value <= Fraction(above)
    assert above in (below, math.nextafter(below, math.inf))
    assert (above == below) == (Fraction(float(value)) == value)


@pytest.mark.parametrize("sign", [1, -1])
def test_rounding_outward_survives_overflow_and_underflow(sign: int) -> None:
    huge, tiny = rational(sign * 10**400), rational(Fraction(sign, 10**400))
    assert (float_below(huge), float_above(huge)) == (
        (1.7976931348623157e308, math.inf) if sign > 0 else (-math.inf, -1.7976931348623157e308)
    )
    assert (float_below(tiny), float_above(tiny)) == ((0.0, 5e-324) if sign > 0 else (-5e-324, 0.0))


def test_constants_are_what_they_say() -> None:
    assert (text(ZERO), text(ONE)) == ("0", "1")
