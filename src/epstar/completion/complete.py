"""The completer: from the evidence that solvers find to claims with their numbers and steps."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.claims.claim import Attained, Bracket, Excluded, Setting
from epstar.completion.attained import attained
from epstar.completion.claimed_proof import ClaimedProof
from epstar.completion.distance_proof import DistanceProof
from epstar.completion.distances import excluded_by_distances, uniform_mixture
from epstar.completion.evidence import Proof
from epstar.completion.rounding import below, rounded_up
from epstar.completion.rows_proof import RowsProof
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ZERO, Interval, Rational, Real, smallest
from epstar.notions.enclosure import times
from epstar.source import Prior

AnyProof = Proof | RowsProof | DistanceProof | ClaimedProof

# Digits of a claim that is larger than what is known: the last ones are what a solver is content with.
_LARGER = (36, 24, 14, 10)


def completed(proof: AnyProof, proven: Interval | None = None) -> Bracket:
    """Return the claims that some evidence makes; `proven` is the interval that it establishes, if that is known.

    Raises:
        ProofRejected: if it establishes nothing that could be claimed.
    """
    if isinstance(proof, ClaimedProof):
        return proof.claims
    interval = proof.check() if proven is None else proven
    problem = proof.problem
    setting = Setting.of(problem)
    claim = _excluded(proof, interval.lower)
    found = None
    if proof.mechanism is not None:
        is_exact = interval.lower.rational is not None and interval.lower.rational == interval.upper.rational
        found = attained(problem, proof.mechanism, interval.upper, is_exact)
    return Bracket(setting, found, claim)


def larger(proof: AnyProof) -> Iterator[Attained]:
    """Yield claims of ever larger numbers about what the mechanism of some evidence attains.

    Numbers that are equal to what they bound may be more than enclosures can tell.
    """
    if isinstance(proof, ClaimedProof):
        return
    upper = proof.check().upper
    if proof.mechanism is None or upper.is_infinite:
        return
    for digits in _LARGER:
        yield attained(proof.problem, proof.mechanism, Real.of(rounded_up(upper.above(), digits)))


def _excluded(proof: Proof | RowsProof | DistanceProof, lower: Real) -> Excluded | None:
    if isinstance(proof, DistanceProof):
        return excluded_by_distances(proof, lower)
    if isinstance(proof, RowsProof):
        return _by_rows(proof, lower)
    return proof.exclusion.claim


def _by_rows(proof: RowsProof, lower: Real) -> Excluded | None:
    """Return the claim that follows from those of the rows: the least of their losses, the sum of their distortions."""
    problem = proof.problem
    if problem.asks == "loss" and lower.rational is not None and lower.rational <= 0:
        return None
    rows = tuple((_prior(row), _of_row(row), count) for row, count in proof.parts)
    uniform = uniform_mixture(Setting.of(problem))
    adds_up = problem.notion.rows_share == "sum"
    level = smallest([_times(claim.loss, count) if adds_up else claim.loss for _, claim, count in rows])
    if problem.asks == "loss":
        return Excluded(next(below(level, True)), problem.given, "loss", rows=rows, uniform=uniform)
    total: Real = Real.of(ZERO)
    for _, claim, count in rows:
        total = INFINITY if total.is_infinite or claim.distortion.is_infinite else total + claim.distortion * count
    return Excluded(problem.given, next(below(total, True)), "distortion", rows=rows, uniform=uniform)


def _of_row(row: Proof) -> Excluded:
    if row.exclusion.claim is not None:
        return row.exclusion.claim
    if row.problem.asks == "distortion":
        raise ProofRejected("A row excludes nothing.")
    return Excluded(Real.of(ZERO), row.problem.given, "loss")


def _prior(row: Proof) -> Prior:
    source = row.problem.source
    if not isinstance(source, Prior):
        raise ProofRejected("The claim about a row is at a known law.")
    return source


def _times(level: Real, count: int) -> Real:
    return level if level.is_infinite else times(level, Rational(count))
