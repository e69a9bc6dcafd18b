"""Exact numbers against independent implementations: `fractions` for rationals, mpmath for exp and log."""

import math
import operator
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import EpstarError, InvalidInput, Undecided
from epstar.exact import (
    INFINITY,
    ONE,
    ZERO,
    Rational,
    Real,
    compare,
    dot,
    float_above,
    float_below,
    fraction,
    largest,
    rational,
    rationalise,
    rationals,
    text,
)

DIGITS = mpmath.mp.clone()
DIGITS.dps = 60


def random_fraction(generator: random.Random) -> Fraction:
    """A fraction that is often zero, an integer, negative, huge or tiny."""
    kind = generator.randrange(6)
    if kind == 0:
        return Fraction(generator.randint(-3, 3), generator.randint(1, 4))
    if kind == 1:
        return Fraction(generator.randint(-(10**6), 10**6), generator.randint(1, 10**6))
    if kind == 2:
        return Fraction(generator.getrandbits(200) - (1 << 199), 1 + generator.getrandbits(190))
    if kind == 3:
        return Fraction(generator.choice((-1, 1)), 10 ** generator.randint(0, 300))
    if kind == 4:
        return Fraction(generator.choice((-1, 1)) * 10 ** generator.randint(0, 300))
    return Fraction(generator.randint(-20, 20))


def exact(value: Fraction) -> Rational:
    return rational(value)


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
        p, q = exact(a), exact(b)
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
        assert fraction(rational(text(exact(value)))) == value
        assert text(exact(value)) == str(value)


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
    below, above = float_below(exact(value)), float_above(exact(value))
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


def high_precision(value: Fraction) -> Any:
    return DIGITS.mpf(value.numerator) / DIGITS.mpf(value.denominator)


def assert_encloses(real: Real, truth: Any) -> None:
    """Check floats and rational bounds on both sides of a 60-digit value, and that they are tight."""
    slack = abs(truth) * DIGITS.mpf(10) ** -57
    assert real.lower <= truth + slack
    assert truth - slack <= real.upper
    steps = math.nextafter(math.nextafter(real.lower, math.inf), math.inf)
    assert real.upper <= steps
    assert real.lower <= float(real) <= real.upper
    for bits in (64, 128, 200):
        below, above = fraction(real.below(bits)), fraction(real.above(bits))
        assert high_precision(below) <= truth + slack
        assert truth - slack <= high_precision(above)
        assert above - below <= abs(above) * Fraction(1, 1 << (bits - 30))
        for end in (below, above):
            assert end.denominator & (end.denominator - 1) == 0


def exponents(generator: random.Random, count: int) -> list[Fraction]:
    found: list[Fraction] = []
    while len(found) < count:
        value = Fraction(generator.randint(-(10**6), 10**6), generator.randint(1, 10**6))
        scale = generator.choice((1, 1, 600, Fraction(1, 10**9), Fraction(1, 10**25)))
        value = value * scale
        if value != 0 and abs(value) < 700:
            found.append(value)
    return found


def test_exp_agrees_with_mpmath() -> None:
    for exponent in exponents(random.Random(1), 2_000):
        assert_encloses(Real.exp(exact(exponent)), DIGITS.exp(high_precision(exponent)))


def test_log_agrees_with_mpmath() -> None:
    generator = random.Random(2)
    for _ in range(2_000):
        argument = abs(random_fraction(generator))
        if argument not in (0, 1):
            assert_encloses(Real.log(exact(argument)), DIGITS.log(high_precision(argument)))


def test_log_near_one_keeps_its_digits() -> None:
    generator = random.Random(3)
    for _ in range(1_000):
        offset = Fraction(generator.choice((-1, 1)) * generator.randint(1, 99), 10 ** generator.randint(3, 200))
        truth = DIGITS.log1p(high_precision(offset))
        assert_encloses(Real.log(exact(1 + offset)), truth)


def test_order_agrees_with_mpmath() -> None:
    generator = random.Random(4)
    for _ in range(2_000):
        x, y = exponents(generator, 2)
        left, right = Real.exp(exact(x)), Real.log(exact(abs(y)))
        truth = DIGITS.exp(high_precision(x)) - DIGITS.log(high_precision(abs(y)))
        assert compare(left, right) == int(DIGITS.sign(truth)) == -compare(right, left)
        assert compare(Real.exp(exact(x)), Real.exp(exact(y))) == (x > y) - (x < y)


def test_arithmetic_of_reals_encloses_the_result() -> None:
    generator = random.Random(5)
    functions: list[Callable[[Any, Any], Any]] = [*ARITHMETIC, operator.truediv]
    for _ in range(500):
        x, y = exponents(generator, 2)
        left, right = Real.exp(exact(x)), Real.log(exact(abs(y) + 2))
        values = DIGITS.exp(high_precision(x)), DIGITS.log(high_precision(abs(y) + 2))
        for function in functions:
            result, truth = function(left, right), function(*values)
            slack = (abs(values[0]) + abs(values[1]) + abs(truth)) * DIGITS.mpf(10) ** -55
            assert high_precision(fraction(result.below())) <= truth + slack
            assert high_precision(fraction(result.above())) >= truth - slack
            exact_result = function(Real.of(exact(x)), Real.of(exact(y)))
            assert fraction(exact_result.rational) == function(x, y)


