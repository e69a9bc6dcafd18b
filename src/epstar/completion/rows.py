"""Independent rows: the trade-off of a database from that of its rows, never enumerated (`epstar.claims.rows`).

Where the uniform law is in a source of any kind, what holds for uniform rows bounds the source from below, and for
Hamming distortion a mechanism that treats all letters alike attains it (zhong2022, Class I).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from epstar.claims import check_excluded
from epstar.claims.claim import Excluded, Point, Setting
from epstar.claims.rows import row_setting, shares_of_rows
from epstar.completion.distances import allows_uniform, uniform_mixture
from epstar.completion.draft import Exclusion
from epstar.completion.evidence import ClaimedProof, Evidence, Proof
from epstar.completion.rounding import below
from epstar.distortion import Hamming
from epstar.errors import ProofRejected, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, smallest
from epstar.exact.enclosure import times
from epstar.problem import Problem
from epstar.source import Prior, Rows
from epstar.universe import Databases


@dataclass(frozen=True, repr=False)
class RowsProof(Evidence):
    """Evidence from the rows: a proof for each kind of row and how many rows there are of it.

    Each says of its rows that whoever loses less than some level distorts at least so much: at least the bound that
    is proven at a given level, more than a given distortion where a bound of the loss is proven. If these add up to
    more than is allowed, or to all of it and one of them is more, nobody loses less than the least of the levels.
    """

    parts: tuple[tuple[Proof | ClaimedProof, int], ...]
    law: Point | None = None
    """A law of the source that is no product, below which multiples of the laws of the rows are found line by line."""

    @cached_property
    def exclusion(self) -> Exclusion:
        """The lower end with the claim that follows from those of the rows.

        Raises:
            ProofRejected: if it does not follow.
        """
        claim = _claim(self.problem, self.parts, self.law)
        end = claim.loss if self.problem.asks == "loss" else claim.distortion
        if self.problem.asks == "loss" and end.rational is not None and end.rational <= 0:
            return Exclusion(Real.of(ZERO))
        try:
            check_excluded(Setting.of(self.problem), claim)
        except Undecided as error:
            raise ProofRejected(str(error)) from None
        return Exclusion(end, claim)


def _claim(problem: Problem, parts: tuple[tuple[Proof | ClaimedProof, int], ...], law: Point | None) -> Excluded:
    """Return what the rows exclude: the least of their losses, the sum of their distortions."""
    setting = Setting.of(problem)
    rows = tuple((_prior(row), _of_row(row), count) for row, count in parts)
    if any(
        row.problem.universe != row_setting(setting, prior).universe
        for (row, _), (prior, *_) in zip(parts, rows, strict=True)
    ):
        raise ProofRejected("The proof of a row is about other categories than those of the database.")
    uniform, shares = uniform_mixture(setting), [Rational(count) for *_, count in rows]
    if law is not None and isinstance(problem.universe, Databases):
        uniform = ((ONE, law),)
        shares = shares_of_rows(law, problem.universe, [(prior, count) for prior, _, count in rows])
    if problem.asks == "loss":
        adds_up = problem.notion.rows_share == "sum"
        level = smallest([_times(claim.loss, count) if adds_up else claim.loss for _, claim, count in rows])
        return Excluded(next(below(level, True)), problem.given, "loss", rows=rows, uniform=uniform)
    total: Real = Real.of(ZERO)
    for (_, claim, _), share in zip(rows, shares, strict=True):
        total = INFINITY if total.is_infinite or claim.distortion.is_infinite else total + claim.distortion * share
    return Excluded(problem.given, next(below(total, True)), "distortion", rows=rows, uniform=uniform)


def _of_row(row: Proof | ClaimedProof) -> Excluded:
    if row.exclusion.claim is not None:
        return row.exclusion.claim
    if row.problem.asks == "distortion":
        raise ProofRejected("A row excludes nothing.")
    return Excluded(Real.of(ZERO), row.problem.given, "loss")


def _prior(row: Proof | ClaimedProof) -> Prior:
    source = row.problem.source
    if not isinstance(source, Prior):
        raise ProofRejected("The claim about a row must be at a known prior.")
    return source


def _times(level: Real, count: int) -> Real:
    return level if level.is_infinite else times(level, Rational(count))


def independent_rows(problem: Problem) -> Rows | None:
    """Return a law of the source under which rows are independent and whose optimum bounds that of the source.

    It is the source itself where that is one such law, else the uniform law where the source allows it.
    """
    source, universe = problem.source, problem.universe
    if isinstance(source, Rows) and source.is_one_law:
        return source
    if isinstance(universe, Databases) and type(problem.distortion) is Hamming and allows_uniform(problem):
        return Rows(Prior.uniform_on(universe.alphabet.size), universe.rows)
    return None
