"""Claims as evidence: who finds both halves in the form in which they are checked needs no completer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from epstar.claims import check
from epstar.claims.claim import Bracket
from epstar.exact import Interval, Real
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed
from epstar.problem import Problem


@dataclass(frozen=True, repr=False)
class ClaimedProof(Displayed):
    """Evidence for an interval around the answer to `problem` that is its claims themselves.

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
        """The mechanism that attains the upper end."""
        return None if self.claims.attained is None else self.claims.attained.mechanism

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
        return Interval(self.lower, self.upper)

    def with_mechanism_of(self, other: ClaimedProof) -> ClaimedProof:
        """Return this evidence with what another about the same problem attains."""
        return replace(self, claims=replace(self.claims, attained=other.claims.attained))
