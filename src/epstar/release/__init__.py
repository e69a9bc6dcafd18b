"""Releases: the optimal mechanism applied to a table, exactly as it was certified."""

from epstar.release.categories import Categories, PublicCounts
from epstar.release.column import Column
from epstar.release.document import read_release
from epstar.release.estimate import Cell, Combination, Estimate, estimate
from epstar.release.keystream import Keystream, NoEntropy
from epstar.release.plan import Budget, Plan, plan
from epstar.release.release import Release, release
from epstar.release.sampler import Sampler, TableSampler
from epstar.release.tickets import Tickets
from epstar.release.whole import WriteFailed

__all__ = [
    "Budget",
    "Categories",
    "Cell",
    "Column",
    "Combination",
    "Estimate",
    "Keystream",
    "NoEntropy",
    "Plan",
    "PublicCounts",
    "Release",
    "Sampler",
    "TableSampler",
    "Tickets",
    "WriteFailed",
    "estimate",
    "plan",
    "read_release",
    "release",
]
