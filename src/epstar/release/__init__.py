"""Releases: the optimal mechanism applied to a table, exactly as it was certified."""

from epstar.release.atomic_files import WriteFailed
from epstar.release.bins import Bins
from epstar.release.categories import Categories, PublicCounts
from epstar.release.column import Column
from epstar.release.distance import Between, by_position
from epstar.release.document import read_release
from epstar.release.earlier import Earlier
from epstar.release.estimate import Cell, Combination, Estimate, estimate, estimate_by, released_columns
from epstar.release.format import Style
from epstar.release.frame_release import FrameRelease, release_frame
from epstar.release.functionals import Quantity
from epstar.release.histogram import public_counts
from epstar.release.keyed_bits import SecretKey
from epstar.release.keystream import Keystream, NoEntropy
from epstar.release.ledger import Account, Entry, Ledger
from epstar.release.proxy import proxy
from epstar.release.regression import Regression, regress
from epstar.release.rehearsal import Rehearsal, rehearse
from epstar.release.release import Release, release
from epstar.release.sampler import Sampler, TableSampler
from epstar.release.sampling_plan import Budget, Plan, plan
from epstar.release.settings import Settings
from epstar.release.strata import stratified, stratified_secret
from epstar.release.tickets import Tickets
from epstar.release.wrong_frequencies import Misjudged, misjudged

__all__ = [
    "Account",
    "Between",
    "Bins",
    "Budget",
    "Categories",
    "Cell",
    "Column",
    "Combination",
    "Earlier",
    "Entry",
    "Estimate",
    "FrameRelease",
    "Keystream",
    "Ledger",
    "Misjudged",
    "NoEntropy",
    "Plan",
    "PublicCounts",
    "Quantity",
    "Regression",
    "Rehearsal",
    "Release",
    "Sampler",
    "SecretKey",
    "Settings",
    "Style",
    "TableSampler",
    "Tickets",
    "WriteFailed",
    "by_position",
    "estimate",
    "estimate_by",
    "misjudged",
    "plan",
    "proxy",
    "public_counts",
    "read_release",
    "regress",
    "rehearse",
    "release",
    "release_frame",
    "released_columns",
    "stratified",
    "stratified_secret",
]
