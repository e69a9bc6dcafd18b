"""The bracket of an optimum: the best mechanism and the best exclusion so far, each with who found it.

It is the state of every computation and its answer: a method offers evidence, the bracket checks it and keeps what is
better, and a deadline stops the methods and nothing else.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeAlias

from epstar.completion import AnyProof, ClaimedProof, Converse, Proof
from epstar.completion.converse import BITS
from epstar.completion.evidence import checked
from epstar.errors import InvalidInput, NoSolution, ProofRejected, SolverFailure, TimeLimit, Undecided
from epstar.exact import INFINITY, ZERO, Interval, Real
from epstar.mechanism import AnyMechanism
from epstar.memory import TooLarge
from epstar.problem import Problem
from epstar.solve.explanation import Asked, Explanation, Improvement, Stopped, asked_for

NARROW = 5e-8
"""Nats, or units of the distortion: half of what an answer that is called proven may be wide."""

# What the order of a notion is read at, where a proof uses a smaller one, by the name of the notion.
_GROWS = {
    "sibson_mutual_information": "zhong2022, Lemma 20(9)",
    "renyi_differential_privacy": "vanerven2014, Theorem 3",
}


@dataclass(frozen=True)
class Offer:
    """Evidence that a method proposes, the method in words, and the theorem that it rests on.

    An offer `settles` a question if no other method would say more.
    """

    evidence: AnyProof
    method: str
    theorem: str
    settles: bool = False


def by_weak_duality(evidence: AnyProof, settles: bool = False) -> Offer:
    """Return what a program offers: multipliers that exclude, and a mechanism that is its own proof."""
    return Offer(evidence, "program", "weak duality", settles)


@dataclass(frozen=True)
class Question:
    """Another problem that a method needs the bracket of, and the share of the time left that it may take."""

    problem: Problem
    share: float = 1.0


Claims: TypeAlias = "Generator[Offer | Question, Bracket | None, None]"
"""What a method says: offers, and questions to each of which the loop sends the bracket of the other problem."""


def asked(problem: Problem, share: float = 1.0) -> Generator[Question, Bracket | None, Bracket]:
    """Ask the loop about another problem.

    Raises:
        NoSolution: if it has none; and whatever else its solution ends in.
    """
    found = yield Question(problem, share)
    assert found is not None
    return found


def attempted(problem: Problem, share: float) -> Generator[Question, Bracket | None, Bracket | None]:
    """Ask the loop about another problem; None where it has no answer, or none is found."""
    try:
        return (yield from asked(problem, share))
    except (InvalidInput, NoSolution, SolverFailure):
        return None


class Bracket:
    """The best ends of a problem so far: `lower` is excluded from below, `upper` is attained."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.timed_out = False
        """Whether a time limit cut a method short."""
        self.too_large = False
        """Whether a method would have taken more memory than it may."""
        self.is_settled = False
        """Whether no other method would say more."""
        self.steps: list[Improvement | Asked | Stopped] = []
        """What happened so far."""
        self._excluded: Offer | None = None
        self._attained: Offer | None = None
        self._ends: dict[str, Real] = {}

    def offer(self, offer: Offer, by: str = "", seconds: float = 0.0) -> bool:
        """Check some evidence, keep of it what is better, and say whether something is.

        `by` names who offers it, after some seconds of work.
        """
        lower, upper = self._better(offer, upwards=True), self._better(offer, upwards=False)
        if lower is not None:
            self._excluded, self._ends["lower"] = offer, lower
        if upper is not None:
            self._attained, self._ends["upper"] = offer, upper
        if lower is not None or upper is not None:
            below, above = (None if end is None else float(end) for end in (lower, upper))
            self.steps.append(Improvement(by or offer.method, offer.theorem, below, above, seconds))
        self.is_settled = self.is_settled or (offer.settles and self._holds(offer))
        return lower is not None or upper is not None

    def _holds(self, offer: Offer) -> bool:
        """Whether what was offered was taken, so that a rejected proof settles nothing."""
        return offer in (self._excluded, self._attained) or self.width == 0

    def _better(self, offer: Offer, upwards: bool) -> Real | None:
        """Return the lower or the upper end of an offer if it is better; None if it is not, or does not hold."""
        try:
            end = offer.evidence.lower if upwards else offer.evidence.upper
            if not upwards and self._attained is None and offer.evidence.mechanism is not None:
                # At an infinite loss, too, a mechanism that keeps the distortion is more than none.
                return end
            return end if _improves(end, self._known_lower if upwards else self.upper, upwards) else None
        except (ProofRejected, TimeLimit, TooLarge, Undecided):
            return None

    @property
    def _known_lower(self) -> Real | None:
        """The lower end as far as evidence was offered, or none is needed: no loss is negative."""
        if self._excluded is None:
            return Real.of(ZERO) if self.problem.asks == "loss" else None
        return self.lower

    @property
    def lower(self) -> Real:
        """What is excluded from below; of a distortion, where nothing is, the cost of the cheapest answers."""
        if "lower" not in self._ends:
            found = self._excluded.evidence if self._excluded is not None else self._nothing
            self._ends["lower"] = found.lower
        return self._ends["lower"]

    @property
    def upper(self) -> Real:
        """What is attained; infinite where nothing is."""
        if "upper" not in self._ends:
            self._ends["upper"] = INFINITY if self._attained is None else self._attained.evidence.upper
        return self._ends["upper"]

    @property
    def interval(self) -> Interval:
        """Both ends.

        Raises:
            ProofRejected: if they contradict each other.
        """
        return checked(self.lower, self.upper)

    @property
    def width(self) -> float:
        """How far the ends are apart; infinite where one is missing."""
        lower = self._known_lower
        return inf if lower is None else checked(lower, self.upper).width

    @property
    def is_narrow(self) -> bool:
        """Whether the ends are so close that no other are looked for."""
        return self.width <= NARROW

    @property
    def is_cut(self) -> bool:
        """Whether a limit stopped a method."""
        return self.timed_out or self.too_large

    @property
    def mechanism(self) -> AnyMechanism | None:
        """The mechanism that attains the upper end."""
        return None if self._attained is None else self._attained.evidence.mechanism

    @property
    def converse(self) -> Converse | None:
        """The multipliers behind the lower end, where that is how it is excluded."""
        found = self._nothing if self._excluded is None else self._excluded.evidence
        return found.converse if isinstance(found, Proof) else None

    @property
    def evidence(self) -> AnyProof:
        """The evidence of both ends."""
        found = self._nothing if self._excluded is None else self._excluded.evidence
        if isinstance(found, ClaimedProof):
            return found if self._attained is None else found.with_mechanism_of(_claimed(self._attained.evidence))
        if self._attained is None:
            return replace(found, mechanism=None)
        if self._attained is self._excluded or self._proves_all(self._attained.evidence):
            return self._attained.evidence
        if isinstance(self._attained.evidence, ClaimedProof):
            return _claimed(found).with_mechanism_of(self._attained.evidence)
        return found.with_mechanism_of(self._attained.evidence)

    def _proves_all(self, evidence: AnyProof) -> bool:
        """Whether the evidence of the upper end says of the lower one what is known without: that it is zero."""
        if self._excluded is not None or self.problem.asks == "distortion":
            return False
        try:
            return evidence.lower.rational == 0
        except ProofRejected:
            return False

    @property
    def proof(self) -> Proof:
        """The evidence of both ends as programs start from it: what rows or distances exclude is left out."""
        found = self.evidence
        return found if isinstance(found, Proof) else replace(self._nothing, mechanism=self.mechanism)

    @property
    def row_proof(self) -> Proof | ClaimedProof:
        """The evidence as one about a row of a database: multipliers, or claims of a notion that has only these."""
        found = self.evidence
        return found if isinstance(found, ClaimedProof) else self.proof

    @property
    def method(self) -> str:
        """In words, who found what is excluded; a mechanism is named where nothing is."""
        return "program" if self._speaker is None else self._speaker.method

    @property
    def theorem(self) -> str:
        """What the lower end rests on, a mechanism being its own proof; its own theorem where nothing is excluded."""
        converse = self.converse
        if converse is None or converse.order is None:
            return self.cited
        return f"{self.cited}; {_GROWS[self.problem.notion.name]}"

    @property
    def cited(self) -> str:
        """The theorem without the one by which its order is read at a smaller one."""
        return "weak duality" if self._speaker is None else self._speaker.theorem

    @property
    def explanation(self) -> Explanation:
        """How the ends were found."""
        return Explanation(asked_for(self.problem), tuple(self.steps))

    @property
    def _speaker(self) -> Offer | None:
        return self._attained if self._excluded is None else self._excluded

    @property
    def _nothing(self) -> Proof:
        """What is proven before anything is known."""
        if self.problem.asks == "loss":
            return Proof(self.problem, None, None)
        from epstar.solve.certify.multipliers import trivial_converse

        return Proof(self.problem, None, trivial_converse(self.problem))

    def __getstate__(self) -> dict[str, Any]:
        # Numbers with recipes cannot be sent between processes; the evidence tells them again.
        return {**vars(self), "_ends": {}}


def _claimed(evidence: AnyProof) -> ClaimedProof:
    """Return evidence as the claims that it makes."""
    return evidence if isinstance(evidence, ClaimedProof) else ClaimedProof(evidence.problem, evidence.completed())


def _improves(new: Real, old: Real | None, upwards: bool) -> bool:
    """Return whether an end is better than the one so far: further in, or at the same place and exact."""
    if old is None:
        return True
    if new.is_infinite or old.is_infinite:
        return new.is_infinite != old.is_infinite and new.is_infinite == upwards
    one, other = (new.below(BITS), old.below(BITS)) if upwards else (new.above(BITS), old.above(BITS))
    if one == other:
        return _is_exact(new) and not _is_exact(old)
    return (one > other) == upwards


def _is_exact(value: Real) -> bool:
    return value.rational is not None or value.argument_of_log is not None
