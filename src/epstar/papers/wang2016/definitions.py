r"""Section II: what the three notions promise, and Examples 1 and 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.mechanism.standard import constant, identity
from epstar.papers.theorem import Case, Relation, Theorem, Verdict
from epstar.papers.wang2016 import cases
from epstar.papers.wang2016.constructions import Database
from epstar.papers.wang2016.truth import (
    IDENTIFIABILITY,
    best_guess,
    distortion_of,
    identifiability_level,
    information_of,
    least_identifiability,
    privacy_level,
)
from epstar.proof import Interval

COIN = Mechanism([["0.6", "0.4"], ["0.4", "0.6"]], cases.EXAMPLE.universe)


def coin(database: Database) -> Callable[[], tuple[Case, ...]]:
    """Return the one case of Examples 1 and 2: the coin of the paper under a prior."""
    return lambda: ({"database": database, "mechanism": COIN},)


def level(case: Case) -> Real:
    return identifiability_level(case["mechanism"], case["database"])


def ratio_of(case: Case) -> Rational:
    ratio = Real.exp(level(case)).rational
    assert ratio is not None, "a mechanism without zeros has a finite level"
    return ratio


def _guess_bound(case: Case) -> Rational:
    return 1 / (1 + (case["database"].letters - 1) / ratio_of(case))


def _informed_level(case: Case) -> Real:
    """The worst log ratio of Pr(X_i = a | X_-i, Y) to Pr(X_i = b | X_-i, Y)."""
    database, mechanism = case["database"], case["mechanism"]
    worst = ONE
    for group in database.groups():
        for y in range(mechanism.shape[1]):
            joint = [database.prior[x] * mechanism.entry(x, y) for x in group]
            chances = [p / sum(joint, ZERO) for p in joint]
            worst = max(worst, max(chances) / min(chances))
    return Real.log(worst)


def _prior_guess(case: Case) -> Rational:
    database = case["database"]
    return max(database.prior[x] / sum((database.prior[k] for k in g), ZERO) for g in database.groups() for x in g)


def _factor(case: Case) -> Real:
    """The greatest log factor by which an output raises an informed adversary's chance of a value."""
    database, mechanism = case["database"], case["mechanism"]
    worst = ONE
    for group in database.groups():
        mass = sum((database.prior[x] for x in group), ZERO)
        for y in range(mechanism.shape[1]):
            seen = sum((database.prior[x] * mechanism.entry(x, y) for x in group), ZERO)
            worst = max(worst, *(mechanism.entry(x, y) * mass / seen for x in group))
    return Real.log(worst)


def _entropy(database: Database) -> Real:
    truthful = identity(database.universe)
    return information_of(truthful, database)


def _constants() -> Iterator[Case]:
    for database in cases.ALL:
        universe = database.universe
        law = cases.CORRELATED.prior if len(database.prior) == 4 else database.prior
        yield {"database": database, "mechanism": constant(universe, universe.labels, law)}


def _posterior_distortion(case: Case) -> Rational:
    """The objective of PD-I: distances averaged over p_Y and the posterior."""
    database, mechanism = case["database"], case["mechanism"]
    output = mechanism.output_law(database.source)
    posterior = mechanism.posterior(database.source)
    size = len(database.prior)
    terms = [output[y] * posterior.entry(y, x) * database.universe.distance(x, y) for x in range(size) for y in range(size)]
    return sum(terms, ZERO)


def claim(
    key: str,
    label: str,
    statement: str,
    drawn: Callable[[], object],
    printed: Callable[[Case], object],
    computed: Callable[[Case], Interval | Real | float] | None = None,
    relation: Relation = Relation.EQUAL,
    place: str = "Section II",
    tolerance: float = 1e-7,
    beyond: str = "",
    hypotheses: Callable[[Case], bool] = lambda case: True,
) -> Theorem:
    """Return a claim that holds as it stands."""
    return Theorem(
        key=f"wang2016:{key}",
        label=label,
        place=place,
        statement=statement,
        verdict=Verdict.HOLDS,
        relation=relation,
        cases=drawn,
        printed=printed,
        computed=computed,
        hypotheses=hypotheses,
        tolerance=tolerance,
        beyond=beyond,
    )


def real(value: Rational) -> Real:
    return Real.of(value)
