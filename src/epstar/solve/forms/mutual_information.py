r"""Mutual information under Hamming distortion for one prior (Erokhin's rate-distortion function).

Keep the r likeliest letters. Given an output y, the input is y with probability 1 - D, each other kept letter with
probability b = (D - tail)/(r - 1), each dropped letter with its prior probability. All of it is rational when the
prior and D are; the least information is the exact information of that mechanism (Erokhin;
kalantari2018, Lemma 3 for one law).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import Point
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import RankOneMechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import Leaders, letters
from epstar.solve.forms.rate_distortion import RateDistortion
from epstar.solve.method import Task
from epstar.solve.shapes import is_hamming_on_letters, is_information
from epstar.source import Prior

_BITS = 200
_FEW = 12
_FLAT = Rational(1, 1000)
# The information of a mechanism on many letters is enclosed by floats, to within less than this.
_MANY, _ENCLOSED = 1 << 10, Rational(1, 1 << 36)
_TINY = Rational(1, 1 << 600)
_INWARD = 1 - Rational(1, 1 << 60)
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
            weight=weight.below(_BITS),
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
        # What the checker allows for its own roundings: of sums over the inputs, and of exponents of this size.
        size = float(np.abs(logs).max()) + steepness
        logs -= math.log(column) + 2.0**-50 * (len(law) + 256 + 4 * size)
        return tuple([Rational(*price.as_integer_ratio()) for price in (law * logs).tolist()])


def accepts(problem: Problem) -> bool:
    """Return whether an information at one prior is asked about, and some of it, or some distortion, is allowed."""
    fits = is_hamming_on_letters(problem) and isinstance(problem.source, Prior) and is_information(problem.notion)
    return fits and problem.given > 0


def is_between(problem: Problem) -> bool:
    """Return whether it is plain that neither a constant answer will do nor the truth is allowed."""
    assert isinstance(problem.source, Prior)
    if problem.asks == "loss":
        return problem.given < Real.of(1 - max(problem.source.probabilities))
    law = problem.source.floats[problem.source.floats > 0]
    return problem.given < _NEARLY * -float(law @ np.log(law))


def claims(task: Task) -> Claims:
    """Offer the backward channel."""
    assert isinstance(task.problem.source, Prior)
    found = information(task.problem, task.problem.source.probabilities)
    yield Offer(found, "closed form", "Erokhin's rate-distortion function", settles=True)


def information(problem: Problem, prior: Point) -> Proof:
    """Solve mutual information for one prior under Hamming distortion."""
    if problem.asks == "loss":
        distortion = problem.given.rational
        if distortion is None:
            raise TypeError("a distortion is given as a rational number")
        channel = BackwardChannel.at(prior, distortion)
        return Proof(problem, channel.mechanism(problem), channel.converse())
    assert isinstance(problem.source, Prior)
    level, constant = problem.given, 1 - max(prior)
    if len(prior) > _MANY:
        level = level - Real.of(_ENCLOSED)
    distortion = RateDistortion(problem.source.ranking).distortion(level) if level > 0 else constant
    if distortion >= constant:
        # Hardly anything may be lost; the channel at the end itself is not defined where likeliest letters tie.
        channel = BackwardChannel.at(prior, constant * _INWARD)
        likeliest = TopRandomisedResponse(letters(problem), [prior.index(max(prior))], ONE)
        return Proof(problem, likeliest, channel.converse())
    channel = BackwardChannel.at(prior, distortion)
    return Proof(problem, channel.mechanism(problem), channel.converse())
