"""Databases with independent rows: the trade-off of the whole from that of the rows, never enumerated.

Fix a row. Averaging over the others and ignoring their answers leaves a mechanism on that row which loses no more
(zhong2022, Lemma 16(1); for mutual information the chain rule adds the rows up, Lemma 16(2)). So the distortion at a
level is at least the sum of the rows' least distortions, and mechanisms applied row by row attain it.

Where the uniform law is in a source of any kind, what holds for uniform rows bounds the source from below, and for
Hamming distortion a mechanism that treats all letters alike attains it (zhong2022, Class I).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from epstar.claims.rows import shares_rows
from epstar.completion.distance_proof import allows_uniform
from epstar.completion.evidence import Proof, achieved, checked
from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import ProofRejected, Undecided
from epstar.exact import INFINITY, ZERO, Interval, Rational, Real, smallest
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed, Saved
from epstar.notions.enclosure import times
from epstar.problem import Problem
from epstar.source import Prior, Rows
from epstar.universe import Databases


@dataclass(frozen=True, repr=False)
class RowsProof(Displayed, Saved):
    """Evidence from the rows: a proof for each kind of row and how many rows there are of it.

    Each says of its rows that whoever loses less than some level distorts at least so much: at least the bound that
    is proven at a given level, more than a given distortion where a bound of the loss is proven. If these add up to
    more than is allowed, or to all of it and one of them is more, nobody loses less than the least of the levels.
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    mechanism: AnyMechanism | None
    parts: tuple[tuple[Proof, int], ...]

    def check(self) -> Interval:
        """Return the interval that the evidence establishes.

        Raises:
            ProofRejected: if the rows do not fit the database, or a row's proof is rejected.
        """
        self._check_rows()
        return checked(self._lower(), achieved(self.problem, self.mechanism))

    def _check_rows(self) -> None:
        problem = self.problem
        source, universe = independent_rows(problem), problem.universe
        if source is None:
            raise ProofRejected("Row by row proofs are for databases whose rows are independent with known laws.")
        assert isinstance(universe, Databases)
        if type(problem.distortion) not in (Hamming, Absolute, Squared) or not shares_rows(problem.notion):
            raise ProofRejected("The notion or the distortion does not add up over rows.")
        rows = [row.problem.source for row, count in self.parts for _ in range(count if count < source.rows else 1)]
        laws = list(source.sources)
        if any(count < 1 for _, count in self.parts):
            raise ProofRejected("The proof of a row must be used for at least one row.")
        if rows != laws or sum(count for _, count in self.parts) != source.rows:
            raise ProofRejected("The proofs of the rows are not about the rows of the database.")
        for row, _ in self.parts:
            same = row.problem.notion == problem.notion and type(row.problem.distortion) is type(problem.distortion)
            if not same or row.problem.universe != universe.alphabet:
                raise ProofRejected("The proof of a row is about another notion, distortion or alphabet.")

    def _lower(self) -> Real:
        problem = self.problem
        adds_up = problem.notion.rows_share == "sum"
        if adds_up and len(self.parts) > 1:
            raise ProofRejected("Losses that add up need rows that are alike.")
        levels, least, is_more = [], Real.of(ZERO), False
        for row, count in self.parts:
            level, distortion = row.problem.given, row.check().lower
            if row.problem.asks == "loss":
                level, distortion, is_more = distortion, level, True
            levels.append(times(level, Rational(count)) if adds_up and not level.is_infinite else level)
            least = INFINITY if least.is_infinite or distortion.is_infinite else least + distortion * count
        if problem.asks == "distortion":
            if is_more:
                raise ProofRejected("The proofs of the rows must bound their distortions.")
            if not all(level >= problem.given for level in levels):
                raise ProofRejected("The proofs of the rows are about a smaller level.")
            return least
        try:
            is_excluded = least >= problem.given if is_more else least > problem.given
        except Undecided:
            is_excluded = False
        if not is_excluded:
            raise ProofRejected("The rows exclude no level: their distortions do not add up to more than allowed.")
        return smallest(levels)


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
