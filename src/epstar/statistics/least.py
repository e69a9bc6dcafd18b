"""The least error of a statistic at a loss, and the least loss at an error: a design, its certificate, and a search.

Three ways, told apart by the question alone: sets of one size where a uniform distribution is in question and all
categories count alike (any number of them, exact); designs on all rays for one distribution (up to 16 categories, to
the last digits of floats); and between them sets of one size again, with a bound by counts: a gap that is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import exp, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import brentq

from epstar.deadline import keep_time
from epstar.errors import InvalidInput, NoSolution, ProofRejected
from epstar.exact import ONE, ZERO, Rational, RationalMatrix, Real, rational
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import Mechanism
from epstar.notions.priors import listed_laws
from epstar.problem import Problem
from epstar.source import Prior
from epstar.statistic import Vector
from epstar.statistics.by_counts import bound_by_counts, set_size
from epstar.statistics.certificate import ByRays, BySampling, Certificate, Setting
from epstar.statistics.design import Design, optimal_design
from epstar.statistics.proof import Attained, DesignProof, Excluded, sets_of, statistic_of, worst_error
from epstar.statistics.rays import MOST_INPUTS, Listed, Rays, TwoValued, rays_of
from epstar.universe import Alphabet, Universe

Floats = NDArray[np.float64]

SYMMETRIC = "sets of one size are optimal under a uniform distribution (Ye and Barg 2018; Kiefer and Wolfowitz 1960)"
ON_RAYS = "optimal design on extreme rays (Kiefer and Wolfowitz 1960; Kairouz, Oh and Viswanath 2016)"
BETWEEN = "sets of one size against a bound by counts (Kiefer and Wolfowitz 1960)"
# e^loss - 1 stays between e^-300 and e^300: beyond that floats do not search.
_LARGEST_PLACE = 300.0
_SEARCH_STEPS = 40
# A search that ends this close to its root from both sides needs no second one.
_WIDE = Rational(1, 1 << 20)
# What masses keep if they cannot be balanced exactly: the rest is far more than they were rounded by.
_SPARED = ONE - Rational(1, 10**10)


@dataclass(frozen=True)
class Found:
    """Evidence, how it was found and the theorem that it rests on."""

    proof: DesignProof
    method: str
    theorem: str


def best_design(problem: Problem) -> Found:
    """Return the least error at a loss, or the least loss at an error, with evidence for both ends.

    Raises:
        InvalidInput: if the notion or the source has no designs that are known.
        NoSolution: if no mechanism has so small an error, or the loss is 0.
    """
    approach = _approach(problem)
    sampling = approach.setting.statistic.sampling_error(approach.setting.law)
    if problem.asks == "distortion":
        if problem.given <= Real.of(ZERO):
            raise NoSolution(
                "At a loss of 0 the answers do not depend on the values, so no statistic can be estimated."
            )
        return approach.found(approach.attained(problem.given), approach.excluded(problem.given))
    wanted = problem.given.rational
    assert wanted is not None
    if wanted <= sampling:
        raise NoSolution(
            f"Without any protection the error is {float(sampling):.6g} already, from this number of rows; allow a "
            "larger error, or more rows."
        )
    return _least_loss(approach, wanted)


@dataclass(frozen=True)
class _Approach:
    """How claims about one question are made: each function takes the loss that is allowed."""

    problem: Problem
    setting: Setting
    attained: Callable[[Real], Attained]
    excluded: Callable[[Real], Excluded]
    method: str
    theorem: str

    def found(self, attained: Attained, excluded: Excluded) -> Found:
        return Found(DesignProof(self.problem, attained, excluded), self.method, self.theorem)


def _approach(problem: Problem) -> _Approach:
    statistic, source, universe = statistic_of(problem), problem.source, problem.universe
    if isinstance(source, Prior):
        law = source.probabilities
    elif statistic.is_plain and source.contains(source.uniform):
        law = source.uniform
    else:
        raise InvalidInput(
            "The error of a statistic needs one known distribution, or a set of them that holds the uniform one where "
            "all categories count alike; give a prior."
        )
    if problem.notion.needs_source and len(listed_laws(source) or ()) != 1:
        raise InvalidInput(
            f"Designs for {problem.notion.title} are known for one distribution, as it is read at each; give a prior."
        )
    setting = Setting(problem.notion, universe, law, statistic)
    alike = setting.ratio(Real.of(ONE), outward=True) is not None and isinstance(universe, Alphabet)
    if alike and statistic.is_plain and len(set(law)) == 1:
        return _by_counts(problem, setting, "closed form", SYMMETRIC)
    if universe.size <= MOST_INPUTS and isinstance(source, Prior):
        return _by_rays(problem, setting)
    if alike and statistic.forms is None:
        return _by_counts(problem, setting, "bound by counts", BETWEEN)
    raise InvalidInput(
        f"Designs for {universe.size} categories are known for frequencies under differential privacy; take those, or "
        f"at most {MOST_INPUTS} categories."
    )


def _by_counts(problem: Problem, setting: Setting, method: str, theorem: str) -> _Approach:
    universe = problem.universe
    assert isinstance(universe, Alphabet)

    def attained(level: Real) -> Attained:
        ratio = setting.ratio(level, outward=False)
        assert ratio is not None
        mechanism = sets_of(universe, set_size(universe.size, ratio), ratio)
        error = worst_error(mechanism, problem.source, setting.statistic).above()
        return Attained(level, error, mechanism)

    def excluded(level: Real) -> Excluded:
        certificate: Certificate = bound_by_counts(setting, level)
        error = certificate.error(setting, level)
        plain = BySampling()
        if plain.error(setting, level) > error:
            certificate, error = plain, plain.error(setting, level)
        return Excluded(level, error, setting.law, certificate)

    return _Approach(problem, setting, attained, excluded, method, theorem)


def _by_rays(problem: Problem, setting: Setting) -> _Approach:
    size = len(setting.law)
    law = nearest_floats(setting.law)
    lines = np.array([nearest_floats(line) for line in setting.statistic.lines(size)])
    weights = nearest_floats(setting.statistic.weighed(size))
    matrix: Floats = (lines.T * weights) @ lines
    known: dict[str, Design] = {}

    def design(level: Real, rays: Rays) -> Design:
        # The two ends of one question differ in the last digits of e^level alone.
        key = str(float(level))
        if key not in known:
            known[key] = optimal_design(rays.floats, law, matrix)
        return known[key]

    def attained(level: Real) -> Attained:
        rays = rays_of(problem.notion, problem.universe, setting.law, level, outward=False)
        if not rays.holds_even:
            raise NoSolution(f"No mechanism keeps a loss of {level} by {problem.notion.title} at this distribution.")
        mechanism = _mechanism(problem.universe, rays, design(level, rays))
        error = worst_error(mechanism, problem.source, setting.statistic)
        return Attained(level, error.above(), mechanism)

    def excluded(level: Real) -> Excluded:
        rays = rays_of(problem.notion, problem.universe, setting.law, level, outward=True)
        certificate, error = _certificate(setting, level, rays, design(level, rays), lines, matrix)
        return Excluded(level, error, setting.law, certificate)

    return _Approach(problem, setting, attained, excluded, "optimal design", ON_RAYS)


def _certificate(
    setting: Setting, level: Real, rays: Rays, design: Design, lines: Floats, matrix: Floats
) -> tuple[Certificate, Rational]:
    """The estimators and prices of a design as rationals, the prices raised until every ray agrees exactly."""
    floats, law = rays.floats, nearest_floats(setting.law)
    twice = design.inverse @ matrix @ design.inverse
    gains = np.einsum("xr,xr->r", floats, twice @ floats) / (law @ floats) - design.prices @ floats
    missing = max(0.0, float((gains / floats.sum(axis=0)).max()))
    estimators = tuple(dyadic(row) for row in lines @ design.inverse)
    corners = rays.corners if isinstance(rays, Listed) else ()
    margin = 1e-14 * float(np.abs(design.prices).max())
    while True:
        keep_time()
        certificate = ByRays(estimators, dyadic(design.prices + (missing + margin)), corners)
        try:
            return certificate, certificate.error(setting, level)
        except ProofRejected:
            margin *= 10


def dyadic(values: Floats) -> Vector:
    """Return floats as rationals over one power of two, in which the largest has 60 bits.

    >>> [str(value) for value in dyadic(np.array([0.5, -0.25]))]
    ['1/2', '-1/4']
    """
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return (ZERO,) * len(values)
    shift = 60 - int(np.frexp(largest)[1])
    scale = Rational(2) ** shift
    return tuple(Rational(round(float(np.ldexp(value, shift)))) / scale for value in values.tolist())


def _mechanism(universe: Universe, rays: Rays, design: Design) -> Mechanism:
    """The design with masses that add up to 1 exactly at every input."""
    columns = [rays.ray(int(place)) for place in design.places]
    # Rays may have any length, and so their masses any size: floats as they are.
    masses = [Rational(*mass.as_integer_ratio()) for mass in design.masses.tolist()]
    masses = _balanced(columns, masses, design.masses)
    size = universe.size
    rest = [ONE - sum_of([mass * column[x] for mass, column in zip(masses, columns, strict=True)]) for x in range(size)]
    names = _names(universe, rays, design.places)
    if any(entry != 0 for entry in rest):
        masses, columns, names = [*masses, ONE], [*columns, tuple(rest)], [*names, ("rest",)]
    rows = [[mass * column[x] for mass, column in zip(masses, columns, strict=True)] for x in range(size)]
    return Mechanism(rows, universe, names)


def _balanced(columns: list[Vector], masses: list[Rational], floats: Floats) -> list[Rational]:
    """Masses of which as many as there are inputs are solved for; scaled down where one would be negative."""
    size = len(columns[0])
    table = np.array([nearest_floats(column) for column in columns]).T * floats
    chosen = qr(table, mode="r", pivoting=True)[1][:size].tolist() if len(columns) >= size else []
    others = [place for place in range(len(columns)) if place not in set(chosen)]
    if chosen:
        left = [ONE - sum_of([masses[place] * columns[place][x] for place in others]) for x in range(size)]
        basis = RationalMatrix([[columns[place][x] for place in chosen] for x in range(size)])
        try:
            solved = basis.solve(RationalMatrix([[entry] for entry in left]))
        except ZeroDivisionError:
            solved = None
        if solved is not None and all(solved[place, 0] > 0 for place in range(size)):
            for place, column in enumerate(chosen):
                masses[column] = solved[place, 0]
            return masses
    # What is missing then is nearly the same at every input, and is a column that tells nothing.
    return [mass * _SPARED for mass in masses]


def _names(universe: Universe, rays: Rays, places: NDArray[np.intp]) -> list[Hashable]:
    """A name for each answer: the categories that it speaks for, where columns have two values."""
    if not isinstance(rays, TwoValued):
        return [("answer", number) for number in range(len(places))]
    labels = list(universe.labels)
    return [tuple(labels[x] for x in range(universe.size) if int(place) >> x & 1) for place in places]


def _least_loss(approach: _Approach, wanted: Rational) -> Found:
    """Search the loss at which the error is the one that is wanted, and claim on both sides of it."""
    high = _root(lambda level: approach.attained(level).error, wanted)
    margin = Rational(1, 1 << 44)
    attained = approach.attained(_level(high))
    for _ in range(_SEARCH_STEPS):
        if attained.error <= wanted:
            break
        attained, margin = approach.attained(_level(high) * (ONE + margin)), margin * 4
    else:
        raise NoSolution("No loss was found that allows so small an error; allow a larger one, or more rows.")
    below = high
    if approach.excluded(_level(high) * (ONE - _WIDE)).error <= wanted:
        # The two ends have a gap between them, so that each has a root of its own.
        below = _root(lambda level: approach.excluded(level).error, wanted)
    margin = Rational(1, 1 << 44)
    for _ in range(_SEARCH_STEPS):
        excluded = approach.excluded(_level(below) * (ONE - margin))
        if excluded.error > wanted:
            return approach.found(attained, excluded)
        margin *= 4
    return approach.found(attained, approach.excluded(_level(below) / 2))


def _level(value: float) -> Real:
    return Real.of(rational(value))


def _root(error: Callable[[Real], Rational], wanted: Rational) -> float:
    """The loss at which an error that falls with the loss is nearly the one that is wanted."""
    target = log(float(wanted))

    def excess(place: float) -> float:
        keep_time()
        return log(float(error(_level(log1p(exp(place)))))) - target

    # In the logarithm of e^level - 1 the logarithm of the error is nearly straight.
    low = high = 0.0
    while excess(low) < 0 and low > -_LARGEST_PLACE:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
        if high > _LARGEST_PLACE:
            raise NoSolution("The error that is asked for needs a loss beyond all numbers; allow a larger one.")
    return log1p(exp(float(brentq(excess, low, high, xtol=1e-13, rtol=1e-14))))
