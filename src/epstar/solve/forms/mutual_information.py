r"""Mutual information under Hamming distortion for one prior (Erokhin's rate-distortion function).

Keep the r likeliest letters. Given an output y, the input is y with probability 1 - D, each other kept letter with
probability b = (D - tail)/(r - 1), each dropped letter with its prior probability. All of it is rational when the
prior and D are; the least information is the exact information of that mechanism (Erokhin;
kalantari2018, Lemma 3 for one law).

Let p(1) >= p(2) >= ... be the prior in order, S(k) the sum of the first k letters, and H(k) the sum of p log(1/p) over
them. Between its corners the function is H(k) + (1 - D) log(1 - D) + (S(k) - 1 + D) log b with b the chance
(S(k) - 1 + D)/(k - 1) of each wrong letter that is kept. It is convex, so that its tangent at a place near the answer
meets the level below the answer, by no more than a square of what the place is off: floats by halving first, Newton's
method in balls then, and at last the first place above at which the information is surely no more than the level.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS, Point
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import RankOneMechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import TRACE, Leaders, allowed, is_between, letters
from epstar.solve.method import Task
from epstar.solve.program.measured import column_margin
from epstar.solve.shapes import is_hamming_on_letters, is_information
from epstar.source import Prior
from epstar.source.ranking import Counts, Ranking

# Letters up to which a slope for each input and output proves all digits; of more, row prices in floats are as good
# where the trade-off falls faster than this, and their errors are not magnified.
_FEW, _FLAT = 12, Rational(1, 1000)
# The information of a mechanism on many letters is enclosed by floats, to within less than this.
_MANY, _ENCLOSED = 1 << 10, Rational(1, 1 << 36)
# Floats do not hold smaller probabilities, and their logarithms, next to each other.
_TINY = Rational(1, 1 << 600)
# Of the entropy of the prior: floats tell it better than that.
_NEARLY = 0.999


@dataclass(frozen=True)
class BackwardChannel:
    """The law of the input given the output: `stay` on the output's own letter, `move` on the other kept ones."""

    prior: Point
    kept: frozenset[int]
    stay: Rational
    move: Rational

    @classmethod
    def at(cls, prior: Point, distortion: Rational) -> BackwardChannel:
        """Return the optimal backward channel for a distortion between zero and that of a constant answer."""
        leaders = Leaders.of(prior)
        for count in range(len(prior), 1, -1):
            tail = 1 - leaders.sums[count - 1]
            move = (distortion - tail) / (count - 1)
            if prior[leaders.order[count - 1]] > move:
                break
        return cls(prior, frozenset(leaders.order[:count]), 1 - distortion, move)

    def output_law(self, y: int) -> Rational:
        """Return the probability of an output."""
        return (self.prior[y] - self.move) / (self.stay - self.move) if y in self.kept else ZERO

    def gain(self, x: int, y: int) -> Rational:
        """Return P(x|y)/P(x); for an output that is never given, the value that extends the others."""
        if x == y:
            own = self.stay if y in self.kept else self.stay - self.move + self.prior[y]
            return own / self.prior[y]
        return self.move / self.prior[x] if x in self.kept else ONE

    def mechanism(self, problem: Problem) -> RankOneMechanism:
        """Return the mechanism by Bayes' rule; inputs of probability zero answer like the output law."""
        law = [self.output_law(y) for y in range(len(self.prior))]
        diagonal = [r * self.gain(x, x) if p > 0 else r for x, (p, r) in enumerate(zip(self.prior, law, strict=True))]
        left = [self.move / p if x in self.kept else ONE for x, p in enumerate(self.prior)]
        return RankOneMechanism(letters(problem), diagonal, left, law)

    def converse(self) -> Converse:
        """Return the tangent plane at the mechanism, with the slope of the trade-off as weight.

        On few letters it is given by a slope for each input and output, and proves all digits; on more by a price for
        each input, in floats, unless they are too small for that or the slope would magnify their errors.
        """
        law: Mixture = ((ONE, self.prior),)
        support = [x for x, p in enumerate(self.prior) if p > 0]
        weight = Real.log(self.stay / self.move)
        if len(self.prior) > _FEW and weight > _FLAT and min(self.move, *(self.prior[x] for x in support)) > _TINY:
            steepness = Rational(*float(weight).as_integer_ratio())
            return Converse(steepness, law, points=(law,), sums=(ONE,), prices=self._prices(float(weight)))
        return Converse(
            weight=weight.below(BITS),
            distortion_law=law,
            points=(law,),
            sums=(ONE,),
            slopes=tuple((0, k, y, (self.gain(x, y),)) for k, x in enumerate(support) for y in range(len(self.prior))),
        )

    def _prices(self, steepness: float) -> tuple[Rational, ...]:
        """Return p(x) log of stay/max(p(x), move), less what makes every column of the checker sum to at most 1."""
        law = nearest_floats(self.prior)
        positive = law > 0
        logs = np.zeros(len(law))
        shares = law[positive]
        logs[positive] = float(Real.log(self.stay)) - np.log(np.maximum(shares, float(Real.of(self.move))))
        peaks = shares * np.exp(logs[positive])
        column = float(peaks.sum()) * math.exp(-steepness) - float(peaks.max()) * math.expm1(-steepness)
        size = float(np.abs(logs).max()) + steepness
        logs -= math.log(column) + column_margin(len(law), size)
        return tuple([Rational(*price.as_integer_ratio()) for price in (law * logs).tolist()])


