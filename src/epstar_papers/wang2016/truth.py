"""What is true: values that epstar proves from the definitions, never from a formula of the paper.

Every question is put to the frontier on databases with the joint prior, one row included: there the answer is that of
a program with its dual certificate, not one of the closed forms that the paper (or this folder) states.
"""

from __future__ import annotations

from functools import lru_cache

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Interval, Rational, Real
from epstar.exact_linear import LinearSystem, Optimum
from epstar.frontier import Answer, Frontier
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions import DifferentialPrivacy, Identifiability, MutualInformation
from epstar.notions.base import Notion
from epstar_papers.wang2016.constructions import Database, Point

IDENTIFIABILITY = Identifiability()
PRIVACY = DifferentialPrivacy()
INFORMATION = MutualInformation()


@lru_cache(maxsize=4096)
def optimum(notion: Notion, database: Database, distortion: Rational) -> Answer:
    """Return the least level at an expected number of wrong rows, with its mechanism."""
    return Frontier(notion, database.source, Hamming(), database.universe).loss_at(distortion)


def least_identifiability(database: Database, distortion: Rational) -> Interval:
    """Return the proven epsilon_i*(D)."""
    return optimum(IDENTIFIABILITY, database, distortion).interval


def least_privacy(database: Database, distortion: Rational) -> Interval:
    """Return the proven epsilon_d*(D)."""
    return optimum(PRIVACY, database, distortion).interval


def least_information(database: Database, distortion: Rational) -> Interval:
    """Return the proven epsilon_m*(D), in nats."""
    return optimum(INFORMATION, database, distortion).interval


@lru_cache(maxsize=4096)
def least_distortion(notion: Notion, database: Database, ratio: Rational) -> Interval:
    """Return the proven least expected number of wrong rows at the level log(ratio)."""
    return Frontier(notion, database.source, Hamming(), database.universe).distortion_at(Real.log(ratio)).interval


def privacy_level(mechanism: AnyMechanism) -> Real:
    """Return the differential-privacy level of a mechanism, by definition."""
    return _exact(PRIVACY, mechanism, None)


def identifiability_level(mechanism: AnyMechanism, database: Database) -> Real:
    """Return the identifiability level of a mechanism, by definition."""
    return _exact(IDENTIFIABILITY, mechanism, database)


def information_of(mechanism: AnyMechanism, database: Database) -> Real:
    """Return the mutual information of input and output, in nats."""
    return _exact(INFORMATION, mechanism, database)


def distortion_of(mechanism: AnyMechanism, database: Database) -> Rational:
    """Return the expected number of wrong rows."""
    return mechanism.distortion(Hamming(), database.source).value


def _exact(notion: Notion, mechanism: AnyMechanism, database: Database | None) -> Real:
    loss = notion.loss(mechanism, None if database is None else database.source).upper
    assert loss is not None, "exact mechanisms have exact losses"
    return loss


def best_guess(mechanism: Mechanism, database: Database) -> Rational:
    """Return the best chance of an informed adversary to name the one row it lacks, over all it may know and see."""
    best = ZERO
    for group in database.groups():
        for y in range(mechanism.shape[1]):
            joint = [database.prior[x] * mechanism.entry(x, y) for x in group]
            if sum(joint, ZERO) > 0:
                best = max(best, max(joint) / sum(joint, ZERO))
    return best


@lru_cache(maxsize=256)
def relaxed_distortion(categories: int, rows: int, ratio: Rational) -> Rational:
    """Return the value of R-PD by an exact linear program over all posteriors of one output, database 0.

    All outputs have the same program up to renaming categories, so any p_Y has this value.
    """
    databases = Database((ZERO,) * categories**rows, categories, rows)
    size = categories**rows
    pairs = [(x, other) for group in databases.groups() for x in group for other in group if x != other]
    bounds: tuple[Point, ...] = tuple(
        tuple(ONE if k == x else -ratio if k == other else ZERO for k in range(size)) for x, other in pairs
    )
    cost = [-databases.universe.distance(x, 0) for x in range(size)]
    system = LinearSystem(size, bounds, (ZERO,) * len(bounds), ((ONE,) * size,), (ONE,))
    found = system.maximise(cost)
    assert isinstance(found, Optimum), "the uniform distribution is feasible and the set is bounded"
    return -found.value
