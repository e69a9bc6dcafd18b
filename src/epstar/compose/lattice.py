"""One release many times: powers of a privacy-loss distribution whose ratios are powers of one number.

The ratios of k uses are then powers of that number, too, at most k times as many, and their masses are the
coefficients of the k-th power of a polynomial. Randomised response is of this kind, and so is what dominates every
mechanism of one level; other ratios are rounded up to such powers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from epstar.arguments import whole_number
from epstar.compose.loss_distribution import LossDistribution
from epstar.convert.guarantee import digits_of
from epstar.exact import ONE, ZERO, Ball, IntegerPolynomial, Rational, Real, working_precision

# Masses are whole multiples of 2 to the power -_DIGITS; what is rounded off is put at infinity.
_DIGITS = 192
# Powers of the base that are looked for.
_FARTHEST = 64
# Numbers of up to so many bits are composed without rounding.
_SHORT = 2000
# A distribution that is not on a lattice is composed one by one up to so many uses, and rounded to a lattice beyond.
_ONE_BY_ONE = 64
# The largest loss in steps of the lattice to which others are rounded up: at most so many, and fewer beyond 1024 uses,
# so that the ratios that matter, whose number grows like the root of the uses, stay within some hundred thousand.
_STEPS = 512
# Ratios are rounded up to so many significant bits.
_RATIO_BITS = 192


@dataclass(frozen=True)
class _Lattice:
    """A base above one, and the exponent of the power of it that takes the place of each ratio."""

    base: Rational
    exponents: dict[Rational, int]


@dataclass(frozen=True)
class _Masses:
    """Masses at consecutive powers of a base, from the power `first` on, in units of 2^-_DIGITS."""

    first: int
    units: IntegerPolynomial

    def times(self, other: _Masses) -> _Masses:
        product = (self.units * other.units).coeffs()
        shifted = [unit >> _DIGITS for unit in product]
        start = next((i for i, unit in enumerate(shifted) if unit != 0), 0)
        return _Masses(self.first + other.first + start, IntegerPolynomial(shifted[start:]))


def repeated(distribution: LossDistribution, times: int) -> LossDistribution:
    """Return a distribution of short numbers that loses at least as much as a release used so many times.

    It is the power itself where that has few ratios of few digits, and hardly more where the ratios are powers of one
    number. Beyond 64 uses others are rounded up to powers of a root, up to the 512th, of the largest.

    >>> from epstar.convert.privacy_curve import pure_curve
    >>> half = LossDistribution.dominating(pure_curve(Real.of("1/2")))
    >>> round(float(repeated(half, 10000).level("1/1000000")), 6)
    1453.104648
    """
    uses = whole_number(times, "The number of uses", 1)
    digits = max((digits_of(ratio) + digits_of(mass) for ratio, mass in distribution.masses.items()), default=0)
    lattice = _exact_lattice(distribution)
    if lattice is not None and digits * uses > _SHORT:
        return _power(distribution, lattice, uses)
    if lattice is None and uses > _ONE_BY_ONE:
        return _power(
            distribution, _near_lattice(distribution, min(_STEPS, math.isqrt(_STEPS**2 * 1024 // uses) + 1)), uses
        )
    result = distribution
    for _ in range(uses - 1):
        result = result.compose(distribution).shortened()
    return result


def _power(distribution: LossDistribution, lattice: _Lattice, times: int) -> LossDistribution:
    """Ratios are rounded up and masses down, to 192 bits; what the masses lose is put at infinity."""
    first, last = min(lattice.exponents.values()), max(lattice.exponents.values())
    shares = [ZERO] * (last - first + 1)
    for ratio, mass in distribution.masses.items():
        shares[lattice.exponents[ratio] - first] += mass
    power = _Masses(first, IntegerPolynomial([int((share * 2**_DIGITS).floor()) for share in shares]))
    result, count = _Masses(0, IntegerPolynomial([2**_DIGITS])), times
    while count:
        if count & 1:
            result = result.times(power)
        count >>= 1
        if count:
            power = power.times(power)
    masses = {
        _ratio(lattice.base, result.first + place): Rational(int(unit), 2**_DIGITS)
        for place, unit in enumerate(result.units.coeffs())
        if unit != 0
    }
    return LossDistribution(masses, 1 - sum(masses.values(), ZERO))


def _exact_lattice(distribution: LossDistribution) -> _Lattice | None:
    """The base of which all ratios are powers, if there is one."""
    sizes = _sizes(distribution)
    if len(sizes) > _FARTHEST:
        return None
    base = min(sizes, default=Rational(2))
    known = {base**i: i for i in range(-_FARTHEST, _FARTHEST + 1)}
    found = {ratio: known[ratio] for ratio in distribution.masses if ratio in known}
    return _Lattice(base, found) if len(found) == len(distribution.masses) else None


def _near_lattice(distribution: LossDistribution, steps: int) -> _Lattice:
    """Powers of a root of the largest ratio, each the least that is not below the ratio."""
    sizes = _sizes(distribution)
    base = Real.exp(Real.computed(Ball.log, Real.of(max(sizes))) / steps).above(64)
    width = float(Real.log(base))
    exponents = {}
    for ratio in distribution.masses:
        exponent = math.floor(float(Real.log(ratio)) / width) - 1
        while not _is_above(base, exponent, ratio):
            exponent += 1
        exponents[ratio] = exponent
    return _Lattice(base, exponents)


def _sizes(distribution: LossDistribution) -> set[Rational]:
    return {ratio if ratio >= 1 else 1 / ratio for ratio in distribution.masses} - {ONE}


def _is_above(base: Rational, exponent: int, ratio: Rational) -> bool:
    with working_precision(_RATIO_BITS):
        return bool(Ball(base) ** exponent >= Ball(ratio))


def _ratio(base: Rational, exponent: int) -> Rational:
    """A power of the base, rounded up; its inverse has few digits, because masses are divided by ratios and added."""
    with working_precision(_RATIO_BITS + abs(exponent).bit_length()):
        return 1 / (Ball(base) ** -exponent).lower().fmpq()