def accepts(problem: Problem) -> bool:
    """Return whether an information at one prior is asked about, and some of it, or some distortion, is allowed."""
    fits = is_hamming_on_letters(problem) and isinstance(problem.source, Prior) and is_information(problem.notion)
    return fits and problem.given > 0


def is_first(problem: Problem) -> bool:
    """Return whether it is plain that neither a constant answer will do nor the truth is allowed."""
    if not accepts(problem):
        return False
    assert isinstance(problem.source, Prior)
    law = problem.source.floats[problem.source.floats > 0]
    entropy = -float(law @ np.log(law))
    return is_between(problem, Real.of(Rational(*(_NEARLY * entropy).as_integer_ratio())))


def claims(task: Task) -> Claims:
    """Offer the backward channel."""
    assert isinstance(task.problem.source, Prior)
    found = information(task.problem, task.problem.source.probabilities)
    yield Offer(found, "closed form", "Erokhin's rate-distortion function", settles=True)


def information(problem: Problem, prior: Point) -> Proof:
    """Solve mutual information for one prior under Hamming distortion."""
    if problem.asks == "loss":
        channel = BackwardChannel.at(prior, allowed(problem.given))
        return Proof(problem, channel.mechanism(problem), channel.converse())
    assert isinstance(problem.source, Prior)
    level, constant = problem.given, 1 - max(prior)
    if len(prior) > _MANY:
        level = level - Real.of(_ENCLOSED)
    distortion = RateDistortion(problem.source.ranking).distortion(level) if level > 0 else constant
    if distortion >= constant:
        # Hardly anything may be lost; the channel at the end itself is not defined where likeliest letters tie.
        channel = BackwardChannel.at(prior, constant * (1 - TRACE))
        likeliest = TopRandomisedResponse(letters(problem), [prior.index(max(prior))], ONE)
        return Proof(problem, likeliest, channel.converse())
    channel = BackwardChannel.at(prior, distortion)
    return Proof(problem, channel.mechanism(problem), channel.converse())


Floats = NDArray[np.float64]

# Places are whole multiples of this: of few digits, and far finer than a float.
_GRID = Rational(1, 1 << 80)
# Steps of Newton's method, each of which doubles the digits, until one moves the place by less than this.
_STEPS, _NEAR = 12, Rational(1, 1 << 46)


