r"""Databases under Hamming distortion when the uniform law is possible: the rule on one column.

A mechanism averaged over the symmetries of the cube depends on the distance of input and output alone, z(x,y) = f(l).
Neither its loss at the uniform law nor its distortion there is larger (zhong2022, Class I), so that whatever excludes
such mechanisms excludes all. With N_l of the M databases at distance l from any one, its rows say sum N_l f(l) = 1, its
distortion is sum N_l l f(l), and each of its M columns has N_l entries f(l).
"""

from __future__ import annotations

from epstar.claims.claim import Excluded, Setting
from epstar.claims.members import check_average
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational
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
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Maximum,
    Norm,
    Proportional,
    RatioBound,
    RelativeEntropy,
    SumBound,
)
from epstar.notions.distances import holds_uniform
from epstar.universe import Databases


def check_symmetry(setting: Setting, claim: Excluded) -> None:
    """Check that averaging over the symmetries of databases loses nothing.

    Raises:
        ProofRejected: if the problem has not these symmetries, or the uniform law may be impossible.
    """
    universe, source = setting.universe, setting.source
    if claim.symmetry != "distances" or not isinstance(universe, Databases) or universe.alphabet.size < 2:
        raise ProofRejected("Only databases over two categories or more are averaged over distances.")
    if type(setting.distortion) is not Hamming:
        raise ProofRejected("Only the number of wrong rows depends on the distance alone.")
    if holds_uniform(source):
        return
    if claim.uniform is None:
        raise ProofRejected("The uniform distribution does not belong to the source.")
    check_average(setting, claim.uniform, source.uniform)


def is_known_by_distances(notion: Notion) -> bool:
    """Return whether it is known what a notion says of mechanisms that depend on distances alone."""
    try:
        averaged_constraints(notion, Databases(("0", "1"), 1))
    except ProofRejected:
        return False
    return True


def averaged_constraints(notion: Notion, databases: Databases) -> Constraints:
    """Return what a notion says of the numbers f(0), f(1), ...; read at the uniform law where it depends on one.

    Raises:
        ProofRejected: for a notion whose bounds say more than that.
    """
    sizes = databases.sphere_sizes()
    distances = range(len(sizes))
    law = {distance: Rational(size, databases.size) for distance, size in enumerate(sizes)}
    largest = Maximum(dict.fromkeys(distances, ONE))
    match notion:
        case DifferentialPrivacy():
            return _neighbours(len(sizes), ZERO)
        case ApproximateDifferentialPrivacy() if notion.reading == "pointwise" or notion.delta == 0:
            return _neighbours(len(sizes), notion.delta)
        case MaximalLeakage():
            return Constraints(sums=(SumBound(((ONE, largest),), Exponential()),))
        case MinEntropyLeakage():
            return Constraints(sums=(SumBound(((ONE, largest),), Exponential(), (0,)),))
        case MutualInformation() | Capacity() | SibsonMutualInformation(order=Rational(p=1, q=1)):
            terms = tuple((law[x], RelativeEntropy({x: ONE}, law)) for x in distances)
            return Constraints(sums=(SumBound(terms, Proportional(), (0,)),))
        case MaximalInformation():
            return Constraints(ratios=tuple(RatioBound({x: ONE}, law, name=(0, x)) for x in distances))
        case SibsonMutualInformation(order=float()):
            return Constraints(sums=(SumBound(((ONE, largest),), Exponential()),))
        case SibsonMutualInformation(order=Rational() as order):
            scale = Exponential(rate=(order - 1) / order)
            return Constraints(sums=(SumBound(((ONE, Norm(law, order)),), scale, (0,)),))
        case _:
            raise ProofRejected(f"Nothing is known of {notion.title} after averaging over distances.")


def _neighbours(count: int, slack: Rational) -> Constraints:
    pairs = [pair for x in range(count - 1) for pair in ((x, x + 1), (x + 1, x))]
    return Constraints(ratios=tuple(RatioBound({x: ONE}, {z: ONE}, slack=slack, name=(x, z)) for x, z in pairs))
