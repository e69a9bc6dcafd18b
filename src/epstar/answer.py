"""What a question gets back: a proven interval with its evidence."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from epstar.claims import Bracket, Excluded, Setting, check_attained, check_excluded
from epstar.claims.claim import Hints
from epstar.completion import AnyProof, Proof
from epstar.deadline import WORKING, Deadline
from epstar.distortion import Gain
from epstar.errors import NoSolution, ProofRejected
from epstar.exact import Interval, Real
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed, Drawn, Saved
from epstar.problem import Problem
from epstar.statistic import Statistic

if TYPE_CHECKING:
    from epstar.solve import Bracket as Solution
    from epstar.solve import Explanation
    from epstar.statistics.proof import DesignProof

TIME_PASSED = "the time limit passed"
TOO_LARGE = "too large for a program"
NARROW = 1e-7
"""How wide an answer that is called proven may be: nats, or units of the distortion."""

# Why an interval is wide, and what would narrow it.
_ADVICE = {
    TIME_PASSED: "raise it to know more",
    TOO_LARGE: "merge categories or raise the memory limit to know more",
}
_BOUNDED = (
    "the set has too many extreme distributions to list, so that the loss of a mechanism is bounded and not measured, "
    "a smaller set or fewer categories would narrow it"
)
_NO_FURTHER = "no method proves more here, fewer categories or a smaller source may help"


@dataclass(frozen=True, repr=False)
class Answer(Displayed, Drawn, Saved):
    """A proven interval, the mechanism that attains its achievable end, and the proof of the other.

    For a distortion or a loss the mechanism attains `upper`; for a utility it attains `lower`.

    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> answer, answer.theorem
    (Answer(log(12) ≈ 2.48491 nats; proven; closed form; 4 × 4 mechanism), 'zhong2022, Theorem 13 as corrected')
    """

    _face: ClassVar[str] = "answers"

    interval: Interval
    mechanism: AnyMechanism | None
    proof: AnyProof
    method: str
    theorem: str
    status: str
    unit: str
    timed_out: bool
    too_large: bool
    """Whether the memory allowed was too little for a narrower interval."""
    claims: Bracket
    """What is claimed of the two ends, with the steps that prove it."""
    explanation: Explanation | None = None
    """How the ends were found; None for an answer that was read from a file."""

    @property
    def problem(self) -> Problem:
        """The question."""
        return self.proof.problem

    @property
    def lower(self) -> float:
        """The largest float that is proven not to exceed the answer."""
        return self.interval.lower.lower

    @property
    def upper(self) -> float:
        """The smallest float that is proven not to be below the answer."""
        return self.interval.upper.upper


@dataclass(frozen=True, repr=False)
class StatisticAnswer(Answer):
    """An answer about the error of a statistic: its evidence is a design and the certificate that none is better.

    The rule of claims says nothing of it, so that `claims` and `proof` are empty; `epstar.statistics.check` verifies
    `evidence`.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> type(answer).__name__, answer.status
    ('StatisticAnswer', 'proven')
    """

    evidence: DesignProof = field(kw_only=True)


def answer(
    problem: Problem, method: str | None = None, time_limit: float | None = None, memory_limit: float | None = None
) -> Answer:
    """Return the proven answer to a question.

    `time_limit` is in seconds; `memory_limit` is in bytes, for all that the process holds, and unless given it is what
    it holds and half of what is free. Where one of them is reached, the answer has the bounds that are known.

    >>> from epstar.problem_file import read_problem
    >>> coin = {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]}}
    >>> problem = read_problem({**coin, "distortion": {"name": "hamming"}, "at": {"distortion": "1/4"}})
    >>> str(answer(problem).interval.upper)
    'log(3/2)'
    """
    if isinstance(problem.distortion, Statistic):
        return _design_answer(problem, time_limit)
    from epstar.solve import solve

    return checked_answer(problem, solve(problem, method, time_limit, memory_limit))


def _design_answer(problem: Problem, time_limit: float | None) -> Answer:
    """Return the proven answer to a question about the error of a statistic.

    Raises:
        TimeLimit: if it was not found in time.
    """
    from epstar.solve.explanation import BEST_DESIGN
    from epstar.statistics.least import best_design
    from epstar.statistics.proof import check as check_design

    start = time.process_time()
    with Deadline(time_limit, spare=1 - WORKING).kept():
        found = best_design(problem)
    answered = design_answer(found.proof, found.method, found.theorem, check_design(found.proof))
    seconds = time.process_time() - start
    return replace(answered, explanation=explained(problem, BEST_DESIGN, found.theorem, answered.interval, seconds))


def explained(problem: Problem, method: str, theorem: str, interval: Interval, seconds: float) -> Explanation:
    """Return how an answer was found that one method gave alone."""
    from epstar.solve.explanation import Explanation, Improvement, asked_for

    ends = float(interval.lower), float(interval.upper)
    return Explanation(asked_for(problem), (Improvement(method, theorem, *ends, seconds),))


def design_answer(evidence: DesignProof, method: str, theorem: str, ends: tuple[Real, Real]) -> StatisticAnswer:
    """Return the answer that evidence gives which was checked, with the ends that it establishes."""
    problem, interval = evidence.problem, Interval(*ends)
    return StatisticAnswer(
        interval,
        None if evidence.attained is None else evidence.attained.mechanism,
        Proof(problem, None, None),
        method,
        theorem,
        described(interval, False, False)[0],
        unit_asked(problem),
        False,
        False,
        Bracket(Setting.of(problem)),
        evidence=evidence,
    )


def interval_asked(problem: Problem, proven: Interval) -> Interval:
    """Return what a proof says of what was asked for: a utility is a distortion turned round.

    Raises:
        ProofRejected: if it is about a utility, and there is no mechanism that has one.
    """
    if problem.asks == "distortion" and isinstance(problem.distortion, Gain):
        if proven.upper.is_infinite:
            raise ProofRejected("A utility is what some mechanism has, and the proof holds none.")
        return Interval(proven.upper * -1, proven.lower * -1)
    return proven


def unit_asked(problem: Problem) -> str:
    """Return what the answer to a question is measured in: "nats", "distortion" or "utility"."""
    if problem.asks == "loss":
        return "nats"
    return "utility" if isinstance(problem.distortion, Gain) else "distortion"


def refutation(error: NoSolution) -> AnyProof | None:
    """Return the proof that there is no mechanism; None where the error has none."""
    if not isinstance(error.witness, AnyProof):
        return None
    return error.witness


def checked_answer(problem: Problem, solved: Solution) -> Answer:
    """Return the answer that a solved problem gives once its proof has been checked."""
    evidence = solved.evidence
    claims = claimed(evidence)
    interval = interval_asked(problem, Interval(*claimed_ends(problem, claims)))
    hints = Hints() if claims.attained is None else claims.attained.hints
    # What stands for all distributions at once may be more than any one of them makes of a loss.
    is_bounded = hints.shares is not None or hints.slopes is not None
    status, timed_out, too_large = described(interval, solved.timed_out, solved.too_large, is_bounded)
    return Answer(
        interval,
        None if claims.attained is None else evidence.mechanism,
        evidence,
        solved.method,
        solved.theorem,
        status,
        unit_asked(problem),
        timed_out,
        too_large,
        claims,
        solved.explanation,
    )


def described(interval: Interval, timed_out: bool, too_large: bool, is_bounded: bool = False) -> tuple[str, bool, bool]:
    """Return in words how well an answer is known, and which limits left it wider: what is narrow was not cut short.

    Where it is wide the words say why, and what would narrow it.

    >>> described(Interval(Real.of(0), Real.of(1)), timed_out=True, too_large=False)[0]
    'the time limit passed, raise it to know more; proven to within 1.0e+00'
    """
    if interval.width <= NARROW:
        return "proven", False, False
    reasons = [reason for reason, is_so in ((TOO_LARGE, too_large), (TIME_PASSED, timed_out)) if is_so]
    words = [f"{reason}, {_ADVICE[reason]}" for reason in reasons] + [_BOUNDED] * is_bounded or [_NO_FURTHER]
    return "; ".join([*words, f"proven to within {interval.width:.1e}"]), timed_out, too_large


def claimed(proof: AnyProof) -> Bracket:
    """Return the claims that some evidence makes, after checking them by their rule.

    What is attained and cannot be checked is claimed again, a little larger; an end for which that is no help is left
    open, so that whatever is returned was checked. Where a limit left no time at all, nothing is claimed but that no
    loss is negative.

    Raises:
        ProofRejected: if the evidence does not hold, or none of its claims does.
    """
    claims = proof.completed()
    setting, excluded = claims.setting, claims.excluded
    rejected: list[ProofRejected] = []
    if excluded is not None:
        try:
            check_excluded(setting, excluded)
        except ProofRejected as error:
            if proof.problem.asks == "distortion":
                # Costs may be of either sign: there is no end to fall back to.
                raise
            rejected.append(error)
            excluded = None
    for attained in () if claims.attained is None else chain((claims.attained,), proof.larger()):
        try:
            check_attained(setting, attained)
        except ProofRejected as error:
            rejected.append(error)
        else:
            return Bracket(setting, attained, excluded)
    if rejected and excluded is None:
        raise rejected[0]
    if excluded is None and proof.problem.asks == "loss":
        # A proof that says nothing is none.
        excluded = Excluded(Real.of(0), proof.problem.given, "loss")
    return Bracket(setting, None, excluded)


def claimed_ends(problem: Problem, claims: Bracket) -> tuple[Real, Real]:
    """Return the ends that claims establish of what a problem asks for, a utility not turned round.

    Raises:
        ProofRejected: if they say nothing of that point, or contradict each other.
    """
    lower, upper = (end(problem.asks, problem.given) for end in (claims.lower, claims.upper))
    if lower > upper:
        raise ProofRejected("The two claims contradict each other; at least one is wrong.")
    return lower, upper