@dataclass(frozen=True)
class RateDistortion:
    """The rate-distortion function of one prior under Hamming distortion.

    Where the counts of a ranking are rounded to a law at distance t, the information of any mechanism differs by at
    most t log m + h(t), with h the binary entropy, because both laws are mixtures of their common part with a share t
    of something else; its distortion differs by at most t.
    """

    ranking: Ranking

    def distortion(self, level: Real) -> Rational:
        """Return the least distortion at a positive level, but for a rounding up."""
        ranking, constant = self.ranking, self._constant
        if level.is_infinite:
            return ZERO
        start = min(Rational(*self._place(float(level)).as_integer_ratio()), constant * (1 - TRACE))
        guess = start if start <= 0 else self._newton(level, start)
        for place in _outward(guess + ranking.distance, constant + ranking.distance):
            if self._is_kept(place - ranking.distance, level):
                return place
        raise AssertionError("a constant answer loses nothing")

    def _is_kept(self, distortion: Rational, level: Real) -> bool:
        """Return whether some mechanism of a distortion surely loses no more than a level."""
        reach = (1 - distortion) * self.ranking.total
        if reach <= self.ranking.count(1):
            return True
        if reach >= self.ranking.total:
            found = self._information(self.ranking.size, Rational(self.ranking.total), ZERO, self._margin)
        else:
            letters = self._kept(distortion)
            found = self._information(letters, reach, self.ranking.sum(letters) - reach, self._margin)
        return bool(found.ball(BITS) <= level.ball(BITS))

    def _kept(self, distortion: Rational) -> int:
        """Return how many letters the best mechanism keeps at a distortion of the law of counts."""
        reach = (1 - distortion) * self.ranking.total
        return max(2, bisect_right(self.ranking.corners, int(reach.floor())))

    def _place(self, level: float) -> float:
        """Return the distortion of the law of counts at a level in floats, by halving."""
        ranking = self.ranking
        shares, sums, corners = (_in_floats(c, ranking.total) for c in (ranking.counts, ranking.sums, ranking.corners))
        entropies = np.cumsum(-shares * np.log(np.where(shares > 0, shares, 1.0)))
        low, high = 0.0, 1 - float(shares[0])
        while low < (middle := (low + high) / 2) < high:
            letters = min(max(2, int(np.searchsorted(corners, 1 - middle, side="right"))), ranking.size)
            spare = max(float(sums[letters - 1]) - (1 - middle), 1e-300)
            information = float(entropies[letters - 1]) + (1 - middle) * np.log1p(-middle)
            information += spare * np.log(spare / max(letters - 1, 1))
            low, high = (middle, high) if information > level else (low, middle)
        return high

    def _newton(self, level: Real, start: Rational) -> Rational:
        """Return where tangents meet the level: the first step may go too far down, the others come up from below."""
        for _ in range(_STEPS):
            letters, reach = self._kept(start), (1 - start) * self.ranking.total
            spare = self.ranking.sum(letters) - reach
            information = self._information(letters, reach, spare, ZERO)
            steepness = Real.log((letters - 1) * reach / spare).below(BITS)
            missing = (information - level).below(BITS)
            following = min(max(start + missing / steepness, start / 2), self._constant * (1 - TRACE))
            if abs(following - start) < _NEAR:
                break
            start = _rounded(following)
        return following + self._margin / steepness

    def _information(self, letters: int, reach: Rational, spare: Rational, margin: Rational) -> Real:
        total = self.ranking.total
        with working_precision(BITS):
            right, wrong = ball(reach / total), ball(spare / total)
            found = self.ranking.entropy(letters) + right * right.log() + ball(margin)
            if spare > 0:
                found += wrong * ball(spare / (total * (letters - 1))).log()
        return Real.from_ball(lambda _bits: found)

    @property
    def _constant(self) -> Rational:
        """The distortion of answering the likeliest letter, for the law of counts."""
        return 1 - Rational(self.ranking.count(1), self.ranking.total)

    @cached_property
    def _margin(self) -> Rational:
        """How much the information of a mechanism can differ between the prior and the law of counts, and rounding."""
        share = self.ranking.distance
        if share == 0:
            return ZERO

        def spread(_bits: int) -> Ball:
            chance, rest = ball(share), ball(1 - share)
            return chance * (ball(Rational(self.ranking.size)).log() - chance.log()) - rest * rest.log()

        return Real.from_ball(spread).above(BITS) + self.ranking.entropy_error


def _in_floats(counts: Counts, total: int) -> Floats:
    if isinstance(counts, np.ndarray):
        return counts / float(total)
    return np.array([count / total for count in counts])


def _rounded(place: Rational) -> Rational:
    return max(_GRID, (place / _GRID).floor() * _GRID)


def _outward(start: Rational, end: Rational) -> Iterator[Rational]:
    """Yield places on a grid from `start` up, in steps that grow, and the end at last."""
    place, step = max(ZERO, ((start / _GRID).floor() + 1) * _GRID), _GRID
    while place < end:
        yield place
        place += step
        step *= 16
    yield end
