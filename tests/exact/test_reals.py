"""Exponentials and logarithms against mpmath: enclosures, order, and ties that are not guessed."""

import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from tests.exact.corpus import random_fraction

from epstar.errors import EpstarError, InvalidInput, Undecided
from epstar.exact import (
    INFINITY,
    Real,
    compare,
    fraction,
    largest,
    rational,
    smallest,
)

DIGITS = mpmath.mp.clone()
DIGITS.dps = 60


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
        assert_encloses(Real.exp(rational(exponent)), DIGITS.exp(high_precision(exponent)))


def test_log_agrees_with_mpmath() -> None:
    generator = random.Random(2)
    for _ in range(2_000):
        argument = abs(random_fraction(generator))
        if argument not in (0, 1):
            assert_encloses(Real.log(rational(argument)), DIGITS.log(high_precision(argument)))


def test_log_near_one_keeps_its_digits() -> None:
    generator = random.Random(3)
    for _ in range(1_000):
        offset = Fraction(generator.choice((-1, 1)) * generator.randint(1, 99), 10 ** generator.randint(3, 200))
        truth = DIGITS.log1p(high_precision(offset))
        assert_encloses(Real.log(rational(1 + offset)), truth)


def test_order_agrees_with_mpmath() -> None:
    generator = random.Random(4)
    for _ in range(2_000):
        x, y = exponents(generator, 2)
        left, right = Real.exp(rational(x)), Real.log(rational(abs(y)))
        truth = DIGITS.exp(high_precision(x)) - DIGITS.log(high_precision(abs(y)))
        assert compare(left, right) == int(DIGITS.sign(truth)) == -compare(right, left)
        assert compare(Real.exp(rational(x)), Real.exp(rational(y))) == (x > y) - (x < y)


def test_arithmetic_of_reals_encloses_the_result() -> None:
    generator = random.Random(5)
    functions: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul, operator.truediv]
    for _ in range(500):
        x, y = exponents(generator, 2)
        left, right = Real.exp(rational(x)), Real.log(rational(abs(y) + 2))
        values = DIGITS.exp(high_precision(x)), DIGITS.log(high_precision(abs(y) + 2))
        for function in functions:
            result, truth = function(left, right), function(*values)
            slack = (abs(values[0]) + abs(values[1]) + abs(truth)) * DIGITS.mpf(10) ** -55
            assert high_precision(fraction(result.below())) <= truth + slack
            assert high_precision(fraction(result.above())) >= truth - slack
            exact_result = function(Real.of(rational(x)), Real.of(rational(y)))
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
        (lambda: smallest([]), InvalidInput, "at least one"),
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


def test_extremes_keep_exactness_and_enclose_undecided_ties() -> None:
    logarithms = [Real.log(rational(n)) for n in (2, 5, 3)]
    assert largest(logarithms).argument_of_log == 5
    assert largest([*logarithms, INFINITY]).is_infinite
    assert largest([Real.of(2), Real.exp("1/2")]).rational == 2
    assert smallest(logarithms).argument_of_log == 2
    assert smallest([INFINITY, *logarithms, Real.of(0)]).rational == 0
    for extreme in (largest, smallest):
        tie = extreme([Real.exp(2), Real.exp(1) * Real.exp(1)])
        assert tie.lower <= math.exp(2) <= tie.upper
        assert tie < Real.of(rational("7.4"))


@pytest.mark.parametrize("combine", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_no_expression_is_too_deep(combine: Callable[[Real, Real], Real]) -> None:
    root = Real.exp(Real.of("1/1000"))
    result = root
    for _ in range(20_000):
        result = combine(result, root)
    wanted = {operator.add: 20_001, operator.sub: -19_999, operator.mul: 20_001, operator.truediv: -19_999}[combine]
    if combine in (operator.mul, operator.truediv):
        assert_close(result, DIGITS.exp(DIGITS.mpf(wanted) / 1000))
    else:
        assert_close(result, wanted * DIGITS.exp(DIGITS.mpf(1) / 1000))


def assert_close(real: Real, truth: Any) -> None:
    assert DIGITS.mpf(real.lower) <= truth <= DIGITS.mpf(real.upper)
    assert real.upper - real.lower <= abs(real.upper) * 1e-15


def test_a_number_that_occurs_often_is_enclosed_once() -> None:
    result = Real.exp(Real.of("1/3"))
    for _ in range(300):  # 2^300 occurrences of the first
        result = result + result
    assert_close(result, DIGITS.mpf(2) ** 300 * DIGITS.exp(DIGITS.mpf(1) / 3))


@pytest.mark.parametrize("choose", [largest, smallest])
def test_ties_by_the_thousand(choose: Callable[[list[Real]], Real]) -> None:
    third = Real.exp(Real.of("1/3"))
    ties = [third * rational(2) + k - k for k in range(3000)]
    assert_close(choose([*ties, choose([third, third * rational(5)])]), choose_truth(choose))


def choose_truth(choose: Callable[[list[Real]], Real]) -> Any:
    return DIGITS.exp(DIGITS.mpf(1) / 3) * (5 if choose is largest else 1)
