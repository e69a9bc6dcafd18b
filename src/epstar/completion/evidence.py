"""Evidence as solvers find it: one mechanism that shows what is possible, and what shows what is not.

It is a proposal. Its ends are what it amounts to; what an answer says are the claims that it makes, which
`epstar.claims` checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import inf
from typing import ClassVar, Self

from epstar.claims import check
from epstar.claims.claim import DIGITS, Attained, Bracket, Setting, bits_of
from epstar.completion.attained import attained
from epstar.completion.converse import BITS, Converse
from epstar.completion.draft import Exclusion
from epstar.completion.excluded import exclusion
from epstar.completion.rounding import rounded_up
from epstar.errors import ProofRejected, Undecided
from epstar.exact import INFINITY, ZERO, Interval, Real
from epstar.mechanism import AnyMechanism, ProductMechanism
from epstar.mechanism.product import Block
from epstar.notebook.face import Displayed, Saved
from epstar.notions.family import Family
from epstar.problem import Problem

# Digits of a claim that is larger than what is known: the last ones are what a solver is content with.
_LARGER = (36, 24, 14, 10)


@dataclass(frozen=True, repr=False)
class Evidence(Displayed, Saved):
    """Evidence for an interval around the answer to `problem`, of which claims are made.

    Without a mechanism there is no upper end. What was found out once is remembered, but for other processes.
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    mechanism: AnyMechanism | None

    @cached_property
    def exclusion(self) -> Exclusion:
        """The lower end with the claim that proves it.

        Raises:
            ProofRejected: if nothing is proven.
        """
        raise NotImplementedError

    @property
    def lower(self) -> Real:
        """The lower end that is proven, by the rule of claims.

        Raises:
            ProofRejected: if that is nothing.
        """
        return self.exclusion.end

    @cached_property
    def upper(self) -> Real:
        """What the mechanism achieves.

        Raises:
            ProofRejected: if it is not admissible.
        """
        return achieved(self.problem, self.mechanism)

    def check(self) -> Interval:
        """Return the interval that the evidence establishes.

        Raises:
            ProofRejected: if the evidence is malformed or does not establish anything.
        """
        return checked(self.lower, self.upper)

    def completed(self) -> Bracket:
        """Return the claims that the evidence makes, with their numbers and steps.

        Raises:
            ProofRejected: if it establishes nothing that could be claimed.
        """
        ends, found = self.check(), None
        if self.mechanism is not None:
            is_exact = ends.lower.rational is not None and ends.lower.rational == ends.upper.rational
            found = attained(self.problem, self.mechanism, ends.upper, is_exact)
        return Bracket(Setting.of(self.problem), found, self.exclusion.claim)

    def larger(self) -> Iterator[Attained]:
        """Yield claims of ever larger numbers about what the mechanism attains.

        Numbers that are equal to what they bound may be more than enclosures can tell.
        """
        if self.mechanism is not None and not self.upper.is_infinite:
            for digits in _LARGER:
                yield attained(self.problem, self.mechanism, Real.of(rounded_up(self.upper.above(), digits)))

    def with_mechanism_of(self, other: Evidence) -> Self:
        """Return this evidence with the mechanism of another about the same problem; what was checked stays known."""
        joined = replace(self, mechanism=other.mechanism)
        for end, known in (("exclusion", self), ("upper", other)):
            if end in vars(known):
                vars(joined)[end] = vars(known)[end]
        return joined

    def __getstate__(self) -> dict[str, object]:
        # Numbers with recipes cannot be sent between processes.
        return {part.name: getattr(self, part.name) for part in fields(self)}


@dataclass(frozen=True, repr=False)
class Proof(Evidence):
    """Evidence by multipliers; without a converse the lower end is the trivial one.

    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> print(answer.proof.check().upper)
    log(12)
    """

    converse: Converse | None

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


@dataclass(frozen=True, repr=False)
class ClaimedProof(Displayed, Saved):
    """Evidence that is its claims themselves: found in the form in which they are checked, or read from a file.

    >>> from epstar import Frontier, Limits
    >>> answer = Frontier("dp", [0.5, 0.5], "hamming", limits=Limits(upper="2/3")).distortion_at(loss=5)
    >>> print(answer.proof.check().upper)
    1/3
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    claims: Bracket

    @property
    def mechanism(self) -> AnyMechanism | None:
        """The mechanism that attains the upper end, row by row where the claim is."""
        claim = self.claims.attained
        if claim is None or not claim.rows:
            return None if claim is None else claim.mechanism
        blocks = [Block(part.mechanism, count) for _, part, count in claim.rows if part.mechanism is not None]
        return ProductMechanism(blocks) if len(blocks) == len(claim.rows) else None

    @property
    def exclusion(self) -> Exclusion:
        """The lower end with the claim that proves it."""
        return Exclusion(self.lower, self.claims.excluded)

    @property
    def lower(self) -> Real:
        """The end that is excluded from below.

        Raises:
            ProofRejected: if nothing is.
        """
        return self.claims.lower(self.problem.asks, self.problem.given)

    @property
    def upper(self) -> Real:
        """The end that is attained."""
        return self.claims.upper(self.problem.asks, self.problem.given)

    def check(self) -> Interval:
        """Return the interval that the claims establish.

        Raises:
            ProofRejected: if one does not hold.
        """
        check(self.claims)
        return checked(self.lower, self.upper)

    def completed(self) -> Bracket:
        """Return the claims."""
        return self.claims

    def larger(self) -> Iterator[Attained]:
        """Yield no other claims."""
        return iter(())

    def with_mechanism_of(self, other: ClaimedProof) -> ClaimedProof:
        """Return this evidence with what another about the same problem attains."""
        return replace(self, claims=replace(self.claims, attained=other.claims.attained))


AnyProof = Evidence | ClaimedProof


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
    distortion = mechanism.distortion(problem.distortion, problem.source).value
    loss = problem.notion.loss_once(mechanism, problem.source).upper
    if loss is None:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    if problem.asks == "loss":
        if Real.of(distortion) > problem.given:
            raise ProofRejected(f"The mechanism has distortion {float(Real.of(distortion))}, more than allowed.")
        return loss
    is_kept = isinstance(problem.notion, Family) and problem.notion.keeps(mechanism, problem.given, bits_of(DIGITS))
    if not is_kept and loss > problem.given:
        raise ProofRejected(f"The mechanism has loss {float(loss)}, more than allowed.")
    return Real.of(distortion)


def is_kept(problem: Problem, mechanism: AnyMechanism, level: Real) -> bool:
    """Return whether a mechanism provably loses no more than a level; a loss that may just be more proves nothing."""
    loss = problem.notion.loss(mechanism, problem.source).upper
    try:
        return loss is not None and loss <= level
    except Undecided:
        return False


def width_of(proof: Evidence) -> float:
    """Return the width of what is proven, infinite where that does not hold."""
    try:
        return proof.check().width
    except (ProofRejected, Undecided):
        return inf


def _surely_above(lower: Real, upper: Real) -> bool:
    """Return whether balls separate the two numbers the wrong way round; equal numbers need not be told apart."""
    if lower.is_infinite or upper.is_infinite:
        return lower.is_infinite and not upper.is_infinite
    return lower.below(BITS) > upper.above(BITS)
