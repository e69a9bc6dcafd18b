"""Questions in disguise: a notion under the name of another, and Hamming distortion in other units.

Closed forms are known for the plain notions and for Hamming distortion itself. Some orders of Rényi's and Sibson's
notions are notions of their own. A table with one cost for every truth and another for every error is Hamming
distortion, in units of the difference and from the cost of a truth on. The proof of the plain question is one of the
question asked, with another weight of the distortion.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from epstar.distortion import Gain, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions import (
    DifferentialPrivacy,
    MaximalLeakage,
    MinEntropyCapacity,
    MutualInformation,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import mixed
from epstar.universe import Alphabet, Databases


@dataclass(frozen=True)
class Disguised:
    """A question and the plain one that it is, in which every truth costs `truth` less and costs are in `unit`s."""

    problem: Problem
    plain: Problem
    truth: Rational
    unit: Rational

    @property
    def theorem(self) -> str:
        """By which result the notion asked about is the plain one; nothing where it is its own name."""
        notion = self.problem.notion
        if notion == self.plain.notion:
            return ""
        if isinstance(notion, MinEntropyCapacity):
            return "alvim2011, Section 2"
        if isinstance(notion, RenyiDifferentialPrivacy):
            return "zhong2022, Lemma 20(5)"
        return (
            "zhong2022, Lemma 20(6)" if isinstance(self.plain.notion, MutualInformation) else "zhong2022, Lemma 20(7)"
        )

    def restored(self, proof: Proof) -> Proof:
        """Return what a proof of the plain question proves of the question asked."""
        converse = proof.converse
        return Proof(self.problem, proof.mechanism, None if converse is None else self._weighed(converse))

    def _weighed(self, converse: Converse) -> Converse:
        weight = converse.weight / self.unit
        prices = converse.prices
        if prices is not None:
            law = mixed(converse.distortion_law)
            prices = tuple(price + weight * self.truth * p for price, p in zip(prices, law, strict=True))
        steps = tuple(replace(step, weight=step.weight / self.unit) for step in converse.steps)
        return replace(converse, weight=weight, prices=prices, steps=steps)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Let a refusal of the plain question, whose witness is a proof, be one of the question asked."""
        try:
            yield
        except NoSolution as refusal:
            if isinstance(refusal.witness, Proof):
                refusal.witness = self.restored(refusal.witness)
            raise


def disguised(problem: Problem) -> Disguised | None:
    """Return the plain question that a question is; None where that is itself, or databases are asked about."""
    if isinstance(problem.universe, Databases):
        return None
    plain = replace(problem, notion=_own_name(problem.notion))
    costs = _costs_of_hamming(problem)
    if costs is None:
        return None if plain == problem else Disguised(problem, plain, ZERO, ONE)
    truth, error = costs
    plain = replace(plain, distortion=Hamming())
    if problem.asks == "loss":
        plain = replace(plain, given=(problem.given - Real.of(truth)) / (error - truth))
    return Disguised(problem, plain, truth, error - truth)


def _own_name(notion: Notion) -> Notion:
    """Return the notion that some orders of others are."""
    if isinstance(notion, RenyiDifferentialPrivacy) and isinstance(notion.order, float):
        return DifferentialPrivacy()
    infinite = isinstance(notion, SibsonMutualInformation) and isinstance(notion.order, float)
    if infinite or isinstance(notion, MinEntropyCapacity):
        return MaximalLeakage()
    if isinstance(notion, SibsonMutualInformation) and notion.order == 1:
        return MutualInformation()
    return notion


def _costs_of_hamming(problem: Problem) -> tuple[Rational, Rational] | None:
    """Return what a truth and an error cost, where all cost the same; None if less than a truth is allowed."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    # Of the named kinds the others are Hamming's for two letters alone.
    is_table = isinstance(problem.distortion, Matrix | Gain) or (inputs == 2 and problem.distortion != Hamming())
    if not is_table or not isinstance(problem.universe, Alphabet) or not inputs == outputs > 1:
        return None
    if tuple(problem.distortion.outputs(problem.universe)) != tuple(problem.universe.labels):
        return None
    floats = problem.distortion.floats(problem.universe)
    errors = floats[~np.eye(inputs, dtype=bool)]
    if np.ptp(np.diag(floats)) > 0 or np.ptp(errors) > 0 or errors[0] <= floats[0, 0]:
        return None
    table = problem.distortion.matrix(problem.universe)
    truths = {row[x] for x, row in enumerate(table)}
    costs = {cost for x, row in enumerate(table) for y, cost in enumerate(row) if x != y}
    if len(truths) > 1 or len(costs) > 1:
        return None
    (truth,), (error,) = truths, costs
    too_little = problem.asks == "loss" and problem.given < Real.of(truth)
    return None if too_little else (truth, error)
