"""The bounds of Theorems 6, 7 and 17 and of Proposition 8 as they are printed.

`max{0, log r}` with r < 0 is read as 0: a logarithm that does not exist bounds nothing. Logarithms of rationals stay
exact; formulas with real powers are evaluated in floats, far more precisely than the comparisons that use them.
"""

from __future__ import annotations

import math

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.universe import Databases
from epstar_papers.zhong2022.distributions import Points, Setting, as_float


def clipped_log(argument: Rational) -> Real:
    """Return max{0, log r}."""
    return Real.log(max(ONE, argument))


def differential_privacy(setting: Setting, theta: Rational = ONE) -> Real:
    """Return max{0, log (m-1)(theta n - D)/D}: the lower bound of 6(1), and at theta = 1 the upper one."""
    wrong = setting.distortion
    return clipped_log((setting.categories - 1) * (theta * setting.rows - wrong) / wrong)


def approximate_lower(setting: Setting, delta: Rational, theta: Rational = ONE) -> Real:
    """Return the lower bound of 6(2), 7(2) and 17(2)."""
    wrong, rows = setting.distortion, setting.rows
    kept = theta * rows * (1 - delta * setting.categories ** (rows - 1))
    return clipped_log((setting.categories - 1) * (kept - wrong) / wrong)


def approximate_upper(setting: Setting, delta: Rational) -> Real:
    """Return the upper bound of 6(2), 7(2) and 17(2): the pointwise loss of Q_D."""
    right = 1 - setting.distortion / setting.rows
    if right <= 0:
        return Real.of(ZERO)
    return clipped_log(setting.odds * (1 - delta / right**setting.rows))


def approximate_events(setting: Setting, delta: Rational) -> Real:
    """Return log (m-1)(n(1-delta)-D)/D, what the upper bound of 7(2) should be for the usual definition."""
    wrong = setting.distortion
    return clipped_log((setting.categories - 1) * (setting.rows * (1 - delta) - wrong) / wrong)


def leakage_lower(setting: Setting, theta: Rational = ONE) -> Real:
    """Return max{0, log m(1 - D/(theta n))}: the lower bound of 6(3) and 6(4)."""
    return clipped_log(setting.categories * (1 - setting.distortion / (theta * setting.rows)))


def leakage_upper(setting: Setting) -> Real:
    """Return max{0, n log m(1 - D/n)}: the upper bound of 6(4) and 7(4)."""
    right = setting.categories * (1 - setting.distortion / setting.rows)
    return clipped_log(max(ONE, right) ** setting.rows)


def maximal_information_of_symmetric(setting: Setting, distributions: Points, last: int) -> Real:
    """Return -log min_P min_y sum_l A^-l P(N_l(y)) with l up to `last`: m as printed, n as it should be."""
    databases = Databases(setting.categories, setting.rows)
    terms = min(last, setting.rows)
    least = min(
        sum(
            (
                distribution[x] / setting.odds**d
                for x in range(setting.size)
                if (d := _distance(databases, x, y)) <= terms
            ),
            0 * ONE,
        )
        for distribution in distributions
        for y in range(setting.size)
    )
    return Real.log(1 / least)


def maximal_information_upper(setting: Setting, distributions: Points) -> Real:
    """Return the upper bound of 6(3) and 7(3): max{0, .} of the loss of Q_D, with the printed sum up to m."""
    if setting.distortion >= setting.rows:
        return Real.of(ZERO)
    return max(Real.of(ZERO), maximal_information_of_symmetric(setting, distributions, setting.categories))


def _distance(databases: Databases, x: int, y: int) -> int:
    return int(databases.distance(x, y).p)