@pytest.mark.parametrize("digits", [5, 20, 100, 1000, 3000])
def test_a_near_tie_is_decided_by_refinement(digits: int) -> None:
    with mpmath.mp.workdps(digits + 20):
        scaled = int(mpmath.floor(mpmath.log(2) * mpmath.mpf(10) ** digits))
    truncated = Real.of(Fraction(scaled, 10**digits))
    raised = Real.of(Fraction(scaled + 1, 10**digits))
    logarithm = Real.log(rational(2))
    assert truncated < logarithm < raised
    assert compare(logarithm, truncated) == 1
    assert compare(logarithm, raised) == -1
    assert Real.exp(truncated) < rational(2)
    assert Real.exp(raised) > rational(2)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Real.exp(2), Real.exp(1) * Real.exp(1)),
        (Real.log(rational(6)), Real.log(rational(2)) + Real.log(rational(3))),
        (Real.exp(1) - Real.exp(1), Real.of(0)),
        (Real.exp("1/2"), Real.exp("1/2")),
    ],
)
def test_equal_numbers_built_in_two_ways_stay_undecided(left: Real, right: Real) -> None:
    with pytest.raises(Undecided, match="stays open"):
        compare(left, right)
    with pytest.raises(Undecided):
        assert left <= right


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        (Real.of("1/3"), Real.of(Fraction(2, 6)), 0),
        (Real.of(-1), Real.of(1), -1),
        (Real.log(rational("14/3")), Real.log(rational("28/6")), 0),
        (Real.log(rational(1)), Real.of(0), 0),
        (Real.exp(Real.log(rational("7/3"))), Real.of("7/3"), 0),
        (Real.exp(0), Real.of(1), 0),
        (INFINITY, Real.exp("1e40"), 1),
        (INFINITY, Real.of(math.inf), 0),
        (Real.exp("1e40"), Real.exp("1e39"), 1),
        (Real.exp("-1e40"), Real.of(0), 1),
        (Real.exp("-1e40"), Real.exp("-1e39"), -1),
    ],
)
def test_compare_is_exact_where_the_kind_allows(left: Real, right: Real, order: int) -> None:
    assert compare(left, right) == order
    assert compare(right, left) == -order
    assert (left < right, left <= right, left > right, left >= right) == (
        order < 0,
        order <= 0,
        order > 0,
        order >= 0,
    )


def test_a_number_equals_itself_without_refinement() -> None:
    number = Real.exp(1) * Real.log(rational(2))
    assert compare(number, number) == 0


@pytest.mark.parametrize("exponent", ["1e12", "1e40"])
def test_numbers_beyond_every_format_have_float_bounds_and_no_rational_ones(exponent: str) -> None:
    for real, lower, upper in (
        (Real.exp(exponent), 1.7976931348623157e308, math.inf),
        (Real.exp("-" + exponent), 0.0, 5e-324),
    ):
        assert lower == real.lower
        assert upper == real.upper
        with pytest.raises(Undecided):
            real.below()


def test_an_exponent_that_no_ball_can_hold_still_has_true_bounds() -> None:
    huge = Real.exp("1e5000")
    assert huge.lower <= 1.7976931348623157e308
    assert huge.upper == math.inf
    assert Real.exp("-1e5000").lower <= 0 < Real.exp("-1e5000").upper
    with pytest.raises(Undecided):
        huge.below()


def test_a_quotient_by_an_uncertain_zero_bounds_nothing() -> None:
    nothing = Real.of(1) / (Real.exp(1) - Real.exp(1))
    assert (nothing.lower, nothing.upper) == (-math.inf, math.inf)
    with pytest.raises(Undecided):
        nothing.above()


@pytest.mark.parametrize(
    ("make", "error", "fragment"),
    [
        (lambda: Real.log(rational(0)), InvalidInput, "must be positive"),
        (lambda: Real.log(rational(-2)), InvalidInput, "must be positive"),
        (lambda: Real.of(math.nan), InvalidInput, "finite"),
        (lambda: Real.of(-math.inf), InvalidInput, "finite"),
        (lambda: Real.of(None), InvalidInput, "not a number"),
        (lambda: Real.exp("abc"), InvalidInput, "not a number"),
        (lambda: Real.of(1) / Real.of(0), InvalidInput, "divided by zero"),
        (lambda: INFINITY - Real.of(1), Undecided, "infinity"),
        (INFINITY.below, Undecided, "infinity"),
        (lambda: largest([]), InvalidInput, "at least one"),
    ],
)
def test_reals_refuse_in_one_sentence(make: Callable[[], object], error: type[EpstarError], fragment: str) -> None:
    with pytest.raises(error, match=fragment):
        make()


def test_reals_are_written_as_what_they_are() -> None:
    assert str(Real.of("6/20")) == "3/10"
    assert str(Real.log(rational("14/3"))) == "log(14/3)"
    assert str(INFINITY) == "infinity"
    assert str(Real.exp(1)).startswith("2.718281828459045")
    assert repr(Real.of(2)) == "Real(2)"
    assert math.isinf(float(INFINITY))
    assert (INFINITY.lower, INFINITY.upper) == (math.inf, math.inf)


def test_largest_keeps_exactness_and_encloses_undecided_ties() -> None:
    logarithms = [Real.log(rational(n)) for n in (2, 5, 3)]
    assert largest(logarithms).argument_of_log == 5
    assert largest([*logarithms, INFINITY]).is_infinite
    assert largest([Real.of(2), Real.exp("1/2")]).rational == 2
    tie = largest([Real.exp(2), Real.exp(1) * Real.exp(1)])
    assert tie.lower <= math.exp(2) <= tie.upper
    assert tie < Real.of(rational("7.4"))


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


def test_constants_are_what_they_say() -> None:
    assert (text(ZERO), text(ONE)) == ("0", "1")
