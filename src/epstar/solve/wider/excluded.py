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
from epstar.claims.form import Form
from epstar.claims.premises import premises
from epstar.completion.converse import members_of
from epstar.errors import Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.limits import LimitName
from epstar.notions.constraints import Maximum, Name, RatioBound, SumBound
from epstar.solve.program.arithmetic import transported
from epstar.solve.program.laws import exact
from epstar.solve.program.model import NOISE, Solution
from epstar.solve.wider.bounds import BITS, AllPairs, Bound
from epstar.solve.wider.curved import Curved
from epstar.solve.wider.program import Program
from epstar.solve.wider.table import Table

Floats = NDArray[np.float64]
# Multiples are rounded to this grid, and prices of rows and distortions down to a finer one.
_GRID, _FINE = 1 << 72, 1 << 120
# Nats: a level is claimed by so much less than sums exclude, for the rounding of what multiplies them; by the second as
# much where bounds are so flat that the first leaves room.
_SPARED = Rational(1, 1 << 60), Rational(1, 1 << 50)
# A place of a tangent beyond this is of an output that hardly happens.
_NEAREST, _FARTHEST = 1e-40, 1e40


def excluded(program: Program, solution: Solution, open_end: End, table: Table) -> tuple[Excluded | None, Rational]:
    """Return what the multipliers of a program exclude at the level of a table of it; None if that is nothing.

    Informations over regions are read at a law of each (`Program.worst_laws`). The distortion is the one that is given;
    without any it is the largest that is excluded, or, where constraints contradict each other, infinite. Where the
    least bound was the goal, the level is the largest that is excluded. With it comes the room that the multipliers
    leave: where that is above zero, the claim does not hold.
    """
    found = _added_up(program, solution, open_end, table)
    if found is None:
        return None, ZERO
    if program.goal != "loss":
        return found
    claim, room = found
    scale, own = (
        table.scale,
        {
            entry.name: is_relative(entry.bound)
            for entry in table.bounds
            if entry.name[0] == 0 and isinstance(entry.bound, SumBound)
        },
    )
    used = [use for use in claim.steps[-1].sums if use.name in own]
    if scale is None or not used:
        return None, ZERO
    bound, is_measured = scale.bound(table.level), any(own[use.name] for use in used)
    unit = abs(bound.below(BITS)) if is_measured else ONE
    multiple = sum((use.multiplier for use in used), ZERO) / unit
    left = bound - room / multiple
    if (left > 0) != (bound > 0):
        return None, ZERO  # more room than there is bound: every level is allowed
    most = _below(scale.level(left).below(BITS))
    for spared in _SPARED:
        level = Real.of(most - spared)
        if level <= 0:
            return None, ZERO
        if not is_measured:
            return replace(claim, loss=level), ZERO
        # Multiples of powers and norms are in units of their bounds at a level.
        found = _added_up(program, solution, open_end, table.at(level))
        if found is None or found[1] <= 0:
            break
    return found or (None, ZERO)


def _added_up(program: Program, solution: Solution, open_end: End, table: Table) -> tuple[Excluded, Rational] | None:
    """Return the claim by the multipliers of a program at the level of a table, and the room that it leaves."""
    distortion = None if table.most is None else Real.of(table.most)
    if distortion is None and program.goal == "violation":
        distortion = INFINITY
    multipliers = program.by_tag(solution)
    if not all(np.isfinite(value) for value in multipliers.values()):
        return None
    step = _step(table, solution if isinstance(solution, Curved) else None, multipliers, distortion is None)
    if step is None:
        return None
    most = Real.of(ZERO) if distortion is None else distortion
    points = tuple(members_of(((ONE, law),), table.setting.source) for law in table.points)
    steps = table.face[1]
    claim = Excluded(table.level, most, open_end, (*steps, step), points, numbers=table.numbers)
    given = premises(table.setting, claim)
    try:
        form = Form(given, step)
    except Undecided:  # a slack is so small that no claim can write it down
        return None
    prices, vanishing = [], table.face[0]
    with working_precision(bits_of(claim.digits)):
        for x in range(table.shape[0]):
            found = [_below(form.coefficient(x, y)) for y in range(table.shape[1]) if (x, y) not in vanishing]
            prices.append(min(found))
        total = form.total if form.charge is None else (ball(form.total) + form.charge).upper().fmpq()
    step = replace(step, rows=tuple(prices))
    room = total - sum(prices, ZERO)
    if distortion is None:
        weight = sum((w for w, _ in step.laws), ZERO)
        most = Real.of(_below(-room / weight))
    return replace(claim, distortion=most, steps=(*steps, step)), room


def _below(value: Rational | Ball) -> Rational:
    least = value if isinstance(value, Rational) else value.lower().fmpq()
    return Rational((least * _FINE).floor(), _FINE)


