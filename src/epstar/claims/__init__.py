"""Two claims, one rule: what an answer says, with its numbers in it, and how that is checked without a solver.

Whatever checks something here raises `ProofRejected` where it does not hold, with the reason.
"""

from epstar.claims.attained import check_mechanism
from epstar.claims.claim import (
    Attained,
    Bracket,
    Cut,
    Excluded,
    Hints,
    Mixture,
    Places,
    Setting,
    Shares,
    Step,
    SumUse,
    is_known,
    remember,
)
from epstar.claims.rows import check_attained_rows, check_excluded_rows, row_setting
from epstar.claims.rule import check_steps
from epstar.errors import ProofRejected

__all__ = [
    "Attained",
    "Bracket",
    "Cut",
    "Excluded",
    "Hints",
    "Mixture",
    "Places",
    "Setting",
    "Shares",
    "Step",
    "SumUse",
    "check",
    "check_attained",
    "check_excluded",
]


def check(bracket: Bracket) -> None:
    """Check every claim of a bracket."""
    if bracket.attained is None and bracket.excluded is None:
        raise ProofRejected("Nothing is claimed.")
    if bracket.attained is not None:
        check_attained(bracket.setting, bracket.attained)
    if bracket.excluded is not None:
        check_excluded(bracket.setting, bracket.excluded)


def check_attained(setting: Setting, claim: Attained) -> None:
    """Check that a mechanism has the loss and the distortion that are claimed of it."""
    if is_known(setting, claim):
        return
    if claim.rows:
        for source, part, _ in claim.rows:
            check_attained(row_setting(setting, source), part)
        check_attained_rows(setting, claim)
    else:
        check_mechanism(setting, claim)
    remember(setting, claim)


def check_excluded(setting: Setting, claim: Excluded) -> None:
    """Check that no mechanism has the loss and the distortion that are claimed to be excluded."""
    if is_known(setting, claim):
        return
    if claim.rows:
        check_excluded_rows(setting, claim)
        for prior, part, _ in claim.rows:
            check_excluded(row_setting(setting, prior, is_attained=False), part)
    else:
        check_steps(setting, claim)
    remember(setting, claim)
