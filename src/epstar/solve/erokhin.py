r"""Mutual information under Hamming distortion for one prior (Erokhin's rate-distortion function).

Keep the r likeliest letters. Given an output y, the input is y with probability 1 - D, each other kept letter with
probability b = (D - tail)/(r - 1), each dropped letter with its prior probability. All of it is rational when the
prior and D are; the least information is the exact information of that mechanism (Erokhin;
kalantari2018, Lemma 3 for one law).
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import Point
from epstar.solve.leaders import Leaders

_BITS = 200


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

    def mechanism(self, problem: Problem) -> Mechanism:
        """Return the mechanism by Bayes' rule; inputs of probability zero answer like the output law."""
        size = len(self.prior)
        law = [self.output_law(y) for y in range(size)]
        return Mechanism(
            [[law[y] * (self.gain(x, y) if self.prior[x] > 0 else ONE) for y in range(size)] for x in range(size)],
            problem.universe,
            problem.distortion.outputs(problem.universe),
        )

    def converse(self) -> Converse:
        """Return the tangent plane at the mechanism, with the slope of the trade-off as weight."""
        letters = [x for x, p in enumerate(self.prior) if p > 0]
        return Converse(
            weight=Real.log(self.stay / self.move).below(_BITS),
            distortion_law=((ONE, self.prior),),
            points=(((ONE, self.prior),),),
            sums=(ONE,),
            slopes=tuple((0, k, y, (self.gain(x, y),)) for k, x in enumerate(letters) for y in range(len(self.prior))),
        )


def information(problem: Problem, prior: Point) -> Proof:
    """Solve mutual information for one prior under Hamming distortion."""
    if problem.asks == "loss":
        distortion = problem.given.rational
        if distortion is None:
            raise TypeError("a distortion is given as a rational number")
        channel = BackwardChannel.at(prior, distortion)
        return Proof(problem, channel.mechanism(problem), channel.converse())
    channel = _at_level(problem, prior)
    return Proof(problem, channel.mechanism(problem), channel.converse())


def _at_level(problem: Problem, prior: Point) -> BackwardChannel:
    """Return the optimal channel whose information is just below the level, by bisection on the distortion."""
    none, constant = ZERO, 1 - max(prior)
    for _ in range(60):
        middle = (none + constant) / 2
        channel = BackwardChannel.at(prior, middle)
        information_there = problem.notion.loss(channel.mechanism(problem), problem.source).upper
        if information_there is not None and information_there <= problem.given:
            constant = middle
        else:
            none = middle
    return BackwardChannel.at(prior, constant)
