"""From the multipliers of a program to what is excluded: a step of the rule, with prices of rows that always fit.

Rows of a mechanism sum to one and its entries are not negative, so that whatever multiples of the other constraints a
step uses, the least coefficient of each row is a price that makes the step hold (weak duality): a solver's rounding
errors make a bound a little worse, and never wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.claims import Excluded, Places, Shares, Step, SumUse
from epstar.claims.bounds import is_relative
from epstar.claims.claim import End, bits_of
from epstar.claims.premises import premises
from epstar.claims.rule import Form
from epstar.completion.excluded import members_of
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.notions.constraints import Maximum, Name, Norm, Power, RatioBound, RelativeEntropy, SumBound
from epstar.solve.program.model import Solution
from epstar.solve.wider.program import Program
from epstar.solve.wider.table import AllPairs, Bound, Table

Floats = NDArray[np.float64]
# Multiples are rounded to this grid, and prices of rows and distortions down to a finer one.
_GRID, _FINE = 1 << 72, 1 << 120
# A smaller share of the largest multiple is a solver's rounding error.
_FAINT = 1e-13
# A place of a tangent beyond this is of an output that hardly happens.
_NEAREST, _FARTHEST = 1e-12, 1e12


def excluded(program: Program, solution: Solution, open_end: End, table: Table) -> Excluded | None:
    """Return what the multipliers of a program exclude at the level of a table of it; None if that is nothing.

    Informations over regions are read at a law of each (`Program.worst_laws`). The distortion is the one that is given;
    without any it is the largest that is excluded, or, where constraints contradict each other, infinite.
    """
    distortion = None if table.most is None else Real.of(table.most)
    if distortion is None and program.goal == "violation":
        distortion = INFINITY
    multipliers = program.by_tag(solution)
    if not all(np.isfinite(value) for value in multipliers.values()):
        return None
    step = _step(program, table, solution, multipliers, distortion is None)
    if step is None:
        return None
    most = Real.of(ZERO) if distortion is None else distortion
    points = tuple(members_of(((ONE, law),), table.setting.source) for law in table.points)
    steps = table.face[1]
    claim = Excluded(table.level, most, open_end, (*steps, step), points, numbers=table.numbers)
    given = premises(table.setting, claim)
    form = Form(given, given.addends(step))
    prices, vanishing = [], table.face[0]
    with working_precision(bits_of(claim.digits)):
        for x in range(table.shape[0]):
            found = [_below(form.coefficient(x, y)) for y in range(table.shape[1]) if (x, y) not in vanishing]
            prices.append(min(found))
        total = form.total if form.charge is None else (ball(form.total) + form.charge).upper().fmpq()
    step = replace(step, rows=tuple(prices))
    if distortion is None:
        least = sum(prices, ZERO) - total
        weight = sum((w for w, _ in step.laws), ZERO)
        most = Real.of(Rational((least / weight * _FINE).floor(), _FINE))
    return replace(claim, distortion=most, steps=(*steps, step))


def _below(value: Rational | Ball) -> Rational:
    exact = value if isinstance(value, Rational) else value.lower().fmpq()
    return Rational((exact * _FINE).floor(), _FINE)


def _step(
    program: Program, table: Table, solution: Solution, multipliers: Mapping[Hashable, float], is_normal: bool
) -> Step | None:
    largest = max((abs(v) for tag, v in multipliers.items() if isinstance(tag, tuple) and tag[0] != "row"), default=0.0)

    def rounded(*tag: object) -> Rational:
        value = multipliers.get(tag, 0.0)
        return ZERO if abs(value) <= _FAINT * largest else Rational(round(value * _GRID), _GRID)

    weights = [max(ZERO, rounded("law", j)) for j in range(len(table.laws.for_distortion))]
    whole = sum(weights, ZERO)
    if is_normal:
        if whole <= 0:
            return None
        weights = [weight / whole for weight in weights]
    laws = tuple((weight, law) for weight, law in zip(weights, table.laws.for_distortion, strict=True) if weight > 0)
    limits = []
    for i, limit in enumerate(table.limits):
        multiple = rounded("limit", i) - rounded("limit", i, "below")
        if multiple > 0 or (multiple < 0 and limit.is_equation):
            limits.append((limit.name, multiple))
    ratios: list[tuple[Name, int, Rational]] = []
    sums = []
    for u, entry in enumerate(table.bounds):
        if isinstance(entry.bound, AllPairs):
            ratios += _pairs(table, u, entry, entry.bound, multipliers, _FAINT * largest)
        elif isinstance(entry.bound, RatioBound):
            for y in range(table.shape[1]):
                multiple = rounded("ratio", u, y)
                if multiple > 0:
                    ratios.append((entry.name, y, multiple))
        elif rounded("sum", u) > 0:
            sums.append(_use(program, solution, multipliers, u, entry, entry.bound, rounded("sum", u)))
    return Step(laws, tuple(ratios), tuple(sums), limits=tuple(limits))


def _pairs(
    table: Table, u: int, entry: Bound, bound: AllPairs, multipliers: Mapping[Hashable, float], faint: float
) -> Iterator[tuple[Name, int, Rational]]:
    """Yield multiples of single ratio bounds for those of all pairs: left sides and right sides meet (a transport)."""
    for y in range(table.shape[1]):
        most, least = (
            {x: value for x in range(len(bound.forms)) if (value := multipliers.get((side, u, y, x), 0.0)) > faint}
            for side in ("most", "least")
        )
        if not most or not least:
            continue
        share = sum(most.values()) / sum(least.values())
        room = {other: value * share for other, value in least.items()}
        for x, whole in most.items():
            lacking = whole
            while lacking > 0 and room:
                # A form beside itself says nothing.
                other = next((place for place in room if place != x), x)
                moved = min(lacking, room[other])
                multiple = Rational(round(moved * _GRID), _GRID)
                if other != x and multiple > 0:
                    yield (*entry.name, x, other), y, multiple
                lacking -= moved
                room[other] -= moved
                if room[other] <= 0:
                    del room[other]


def _use(
    program: Program,
    solution: Solution,
    multipliers: Mapping[Hashable, float],
    u: int,
    entry: Bound,
    bound: SumBound,
    multiple: Rational,
) -> SumUse:
    outputs = range(program.table.shape[1])
    _, first = bound.terms[0]
    if isinstance(first, Maximum):
        shares = []
        for y in outputs:
            found = {place: max(0.0, multipliers.get(("share", u, y, place), 0.0)) for place in first.weights}
            total = sum(found.values())
            if total > 0:
                exact = {place: Rational(int(value / total * _GRID), _GRID) for place, value in found.items()}
                spare = sum(exact.values(), ZERO)
                shares += [(y, place, min(ONE, share / max(spare, ONE))) for place, share in exact.items() if share > 0]
        return SumUse(entry.name, multiple, Shares(tuple(shares)))
    if is_relative(bound):
        # Claims measure it in units of its bound at their level, the program in units of its own.
        limit = abs(bound.scale.bound(entry.bounds.level).above(128)) / _exact(program.units[u])
        multiple = Rational(((multiple * limit) * _GRID).floor(), _GRID)
    if isinstance(first, Norm):
        return SumUse(entry.name, multiple, Places(tuple(_column(solution, u, y, first) for y in outputs)))
    places = []
    for k, (_, atom) in enumerate(bound.terms):
        assert isinstance(atom, RelativeEntropy | Power)
        places.append(tuple(_ratio(solution, (u, k, y), atom, program.units[u]) for y in outputs))
    return SumUse(entry.name, multiple, Places(tuple(places)))


def _ratio(
    solution: Solution, tag: tuple[Hashable, ...], atom: RelativeEntropy | Power, unit: float
) -> Rational | None:
    """Return the ratio at which a solver linearised an atom: its multipliers are the plane that supports the cone."""
    if tag not in solution.cone_multipliers:
        return None
    a, _, c = solution.cone_multipliers[tag]
    if isinstance(atom, RelativeEntropy):
        place = _quotient(c, -a)
    else:
        order = float(atom.order)
        steep = _quotient(-c, a) * unit ** (1 - 1 / order) if order > 1 else _quotient(a, -c)
        place = (steep / order) ** (1 / (order - 1))
    return _exact(min(max(place, _NEAREST), _FARTHEST))


def _column(solution: Solution, u: int, y: int, atom: Norm) -> tuple[Rational | None, ...]:
    """Return the column at which a solver linearised a norm; nothing where all of it vanishes."""
    order, logs = float(atom.order), {}
    for place, weight in atom.weights.items():
        if (u, 0, y, place) in solution.cone_multipliers:
            a, _, c = solution.cone_multipliers[u, 0, y, place]
            plane = -c * float(weight) ** (1 / order) if order > 1 else a
            logs[place] = np.log(max(plane, 1e-300) / float(weight)) / (order - 1)
    if not logs:
        return (None,) * len(atom.weights)
    top = max(logs.values())
    return tuple(_exact(max(float(np.exp(logs.get(place, -np.inf) - top)), 1e-40)) for place in atom.weights)


def _quotient(numerator: float, denominator: float) -> float:
    return _FARTHEST if denominator <= 0 else min(max(numerator / denominator, _NEAREST), _FARTHEST)


def _exact(value: float) -> Rational:
    return Rational(*float(value).as_integer_ratio())


def nothing_left(table: Table) -> Excluded:
    """Return the claim that a row of which all entries vanish leaves no mechanism."""
    vanishing, outputs = table.face[0], range(table.shape[1])
    prices = [ONE if all((x, y) in vanishing for y in outputs) else ZERO for x in range(table.shape[0])]
    most = INFINITY if table.most is None else Real.of(table.most)
    points = tuple(members_of(((ONE, law),), table.setting.source) for law in table.points)
    steps = (*table.face[1], Step(rows=tuple(prices)))
    end: End = "loss" if table.is_finite else "distortion"
    return Excluded(table.level, most, end, steps, points, numbers=table.numbers)
