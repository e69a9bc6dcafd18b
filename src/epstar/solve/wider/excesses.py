"""By how much a matrix breaks the bounds of a table, in floats: what a repair of it must make up for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.claims.readings import Reading, read_at
from epstar.exact import Rational, Real
from epstar.notions.constraints import Form, Maximum, Norm, Power, RatioBound, RelativeEntropy, SumBound
from epstar.notions.family import Family
from epstar.solve.program.coefficients import in_floats
from epstar.solve.wider.bounds import AllPairs, equalities, largest_parts
from epstar.solve.wider.table import Table

Floats = NDArray[np.float64]
Rows = Sequence[Sequence[Rational]]
# Shares of a bound by which two mechanisms differ that both keep it with equality, but for rounding errors.
_SAME = 1e-14


def share_needed(table: Table, near: Rows, inside: Rows) -> float:
    """Return the share of a mechanism inside all bounds that makes up for what another breaks, as floats see it.

    Bounds are convex, so that a mixture is at most as far above one as the mixture of what its parts are.
    """
    broken, kept = (np.concatenate(list(_excesses(table, _floats(rows)))) for rows in (near, inside))
    gaps = broken - kept
    is_loose = gaps > _SAME
    shares = np.where((broken > 0) & is_loose, broken / np.where(is_loose, gaps, 1.0), 0.0)
    one, other = (np.maximum(_floats(rows), 0.0) for rows in (near, inside))
    by_families = (
        notion.share_needed(channel_of(reading, one), channel_of(reading, other), reading.universe, level)
        for notion, reading, level in _read_families(table)
    )
    return float(min(1.0, max([np.nanmax(shares, initial=0.0), *by_families])))


def largest_excess(table: Table, rows: Rows) -> float:
    """Return by how much a matrix exceeds the bound that it exceeds most; below zero where it keeps all strictly."""
    found = (*_excesses(table, _floats(rows)), *_families(table, np.maximum(_floats(rows), 0.0)))
    return float(max(np.max(excesses, initial=-np.inf) for excesses in found))


def family_excess(table: Table, rows: Rows) -> float:
    """Return by how much a matrix breaks notions that are families, whose exact check takes long; none without any."""
    return float(max((excesses.max(initial=-np.inf) for excesses in _families(table, _floats(rows))), default=-np.inf))


def loss_in_floats(table: Table, rows: Rows) -> float | None:
    """Return what a mechanism loses by smooth sums on one scale; None by others, whose loss is soon told exactly."""
    own = [entry for entry in table.bounds if entry.name[0] == 0]
    bounds = [entry.bound for entry in own if isinstance(entry.bound, SumBound) and entry.corner is None]
    if len(bounds) < len(own) or any(isinstance(bound.terms[0][1], Maximum) for bound in bounds):
        return None
    matrix, scale = _floats(rows), table.scale
    most = max((_sum(bound, matrix) for bound in bounds), default=np.inf)
    if scale is None or not np.isfinite(most):
        return None
    return float(scale.level(Real.of(Rational(*most.as_integer_ratio()))))


def _floats(rows: Rows) -> Floats:
    return np.array([[float(entry) for entry in row] for row in rows])


def _excesses(table: Table, matrix: Floats) -> Iterator[Floats]:
    """Yield by how much bounds are exceeded: entries that need not vanish, distortions, limits, guarantees.

    Notions that are families are left to `_families`. Of a column whose entries all vanish a bound says nothing.
    """
    vanishing = table.face[0]
    moving = np.array([[float((x, y) not in vanishing) for y in range(table.shape[1])] for x in range(table.shape[0])])

    def told(*forms: Form) -> NDArray[np.bool_]:
        return np.asarray(np.array([in_floats(form, moving) for form in forms]).any(axis=0))

    yield np.array([-entry for place, entry in np.ndenumerate(matrix) if place not in vanishing])
    if table.keeps_cost and table.most is not None and not table.tight_laws:
        costs = (table.setting.distortion.floats(table.setting.universe) * matrix).sum(axis=1)
        laws = np.array([[float(p) for p in law] for law in table.laws.for_distortion])
        yield laws @ costs - float(table.most)
    loose = [limit for i, limit in enumerate(table.limits) if not limit.is_equation and i not in table.tight]
    if loose:
        sums = [sum(float(a) * matrix[entry] for entry, a in limit.coefficients.items()) for limit in loose]
        yield np.array(sums) - [float(limit.bound) for limit in loose]
    matrix = np.maximum(matrix, 0.0)
    families = {which for which, (notion, _) in enumerate(table.setting.guarantees) if isinstance(notion, Family)}
    for entry in (entry for entry in table.bounds if entry.name[0] not in families):
        level = entry.bounds.level
        if isinstance(entry.bound, AllPairs):
            columns = np.array([in_floats(form, matrix) for form in entry.bound.forms])
            excess = columns.max(axis=0) - float(np.exp(float(level))) * columns.min(axis=0)
            yield excess[told(*entry.bound.forms)]
        elif isinstance(entry.bound, RatioBound):
            excess = _ratio(entry.bound, level, matrix)
            yield excess if entry.bound.events else excess[told(entry.bound.left, entry.bound.right)]
        elif parts := largest_parts(entry):
            tied = list(equalities(entry))
            others = [pair for pair in parts if pair not in tied]
            for left, right in others:
                yield (in_floats(left, matrix) - in_floats(right, matrix))[told(left, right)]
        elif entry.corner is None:
            limit = float(entry.bound.scale.bound(level))
            yield np.array([(_sum(entry.bound, matrix) - limit) / max(abs(limit), 1e-9)])


def _ratio(bound: RatioBound, level: Real, matrix: Floats) -> Floats:
    growth = float(np.exp(float(level) * float(bound.distance)))
    slack = float(bound.slack) * (float(np.exp(float(level))) if bound.slack_grows else 1.0)
    if bound.allowance is not None:
        slack = float(bound.allowance.at(level))
    difference = in_floats(bound.left, matrix) - growth * in_floats(bound.right, matrix)
    return np.array([np.maximum(difference, 0.0).sum() - slack]) if bound.events else difference - slack


def _sum(bound: SumBound, matrix: Floats) -> float:
    total = 0.0
    for weight, atom in bound.terms:
        if isinstance(atom, RelativeEntropy | Power):
            left, right = in_floats(atom.left, matrix), in_floats(atom.right, matrix)
            kept = left > 0
            order = 1.0 if isinstance(atom, RelativeEntropy) else float(atom.order)
            ratio = left[kept] / right[kept]
            values = np.log(ratio) if order == 1 else np.sign(order - 1) * ratio ** (order - 1)
            total += float(weight) * float((left[kept] * values).sum())
        else:
            assert isinstance(atom, Maximum | Norm)
            parts = np.array([in_floats(atom.form(place), matrix) for place in atom.weights])
            weights = np.array([float(w) for w in atom.weights.values()])[:, None]
            if isinstance(atom, Maximum):
                total += float(weight) * float((weights * parts).max(axis=0).sum())
            else:
                order = float(atom.order)
                norms = (weights * parts**order).sum(axis=0) ** (1 / order)
                total += float(weight) * float(np.sign(order - 1) * norms.sum())
    return total


def channel_of(reading: Reading, matrix: Floats) -> Floats:
    """Return the channel that is read, in floats."""
    behind = reading.behind
    return matrix if behind is None else np.array([in_floats(form, matrix) for form in behind.mixtures])


def _families(table: Table, matrix: Floats) -> Iterator[Floats]:
    """Yield by how much notions that are families are exceeded at the numbers that are worst."""
    for notion, reading, level in _read_families(table):
        yield notion.losses(channel_of(reading, matrix), reading.universe) - level


def _read_families(table: Table) -> Iterator[tuple[Family, Reading, float]]:
    """Yield the notions that are families, as they are read under each law, and their levels."""
    for which, (notion, given) in enumerate(table.setting.guarantees):
        level = table.level if given is None else given
        if isinstance(notion, Family) and not level.is_infinite:
            yield from ((notion, read_at(table.setting, notion, law), float(level)) for law in table.laws.read[which])
