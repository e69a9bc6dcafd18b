r"""Databases under Hamming distortion when the uniform law is possible: the rule on one column.

A mechanism averaged over the symmetries of the cube depends on the distance of input and output alone, z(x,y) = f(l).
Neither its loss at the uniform law nor its distortion there is larger (zhong2022, Class I), so that whatever excludes
such mechanisms excludes all. With N_l of the M databases at distance l from any one, its rows say sum N_l f(l) = 1, its
distortion is sum N_l l f(l), and each of its M columns has N_l entries f(l).
"""

from __future__ import annotations

from itertools import pairwise

from epstar.claims.claim import Excluded, Setting
from epstar.claims.members import check_average
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import Rational
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints
from epstar.notions.measure.by_distance import holds_uniform
from epstar.universe import Databases, Graph

_KNOWN = (
    DifferentialPrivacy,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Capacity,
    MaximalInformation,
    SibsonMutualInformation,
)


def check_symmetry(setting: Setting, claim: Excluded) -> None:
    """Check that averaging over the symmetries of databases loses nothing.

    Raises:
        ProofRejected: if the problem has not these symmetries, or the uniform law may be impossible.
    """
    source = setting.source
    if claim.symmetry != "distances":
        raise ProofRejected("The only symmetry that is known is that of distances.")
    check_distances(setting)
    if holds_uniform(source):
        return
    if claim.uniform is None:
        raise ProofRejected("The uniform distribution does not belong to the source.")
    check_average(setting, claim.uniform, source.uniform)


def check_distances(setting: Setting) -> None:
    """Check that it is known what a problem says of mechanisms that depend on distances alone.

    Raises:
        ProofRejected: if it is not.
    """
    universe, notion = setting.universe, setting.notion
    if not isinstance(universe, Databases) or universe.alphabet.size < 2 or setting.is_wider:
        raise ProofRejected("Only plain questions about databases over two categories or more are read by distances.")
    if type(setting.distortion) is not Hamming:
        raise ProofRejected("Only the number of wrong rows depends on the distance alone.")
    if not is_known_by_distances(notion):
        raise ProofRejected(f"By distances nothing is known of {notion.title}.")


def is_known_by_distances(notion: Notion) -> bool:
    """Return whether it is known what a notion says of mechanisms that depend on distances alone."""
    if isinstance(notion, ApproximateDifferentialPrivacy):
        return notion.reading == "pointwise" or notion.delta == 0
    return isinstance(notion, _KNOWN)


def averaged_constraints(notion: Notion, databases: Databases) -> Constraints:
    """Return what a notion says of the numbers f(0), f(1), ..., one column: neighbours differ in one more row, or less.

    Where it depends on a law it is read at the uniform one, under which N_l / M of the databases are at distance l; the
    likeliest of them, which a guess is about, are one by one as likely as all others.
    """
    sizes = (1,) * (databases.rows + 1) if isinstance(notion, MinEntropyLeakage) else databases.sphere_sizes()
    total = sum(sizes)
    law = tuple(Rational(size, total) for size in sizes)
    return notion.constraints(Graph(range(len(sizes)), [*pairwise(range(len(sizes)))]), (law,))
