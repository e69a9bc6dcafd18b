"""Lower bounds on the error of a statistic over all mechanisms: the equivalence theorem of Kiefer and Wolfowitz (1960).

For vectors b_k, with l_k and w_k the forms and weights of the statistic and J the information matrix of any mechanism,

    tr W J^-1 >= sum of w_k (2 l_k . b_k - b_k^T J b_k),

and if prices v of the inputs satisfy (p . c)(v . c) >= sum of w_k (b_k . c)^2 and v . c >= 0 on every extreme ray c of
the columns that are allowed, then the last sum is at most sum of v(x), because the columns of a mechanism add up to 1.
So `b` and `v`, with the rays as the only thing to check, prove a bound. They are rational, and so is all that is
checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import accumulate

from epstar.deadline import keep_time
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.vectors import sum_of
from epstar.notions.base import Notion
from epstar.statistic import Statistic, Vector
from epstar.statistics.rays import Corners, Listed, rays_of, rounded_ratio, spread_of
from epstar.universe import Universe

HALF = Rational(1, 2)


@dataclass(frozen=True)
class Setting:
    """What a bound is about: a notion on some inputs, one distribution of them, and a statistic.

    >>> from epstar import Alphabet, DifferentialPrivacy, Statistic, rationals
    >>> from epstar.statistics import Setting
    >>> even, errors = rationals(["1/2", "1/2"]), Statistic.frequencies(rows=10)
    >>> Setting(DifferentialPrivacy(), Alphabet(2), even, errors).universe.size
    2
    """

    notion: Notion
    universe: Universe
    law: Vector
    statistic: Statistic

    def ratio(self, level: Real, outward: bool) -> Rational | None:
        """Return e^level, rounded, where all pairs of columns are bounded alike by it; None for other notions."""
        spread = spread_of(self.notion.constraints(self.universe, [self.law]))
        if spread is None or len(set(spread.scales)) > 1:
            return None
        return rounded_ratio(level, ONE, outward)


class Certificate(ABC):
    """A proof that no mechanism whose loss is at most some level has a smaller error than it says.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> type(answer.evidence.excluded.certificate).__mro__[1].__name__
    'Certificate'
    """

    @abstractmethod
    def error(self, setting: Setting, level: Real) -> Rational:
        """Return the bound on the error.

        Raises:
            ProofRejected: if the certificate does not hold at this level.
        """


@dataclass(frozen=True)
class ByRays(Certificate):
    """An estimator b_k for each form and a price of each input, compared on every extreme ray.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.5, 0.3, 0.2], Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> type(answer.evidence.excluded.certificate).__name__
    'ByRays'
    """

    estimators: tuple[Vector, ...]
    prices: Vector
    corners: Corners = ()
    """The rays, where not all pairs of inputs are bounded alike."""

    def error(self, setting: Setting, level: Real) -> Rational:
        law, statistic, size = setting.law, setting.statistic, len(setting.law)
        weights, lines = statistic.weighed(size), statistic.lines(size)
        if len(self.prices) != size or len(self.estimators) != len(lines):
            raise ProofRejected("The certificate has another shape than the statistic.")
        if any(len(vector) != size for vector in self.estimators):
            raise ProofRejected("An estimator of the certificate has another size than the distribution.")
        try:
            rays = rays_of(setting.notion, setting.universe, law, level, True, self.corners)
        except InvalidInput as error:
            raise ProofRejected(str(error)) from None
        scaled = [tuple(weight * b for b in vector) for weight, vector in zip(weights, self.estimators, strict=True)]
        form = [
            [
                HALF * (law[x] * self.prices[z] + law[z] * self.prices[x])
                - sum_of([heavy[x] * plain[z] for heavy, plain in zip(scaled, self.estimators, strict=True)])
                for z in range(size)
            ]
            for x in range(size)
        ]
        # A column that never happens gains nothing, and takes from the prices of the others unless its own is no less.
        pays = not isinstance(rays, Listed) or all(dot(self.prices, ray) >= 0 for ray in rays.members)
        if not pays or not rays.is_nonnegative(tuple(map(tuple, form))):
            raise ProofRejected("A column that is allowed gains more than the prices of the certificate say.")
        told = sum_of([2 * dot(line, vector) for line, vector in zip(lines, scaled, strict=True)])
        return (told - sum_of(self.prices) - statistic.square(law)) / statistic.rows


@dataclass(frozen=True)
class ByCounts(Certificate):
    """A bound for any number of categories: columns are compared by two sums alone.

    Take b_k . c = a_k (c(k) - z . c) t + p(k) (p . c) with z = (1 - share) / m + share p and w_k a_k^2 <= 1, and prices
    v = prices[0] + prices[1] p. Then the error times the rows is at least (sum of w_k a_k (1 - z(k)))^2 / sum of v, if

        (p . c)(v . c) >= sum over k of (c(k) - z . c)^2    for every c in {1, E}^m.

    Both sides depend on the number of large entries of c and on p . c alone, which for each number lies between the
    sums of the smallest and the largest probabilities. For a uniform distribution the two are one number, and the right
    side over the left is least favourable at one of the two numbers next to m / (1 + E), since (E r + 1)^2 / r is
    convex in the odds r.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> type(answer.evidence.excluded.certificate).__name__
    'ByCounts'
    """

    share: Rational
    prices: tuple[Rational, Rational]
    factors: Vector | None = None
    """The numbers a_k; None where all are 1."""

    def error(self, setting: Setting, level: Real) -> Rational:
        law, statistic, size = setting.law, setting.statistic, len(setting.law)
        ratio = setting.ratio(level, outward=True)
        if ratio is None:
            raise ProofRejected("This certificate is about notions that bound all pairs of inputs alike.")
        if statistic.forms is not None:
            raise ProofRejected("This certificate is about frequencies, and not about other forms of them.")
        weights = statistic.weighed(size)
        factors = (ONE,) * size if self.factors is None else self.factors
        if len(factors) != size or any(w * a * a > 1 for w, a in zip(weights, factors, strict=True)):
            raise ProofRejected("A factor of the certificate is too large for the weight of its category.")
        if not self._holds(law, ratio):
            raise ProofRejected("A column that is allowed gains more than the prices of the certificate say.")
        even = (ONE - self.share) / size
        told = (ONE - even) * dot(weights, factors)
        if self.share != ZERO:
            told -= self.share * sum_of([w * a * p for w, a, p in zip(weights, factors, law, strict=True)])
        total = self.prices[0] * size + self.prices[1]
        if told < ZERO or total <= ZERO:
            raise ProofRejected("The certificate proves nothing.")
        return told * told / total / statistic.rows

    def _holds(self, law: Vector, ratio: Rational) -> bool:
        size, step = len(law), ratio - 1
        ordered = sorted(law)
        if ordered[0] == ordered[-1]:
            middle = int((size / (ONE + ratio)).floor())
            even = {0, size, *(count for count in (middle, middle + 1) if count <= size)}
            return all(
                self._holds_at(size, ratio, size + count * step, expected, expected)
                for count, expected in ((count, ONE + step * Rational(count, size)) for count in sorted(even))
            )
        least = [ZERO, *accumulate(ordered)]
        most = [ZERO, *accumulate(reversed(ordered))]
        for count in range(size + 1):
            keep_time()
            total = size + count * step
            if not self._holds_at(size, ratio, total, ONE + step * least[count], ONE + step * most[count]):
                return False
        return True

    def _holds_at(self, size: int, ratio: Rational, total: Rational, low: Rational, high: Rational) -> bool:
        """Whether the inequality holds for columns with this sum and an expectation from `low` to `high`."""
        even, share = (ONE - self.share) / size * total, self.share
        squares = (ratio + 1) * total - size * ratio
        # A quadratic in the expectation: its least value on the interval is at an end, or at its vertex.
        second = self.prices[1] - size * share * share
        first = self.prices[0] * total + 2 * share * total - 2 * size * even * share
        constant = 2 * even * total - squares - size * even * even
        places = [low, high]
        if second > 0 and low < -first / (2 * second) < high:
            places.append(-first / (2 * second))
        return all((second * u + first) * u + constant >= 0 for u in places)


@dataclass(frozen=True)
class BySampling(Certificate):
    """Without any protection the rows themselves have this error, and no mechanism tells more (data processing).

    >>> from epstar.statistics import BySampling, Certificate
    >>> isinstance(BySampling(), Certificate)
    True
    """

    def error(self, setting: Setting, level: Real) -> Rational:
        if level < 0:
            raise ProofRejected("A loss is at least 0.")
        return setting.statistic.sampling_error(setting.law)
