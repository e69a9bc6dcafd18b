"""Closed forms for normal noise of variance one over inputs in a ball or of bounded power, for every order."""

from __future__ import annotations

from epstar.exact import ONE, ZERO, Ball, Rational, Real, working_precision
from epstar.gaussian.quadrature import GUARD, cumulative, remembered


def ball_leakage(dimension: int, radius: Real) -> Real:
    """Return the maximal leakage over a ball: the logarithm of the integral of the largest density.

    The largest density at y is that of the nearest input, so the integral is over parallel bodies of the ball: with
    (R + t)^(d-1) expanded it is a sum of moments of half a normal distribution.

    >>> round(float(ball_leakage(1, Real.of(1))), 12)
    0.586610729763
    """
    if radius.rational == ZERO:
        return Real.of(ZERO)

    def enclose(bits: int) -> Ball:
        with working_precision(bits + GUARD + dimension.bit_length()):
            return within(bits)

    def within(bits: int) -> Ball:
        size = radius.enclose(bits + dimension.bit_length())
        half = Ball(dimension) / 2
        total = (size * size / 2) ** half / (half + 1).gamma()
        # binomial(d - 1, k) size^(d - 1 - k) times the moment of order k of exp(-t^2 / 2) on the half-line, for all
        # even k and then for all odd ones: from one to the next but one it is enough to multiply.
        share = 2 / (Ball(2) ** half * half.gamma())
        terms = [size ** (dimension - 1) * (Ball.pi() / 2).sqrt() * share]
        if dimension > 1:
            terms.append(size ** (dimension - 2) * (dimension - 1) * share)
        for first, start in enumerate(terms):
            term = start
            total += term
            for k in range(first, dimension - 2, 2):
                term = term * ((dimension - 1 - k) * (dimension - 2 - k)) / ((k + 2) * size * size)
                total += term
        return total.log()

    return remembered(enclose)


def ball_bounds(dimension: int, radius: Real, order: Rational = ONE) -> tuple[Real, Real]:
    """Return two bounds on Sibson's capacity of an order over a ball, which need no search.

    Below: for orders from 1 on the entropy-power inequality for the uniform distribution, which bounds the capacity;
    for all others which of two opposite points was sent, decided by the side the output is on. Above: the divergence of
    the outermost inputs from the noise, the maximal leakage, and the bound from the power where there is one.
    """
    leakage = ball_leakage(dimension, radius)
    has_power_bound = power_is_bounded(dimension, order)

    def below(bits: int) -> Ball:
        size, half, found = radius.enclose(bits), Ball(dimension) / 2, Ball(0)
        if order >= 1:
            # The volume of the ball, to the power 2/d, over that of a normal law of variance one.
            volume = (half * Ball.pi().log() - (half + 1).lgamma()) / half
            found = half * (1 + size * size * (volume - 1).exp() / (2 * Ball.pi())).log()
        if order != 1:
            wrong, right = cumulative(-size), cumulative(size)
            sides = ((wrong.log() * order).exp() + (right.log() * order).exp()).log() / (order - 1)
            found = found.max(Ball(2).log() + sides)
        return found

    def above(bits: int) -> Ball:
        size = radius.enclose(bits)
        found = (size * size * order / 2).min(leakage.enclose(bits))
        return found.min(_power_bound(dimension, size * size / dimension, order)) if has_power_bound else found

    return remembered(below), remembered(above)


def power_is_bounded(dimension: int, order: Rational) -> bool:
    """Return whether a bound on the average power bounds Sibson's information of an order: below 1 + 2/d, exactly.

    From there on rare far inputs lose as much as one likes. A share e of the probability on n points that are far
    apart adds about n^(1 - 1/order) e^(1/order) to the integral whose logarithm counts, and n points fit where the
    power is of the order of e n^(2/d); so for a given power this is n^(1 - (1 + 2/d) / order). At order 1 + 2/d a
    density of |x|^(-d-2) log(|x|)^(-g) with 1 < g <= 1 + 2/d has finite power and an infinite integral.
    """
    return order < 1 + Rational(2, dimension)


def power_bounds(dimension: int, power: Rational, order: Rational) -> tuple[Real, Real]:
    """Return two bounds on Sibson's capacity of an order below 1 + 2/d, given the power per dimension over the noise.

    Below: a normal input has d/2 log(1 + order * power). Above: the divergence from the output distribution q that is
    proportional to (1 + c |y|^2)^(-1/(order - 1)), for orders below 1 to (1 - c |y|^2)^(1/(1 - order)) where that is
    positive: q^(1 - order) is a polynomial of degree 2, so the mean over the input depends on its power alone. At order
    1 both are d/2 log(1 + power) (ngo2024, Theorem 3).
    """
    lower = Real.log(1 + order * power) * Rational(dimension, 2)
    if order == 1:
        return lower, lower
    return lower, remembered(lambda _bits: _power_bound(dimension, Ball(power), order))


def _power_bound(dimension: int, power: Ball, order: Rational) -> Ball:
    half, excess = Ball(dimension) / 2, order - 1
    if excess == 0:
        return half * (1 + power).log()
    k = excess * dimension / 2
    mean = dimension * (1 / Ball(order) + power)
    c = Ball(abs(k)) / (mean * (1 - k))
    rate = 1 / Ball(abs(excess))
    # The integral of q before it is normalised.
    gammas = (rate - half).lgamma() - rate.lgamma() if excess > 0 else (rate + 1).lgamma() - (rate + 1 + half).lgamma()
    total = half * (Ball.pi() / c).log() + gammas
    # (1 + c mean) or (1 - c mean), for the best c
    polynomial = 1 / Ball(1 - k)
    return total - half * (2 * Ball.pi()).log() + (polynomial.log() - half * Ball(order).log()) / excess