def _step(
    table: Table,
    curved: Curved | None,
    multipliers: Mapping[Hashable, float],
    is_normal: bool,
) -> Step | None:
    largest = max((abs(v) for tag, v in multipliers.items() if isinstance(tag, tuple) and tag[0] != "row"), default=0.0)

    def rounded(*tag: object) -> Rational:
        value = multipliers.get(tag, 0.0)
        return ZERO if abs(value) <= NOISE * largest else Rational(round(value * _GRID), _GRID)

    weights = [max(ZERO, rounded("law", j)) for j in range(len(table.laws.for_distortion))]
    whole = sum(weights, ZERO)
    if is_normal:
        if whole <= 0:
            return None
        weights = [weight / whole for weight in weights]
    laws = tuple((weight, law) for weight, law in zip(weights, table.laws.for_distortion, strict=True) if weight > 0)
    multiples = {limit.name: rounded("limit", i) - rounded("limit", i, "below") for i, limit in enumerate(table.limits)}
    limits = _signed(table, multiples)
    ratios: list[tuple[Name, int, Rational]] = []
    sums = []
    for u, entry in enumerate(table.bounds):
        if isinstance(entry.bound, AllPairs):
            ratios += _pairs(table, u, entry, entry.bound, multipliers, NOISE * largest)
        elif isinstance(entry.bound, RatioBound):
            found = ((y, rounded("ratio", u, y)) for y in range(table.shape[1]))
            ratios += [(entry.name, y, multiple) for y, multiple in found if multiple > 0]
        elif curved is not None and u in curved.sums:
            # In whatever units it is small, it counts where the slopes of the sum are steep.
            use = _curved(entry, entry.bound, curved.sums[u], curved.places(entry.bound))
            sums += [use] if use.multiplier > 0 else []
        elif rounded("sum", u) > 0:
            sums.append(_maxima(table, multipliers, u, entry, entry.bound, rounded("sum", u)))
    return Step(laws, tuple(ratios), tuple(sums), limits=tuple(limits))


def _signed(table: Table, multiples: Mapping[LimitName, Rational]) -> list[tuple[LimitName, Rational]]:
    """Return multiples of limits without negative ones of inequalities.

    Inequalities that hold with equality have multiples of any sign; more of those that add up to nothing mend that.
    """
    nothing = table.implied(table.face[0]).step
    loose = {limit.name for limit in table.limits if not limit.is_equation}
    # Where distortions are among what adds up to nothing, their multiples would have to follow.
    lacking = () if nothing.laws else (-multiples[name] / value for name, value in nothing.limits if name in loose)
    times, more = max(lacking, default=ZERO), dict(nothing.limits)
    if times > 0:
        multiples = {name: value + times * more.get(name, ZERO) for name, value in multiples.items()}
    return [(name, value) for name, value in multiples.items() if value > 0 or (value < 0 and name not in loose)]


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
        for x, other, moved in transported(most, {place: value * share for place, value in least.items()}):
            multiple = Rational(round(moved * _GRID), _GRID)
            # A form beside itself says nothing.
            if other != x and multiple > 0:
                yield (*entry.name, x, other), y, multiple


def _maxima(
    table: Table, multipliers: Mapping[Hashable, float], u: int, entry: Bound, bound: SumBound, multiple: Rational
) -> SumUse:
    """Return how a sum of maxima is used: with shares of the entries of each column."""
    _, first = bound.terms[0]
    assert isinstance(first, Maximum)
    shares = []
    for y in range(table.shape[1]):
        found = {place: max(0.0, multipliers.get(("share", u, y, place), 0.0)) for place in first.weights}
        total = sum(found.values())
        if total > 0:
            parts = {place: Rational(int(value / total * _GRID), _GRID) for place, value in found.items()}
            spare = sum(parts.values(), ZERO)
            shares += [(y, place, min(ONE, share / max(spare, ONE))) for place, share in parts.items() if share > 0]
    return SumUse(entry.name, multiple, Shares(tuple(shares)))


def _curved(entry: Bound, bound: SumBound, multiplier: float, places: tuple[tuple[float | None, ...], ...]) -> SumUse:
    """Return how a curved sum is used: linearised where the solver ended."""
    multiple = exact(multiplier)
    if is_relative(bound):
        # Claims measure it in units of its bound at their level.
        multiple *= abs(bound.scale.bound(entry.bounds.level).above(128))
    table = [[None if v is None else exact(min(max(v, _NEAREST), _FARTHEST)) for v in row] for row in places]
    return SumUse(entry.name, Rational((multiple * _GRID).floor(), _GRID), Places(tuple(map(tuple, table))))


def nothing_left(table: Table) -> Excluded:
    """Return the claim that a row of which all entries vanish leaves no mechanism."""
    vanishing, outputs = table.face[0], range(table.shape[1])
    prices = [ONE if all((x, y) in vanishing for y in outputs) else ZERO for x in range(table.shape[0])]
    most = INFINITY if table.most is None else Real.of(table.most)
    points = tuple(members_of(((ONE, law),), table.setting.source) for law in table.points)
    steps = (*table.face[1], Step(rows=tuple(prices)))
    end: End = "loss" if table.is_finite else "distortion"
    return Excluded(table.level, most, end, steps, points, numbers=table.numbers)
