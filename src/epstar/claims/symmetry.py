r"""Databases under Hamming distortion, averaged over their symmetries: the rule on one column.

A mechanism averaged over the symmetries of the cube depends on the distance of input and output alone, z(x,y) = f(l).
Neither its loss at the uniform law nor its distortion there is larger (zhong2022, Class I), so that whatever excludes
such mechanisms excludes all. With N_l of the M databases at distance l from any one, its rows say sum N_l f(l) = 1, its
distortion is sum N_l l f(l), and each of its M columns has N_l entries f(l).

Where the uniform law is not possible another law p of the source will do: its joint probabilities, averaged over the
symmetries, are those of a mechanism under the uniform law, with the same distortion. As they are at most max p times
the entries of the mechanism, its loss there is at most log(M max p) more; an information differs by the entropies,
which is sum p log(M p) (zhong2022, Theorem 6(3), (4), (6) and (7), by another way).
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from epstar.claims.claim import Excluded, Point, Setting, bits_of, mixed
from epstar.claims.members import check_mixture
from epstar.claims.saddle import order_of
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    PointwiseLeakage,
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
    PointwiseLeakage,
    SibsonMutualInformation,
)


def unevenness(setting: Setting, claim: Excluded) -> Rational:
    """Check that there are symmetries to average over, and return by how much that may raise e^loss, as a factor."""
    if claim.symmetry != "distances":
        raise ProofRejected("The only symmetry that is known is that of distances.")
    check_distances(setting)
    if claim.uniform is None:
        if not holds_uniform(setting.source):
            raise ProofRejected("The uniform distribution does not belong to the source.")
        return ONE
    check_mixture(claim.uniform, setting.source, setting.notion.needs_source)
    law = mixed(claim.uniform)
    if len(set(law)) == 1:
        return ONE
    if isinstance(setting.notion, DifferentialPrivacy | ApproximateDifferentialPrivacy):
        raise ProofRejected("For this notion the distributions must mix to the uniform one.")
    return factor_of(setting.notion, law, claim.digits)


def factor_of(notion: Notion, law: Point, digits: int) -> Rational:
    """Return e to what a loss may be larger by at the uniform law, rounded up."""
    size = len(law)
    if not is_of_order_one(notion):
        return size * max(law)
    logs = Real.of(ZERO)
    for p, count in Counter(law).items():
        logs = logs + Real.log(size * p) * (p * count) if p > 0 else logs
    return Real.exp(logs).above(bits_of(digits))


def is_of_order_one(notion: Notion) -> bool:
    """Return whether relative entropies to the law of the output are bounded, in the mean or one by one."""
    return order_of(notion) == 1 or isinstance(notion, PointwiseLeakage)


def check_distances(setting: Setting) -> None:
    """Check that it is known what a problem says of mechanisms that depend on distances alone."""
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
    if isinstance(notion, PointwiseLeakage):
        # The same for all inputs, so that it is their mean.
        notion = MutualInformation()
    return notion.constraints(Graph(range(len(sizes)), [*pairwise(range(len(sizes)))]), (law,))
