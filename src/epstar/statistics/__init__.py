"""The statistic as utility: the least error of estimated frequencies at a loss, the least loss at an error, with proofs.

`epstar.statistic.Statistic` says what is estimated; `best_design` answers, `check` verifies an answer without a search.
"""

from epstar.statistics.certificate import ByCounts, ByRays, BySampling, Certificate, Setting
from epstar.statistics.error import error_at
from epstar.statistics.least import Found, best_design
from epstar.statistics.proof import Attained, DesignProof, Excluded, check

__all__ = [
    "Attained",
    "ByCounts",
    "ByRays",
    "BySampling",
    "Certificate",
    "DesignProof",
    "Excluded",
    "Found",
    "Setting",
    "best_design",
    "check",
    "error_at",
]
