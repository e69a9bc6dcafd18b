"""The statistic as utility: the least error of estimates at a loss, the least loss at an error, with proofs.

`epstar.statistic.Statistic` says what is estimated, a `Frontier` or a problem file asks; `check` verifies the evidence
of an answer without a search. The search is in `epstar.statistics.least`, which loads scipy.
"""

from epstar.statistics.certificate import ByCounts, ByRays, BySampling, Certificate, Setting
from epstar.statistics.error import error_at
from epstar.statistics.proof import Attained, DesignProof, Excluded, check

__all__ = [
    "Attained",
    "ByCounts",
    "ByRays",
    "BySampling",
    "Certificate",
    "DesignProof",
    "Excluded",
    "Setting",
    "check",
    "error_at",
]
