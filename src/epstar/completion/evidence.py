"""Evidence as solvers find it: one mechanism that shows what is possible, and multipliers that show what is not.

It is a proposal. `Proof.check` says which interval it amounts to; what an answer says are the claims that are made of
it, which `epstar.claims` checks.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

from epstar.claims.claim import Setting
from epstar.claims.enclosed_distortion import enclosed_distortion
from epstar.completion.converse import BITS, Converse
from epstar.completion.excluded import Exclusion, exclusion
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ZERO, Interval, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed, Saved
from epstar.problem import Problem


@dataclass(frozen=True, repr=False)
class Proof(Displayed, Saved):
    """Evidence for an interval around the answer to `problem`.

    Without a mechanism there is no upper end; without a converse the lower end is the trivial one. What was found out
    once is remembered, but for other processes.

    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> print(answer.proof.check().upper)
    log(12)
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    mechanism: AnyMechanism | None
    converse: Converse | None

    def check(self) -> Interval:
        """Return the interval that the evidence establishes.

        Raises:
            ProofRejected: if the evidence is malformed or does not establish anything.
        """
        return checked(self.lower, self.upper)

    @cached_property
    def upper(self) -> Real:
        """What the mechanism achieves.

        Raises:
            ProofRejected: if it is not admissible.
        """
        return achieved(self.problem, self.mechanism)

    def with_mechanism_of(self, other: Proof) -> Proof:
        """Return this proof with the mechanism of another about the same problem; what was checked stays known."""
        joined = Proof(self.problem, other.mechanism, self.converse)
        for end, known in (("exclusion", self), ("upper", other)):
            if end in vars(known):
                vars(joined)[end] = vars(known)[end]
        return joined

    def __getstate__(self) -> dict[str, object]:
        # Numbers with recipes cannot be sent between processes.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def lower(self) -> Real:
        """The lower end that the converse proves, by the rule of claims.

        Raises:
            ProofRejected: if that is nothing.
        """
        return self.exclusion.end

    @cached_property
    def exclusion(self) -> Exclusion:
        """The lower end with the claim that proves it.

        Raises:
            ProofRejected: if the converse proves nothing.
        """
        if self.converse is not None:
            return exclusion(self.problem, self.converse, self.mechanism)
        if self.problem.asks == "loss":
            return Exclusion(Real.of(ZERO))
        raise ProofRejected("A distortion has no lower bound without a converse.")


def checked(lower: Real, upper: Real) -> Interval:
    """Return the interval between two proven bounds.

    Raises:
        ProofRejected: if they are the wrong way round, so that one of them must be false.
    """
    if _surely_above(lower, upper):
        raise ProofRejected("The two halves of the proof contradict each other; at least one is wrong.")
    return Interval(lower, upper)


def achieved(problem: Problem, mechanism: AnyMechanism | None) -> Real:
    """Return what a mechanism achieves: its loss or its distortion, after checking that it is admissible."""
    if mechanism is None:
        return INFINITY
    if mechanism.universe != problem.universe:
        raise ProofRejected("The mechanism has other inputs than the problem.")
    distortion = _worst_distortion(problem, mechanism)
    loss = problem.notion.loss(mechanism, problem.source).upper
    if loss is None:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    if problem.asks == "loss":
        if Real.of(distortion) > problem.given:
            raise ProofRejected(f"The mechanism has distortion {float(Real.of(distortion))}, more than allowed.")
        return loss
    if loss > problem.given:
        raise ProofRejected(f"The mechanism has loss {float(loss)}, more than allowed.")
    return Real.of(distortion)


def _worst_distortion(problem: Problem, mechanism: AnyMechanism) -> Rational:
    """Return the worst distortion exactly; for a large table of floats a number just above it, where that decides."""
    enclosed = enclosed_distortion(Setting.of(problem), mechanism)
    if enclosed is not None and (problem.asks == "distortion" or enclosed.upper <= problem.given.lower):
        return Rational(*enclosed.upper.as_integer_ratio())
    return mechanism.distortion(problem.distortion, problem.source).value


def _surely_above(lower: Real, upper: Real) -> bool:
    """Return whether balls separate the two numbers the wrong way round; equal numbers need not be told apart."""
    if lower.is_infinite or upper.is_infinite:
        return lower.is_infinite and not upper.is_infinite
    return lower.below(BITS) > upper.above(BITS)
