"""The least level that a set of constraints allows a mechanism, read off the constraints alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tests.notions.definitions import events

from epstar.exact import Rational, Real, fraction, rational
from epstar.notions.constraints import (
    Atom,
    Constraints,
    Maximum,
    Norm,
    Power,
    RatioBound,
    RelativeEntropy,
    SumBound,
)

Column = tuple[float, ...]


def least_level(constraints: Constraints, columns: list[Column]) -> float:
    """Return the smallest level at which every bound holds."""
    levels = [_ratio_level(bound, columns) for bound in constraints.pairwise()]
    levels += [_sum_level(bound, columns) for bound in constraints.sums]
    return max([0.0, *levels])


def number(value: Rational) -> float:
    return float(fraction(value))


def _form(form: Mapping[int, Rational], column: Column) -> float:
    return sum(number(weight) * column[x] for x, weight in form.items())


def _ratio_level(bound: RatioBound, columns: list[Column]) -> float:
    slack, worst = number(bound.slack), 1.0
    groups = list(events(len(columns))) if bound.events else [(y,) for y in range(len(columns))]
    for group in groups:
        left = sum(_form(bound.left, columns[y]) for y in group)
        right = sum(_form(bound.right, columns[y]) for y in group)
        above, below = (left, right + slack) if bound.slack_grows else (left - slack, right)
        if above > 1e-15:
            worst = max(worst, above / below if below > 0 else math.inf)
    return math.log(worst) / number(bound.distance) if worst < math.inf else math.inf


def _atom(atom: Atom, column: Column) -> float:
    if isinstance(atom, Maximum):
        return max(number(weight) * column[x] for x, weight in atom.weights.items())
    if isinstance(atom, Norm):
        order = number(atom.order)
        inner = sum(number(weight) * column[x] ** order for x, weight in atom.weights.items())
        return math.copysign(inner ** (1 / order), order - 1)
    assert isinstance(atom, RelativeEntropy | Power)
    left, right = _form(atom.left, column), _form(atom.right, column)
    if left == 0:
        return 0.0
    if isinstance(atom, RelativeEntropy):
        return left * math.log(left / right) if right > 0 else math.inf
    order = number(atom.order)
    if right == 0:
        return math.inf if order > 1 else 0.0
    return math.copysign(left**order * right ** (1 - order), order - 1)


def _sum_level(bound: SumBound, columns: list[Column]) -> float:
    total = sum(number(weight) * _atom(atom, column) for column in columns for weight, atom in bound.terms)
    if total == math.inf:
        return math.inf
    if total == 0:
        return math.inf if bound.scale.bound(Real.of(0)) < 0 else 0.0
    return float(bound.scale.level(Real.of(rational(total))))
