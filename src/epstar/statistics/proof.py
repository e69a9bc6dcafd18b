"""Evidence about the error of a statistic: a mechanism that has it, and a certificate that no other has less."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, SubsetSelection, TopRandomisedResponse
from epstar.problem import Problem
from epstar.source import Prior, Source
from epstar.statistic import Statistic, Vector
from epstar.statistics.certificate import Certificate, Setting
from epstar.statistics.error import error_at, inclusions
from epstar.universe import Alphabet


@dataclass(frozen=True)
class Attained:
    """A mechanism that loses at most `loss`, with an error of at most `error` under every distribution in question.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> found = answer.evidence.attained
    >>> str(found.loss), found.mechanism.shape
    ('1', (4, 4))
    """

    loss: Real
    error: Rational
    mechanism: AnyMechanism


@dataclass(frozen=True)
class Excluded:
    """No mechanism whose loss is at most `loss` has an error below `error` under the distribution `law`.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> found = answer.evidence.excluded
    >>> str(found.loss), type(found.certificate).__name__
    ('1', 'ByCounts')
    """

    loss: Real
    error: Rational
    law: Vector
    certificate: Certificate


@dataclass(frozen=True)
class DesignProof:
    """Both claims about one question; either may be missing.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> type(answer.evidence).__name__, answer.evidence.attained is not None
    ('DesignProof', True)
    """

    problem: Problem
    attained: Attained | None
    excluded: Excluded | None

    @property
    def lower(self) -> Real:
        """What the excluded claim says of the answer."""
        claim, given = self.excluded, self.problem.given
        if claim is None:
            return Real.of(ZERO)
        if self.problem.asks == "distortion":
            if claim.loss < given:
                raise ProofRejected("What is excluded is not about the loss that is asked for.")
            return Real.of(claim.error)
        if not given < Real.of(claim.error):
            raise ProofRejected("What is excluded is not about the error that is asked for.")
        return claim.loss

    @property
    def upper(self) -> Real:
        """What the attained claim says of the answer."""
        claim, given = self.attained, self.problem.given
        if claim is None:
            return INFINITY
        loss, error = claim.loss, Real.of(claim.error)
        kept, end = (loss, error) if self.problem.asks == "distortion" else (error, loss)
        if kept > given:
            raise ProofRejected("What is attained is not about the point that is asked for.")
        return end


def check(proof: DesignProof) -> tuple[Real, Real]:
    """Return the ends between which the answer lies, after checking both claims in exact and ball arithmetic.

    Raises:
        ProofRejected: if one of them does not hold.

    >>> from epstar import Frontier, Statistic
    >>> answer = Frontier("dp", [0.25] * 4, Statistic.frequencies(rows=1000)).distortion_at(loss=1)
    >>> from epstar.statistics import check
    >>> lower, upper = check(answer.evidence)
    >>> lower <= upper
    True
    """
    problem = proof.problem
    statistic = statistic_of(problem)
    if proof.attained is None and proof.excluded is None:
        raise ProofRejected("Nothing is claimed.")
    if proof.attained is not None:
        _check_attained(problem, statistic, proof.attained)
    claim = proof.excluded
    if claim is not None:
        if not problem.source.contains(claim.law):
            raise ProofRejected("The distribution of the certificate is none that is in question.")
        setting = Setting(problem.notion, problem.universe, claim.law, statistic)
        if claim.certificate.error(setting, claim.loss) < claim.error:
            raise ProofRejected("The certificate proves a smaller error than is claimed.")
    lower, upper = proof.lower, proof.upper
    if lower > upper:
        raise ProofRejected("The two claims contradict each other; at least one is wrong.")
    return lower, upper


def _check_attained(problem: Problem, statistic: Statistic, claim: Attained) -> None:
    if claim.mechanism.universe != problem.universe:
        raise ProofRejected("The mechanism is about other inputs than the question.")
    loss = problem.notion.loss(claim.mechanism, problem.source).upper
    if loss is None or loss > claim.loss:
        raise ProofRejected("The mechanism is not seen to keep the loss that is claimed.")
    try:
        error = worst_error(claim.mechanism, problem.source, statistic)
    except InvalidInput as reason:
        raise ProofRejected(str(reason)) from None
    if error.is_infinite or error.above() > claim.error:
        raise ProofRejected("The mechanism has a larger error than is claimed.")


def worst_error(mechanism: AnyMechanism, source: Source, statistic: Statistic) -> Real:
    """Return the largest error under any distribution of a source, or a bound above it.

    The answers that are sets have their largest plain error at the uniform distribution, because the number of
    categories in an answer is fixed and x (1 - x) is concave.

    Raises:
        InvalidInput: if the source is a set and the mechanism or the statistic is not symmetric.
    """
    if isinstance(source, Prior):
        return error_at(mechanism, source.probabilities, statistic)
    if statistic.is_plain and inclusions(mechanism) is not None:
        return error_at(mechanism, source.uniform, statistic)
    raise InvalidInput(
        "Over a set of distributions errors are known where all categories count alike; give one distribution."
    )


def statistic_of(problem: Problem) -> Statistic:
    """Return the statistic that a question is about.

    Raises:
        InvalidInput: if it is about something else or something more, or does not fit the categories.
    """
    statistic = problem.distortion
    if not isinstance(statistic, Statistic):
        raise InvalidInput("This question is not about the error of a statistic.")
    if problem.is_wider:
        raise InvalidInput(
            "The error of a statistic goes with no secret, limits or further guarantees; give a cost of answers."
        )
    statistic.check_size(problem.universe.size)
    return statistic


def sets_of(universe: Alphabet, chosen: int, ratio: Rational) -> AnyMechanism:
    """Return subset selection, or randomised response where the sets have one member."""
    if chosen == 1 or universe.size == 1:
        return TopRandomisedResponse(universe, range(universe.size), ratio)
    return SubsetSelection(universe, chosen, ratio)