def renyi_lower(setting: Setting, order: Rational, theta: Rational = ONE) -> float:
    """Return the lower bound of 6(5), literally: beyond D = theta n a power of a negative number."""
    alpha, rows = as_float(order), setting.rows
    wrong = as_float(setting.distortion / theta)
    power = (rows - wrong) ** (alpha / (alpha - 1))
    if isinstance(power, complex):
        raise ArithmeticError("a fractional power of a negative number")
    if power <= 0:
        return 0.0
    bound = math.log((setting.categories - 1) * power / wrong)
    return max(0.0, bound - math.log(rows * setting.categories ** (rows - 1)) / (alpha - 1))


def renyi_upper(setting: Setting, order: Rational) -> float:
    """Return the upper bound of 6(5), 7(5) and 17(5): the loss of Q_D."""
    alpha, odds, others = as_float(order), as_float(setting.odds), setting.categories - 1
    if odds == 0:
        return math.inf
    wrong = as_float(setting.distortion) / (setting.rows * others)
    total = others - 1 + odds**alpha + odds ** (1 - alpha)
    return max(0.0, math.log(wrong * total) / (alpha - 1))


def sibson_lower(setting: Setting, order: Rational, theta: Rational) -> float:
    """Return the lower bound of 6(6)."""
    alpha, m, n, flat = as_float(order), setting.categories, setting.rows, as_float(theta)
    right = 1 - as_float(setting.distortion) / n
    if right <= 0:
        return 0.0
    inner = right / ((1 - flat) * (n + 1) * m / 2 + flat)
    return max(0.0, (alpha - n) / (alpha - 1) * math.log(m) + alpha / (alpha - 1) * math.log(inner))


def sibson_upper(setting: Setting, order: Rational) -> float:
    """Return the upper bound of 6(6) and 7(6): the loss of Q_D under the uniform distribution."""
    alpha, m, n = as_float(order), setting.categories, setting.rows
    wrong = as_float(setting.distortion)
    inner = (n - wrong) ** alpha + wrong**alpha * (m - 1) ** (1 - alpha)
    loss = n * (math.log(m) + math.log(inner) / (alpha - 1)) - alpha / (alpha - 1) * n * math.log(n)
    return max(0.0, loss)


def information_lower(setting: Setting, theta: Rational, eta: Rational, coefficient: Rational) -> float:
    """Return theta n log(eta^(-1/n)(1 - D/(n theta))) + c D log(D/((m-1)(n theta - D))) without clipping.

    The paper prints c = theta in 6(7); its own program (8) gives c = 1.
    """
    m, n, flat, wrong = setting.categories, setting.rows, as_float(theta), as_float(setting.distortion)
    first = flat * n * (math.log(1 - wrong / (n * flat)) - math.log(as_float(eta)) / n)
    return first + as_float(coefficient) * wrong * math.log(wrong / ((m - 1) * (n * flat - wrong)))


def information_upper(setting: Setting) -> float:
    """Return the upper bound of 6(7), which 7(7) and 17(7) say is the value; not 0 beyond n(m-1)/m."""
    m, n, wrong = setting.categories, setting.rows, as_float(setting.distortion)
    if wrong == n:
        return max(0.0, n * math.log(m / (m - 1)))
    return max(0.0, n * math.log(m * (1 - wrong / n)) + wrong * math.log(wrong / ((m - 1) * (n - wrong))))


def entropy(distribution: tuple[Rational, ...]) -> float:
    """Return the entropy of a distribution in nats."""
    return -sum(as_float(p) * math.log(as_float(p)) for p in distribution if p > 0)


def shannon_lower(setting: Setting, distributions: Points) -> float:
    """Return max{0, max_P H(P) - n h(D/n) - D log(m-1)}, valid and better than 6(7) up to D = n(m-1)/m."""
    if setting.distortion >= setting.free:
        return 0.0
    share = setting.distortion / setting.rows
    binary = entropy((share, 1 - share))
    cost = setting.rows * binary + as_float(setting.distortion) * math.log(setting.categories - 1)
    return max(0.0, max(map(entropy, distributions)) - cost)
