"""Regions of distributions, drawn at random, with many of their members: listed by brute force, in fractions.

A region is the set of distributions within some inequalities. Its corners, and those of the parts in which one input is
the likeliest, lie where as many of the inequalities, or equations of two probabilities, hold with equality as there are
free numbers: all choices of that many are tried. None of this is how either checker lists corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from random import Random
from typing import Any

import numpy as np
from scipy.optimize import nnls
from tests.claims.truth import Law, solved

Json = Any
Side = tuple[Law, Fraction]
# Choices of inequalities that are tried, and members that are kept of a region.
MOST_CHOICES, MOST_MEMBERS = 200_000, 40
_NEAR = 1e-9


def law(generator: Random, size: int, most: int = 12) -> Law:
    """Return a distribution with small numbers, some of them zero."""
    weights = [generator.choice((0, 1, generator.randint(1, most))) for _ in range(size)]
    weights[generator.randrange(size)] += generator.randint(1, most)
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def texts(values: Sequence[Fraction]) -> list[str]:
    """Return numbers as they stand in documents."""
    return [str(value) for value in values]


def drawn(generator: Random, kind: str, size: int) -> Json:
    """Return a source of a kind as it stands in documents: it holds a distribution, and may be degenerate."""
    inner = law(generator, size)
    if kind == "everything":
        return {"everything": size}
    if kind in ("hull", "finite"):
        return {kind: [texts(p) for p in sorted({law(generator, size) for _ in range(generator.randint(1, 5))})]}
    if kind == "ball":
        return {"ball": {"center": texts(inner), "radius": str(Fraction(generator.randint(0, 12), 12))}}
    if kind == "box":
        wider = [Fraction(generator.randint(0, 6), 12) for _ in range(2 * size)]
        lower = [p * (1 - w) for p, w in zip(inner, wider, strict=False)]
        upper = [min(Fraction(1), p + w) for p, w in zip(inner, wider[size:], strict=True)]
        return {"box": {"lower": texts(lower), "upper": texts(upper)}}
    matrix, bounds = [], []
    for _ in range(generator.randint(1, 4)):
        row = tuple(Fraction(generator.randint(-3, 3)) for _ in range(size))
        bound = sum((a * p for a, p in zip(row, inner, strict=True)), Fraction(0))
        matrix.append(texts(row))
        bounds.append(str(bound + generator.choice((0, Fraction(1, 10), Fraction(1, 2)))))
        if generator.random() < 0.2:  # an equation, or the same side twice
            sign = generator.choice((1, -1))
            matrix.append(texts([sign * a for a in row]))
            bounds.append(str(sign * (bound if sign < 0 else Fraction(bounds[-1]))))
            bounds[-2] = str(bound) if sign < 0 else bounds[-2]
    return {"polytope": {"matrix": matrix, "bounds": bounds, "member": texts(inner)}}


def sides(source: Json) -> list[Side]:
    """Return inequalities that are a region, beside those that probabilities are not negative."""
    ((kind, value),) = source.items()
    if kind == "polytope":
        rows = [tuple(map(Fraction, row)) for row in value["matrix"]]
        return list(zip(rows, map(Fraction, value["bounds"]), strict=True))
    if kind == "box":
        size = len(value["lower"])
        units = [tuple(Fraction(x == k) for k in range(size)) for x in range(size)]
        least = [(tuple(-u for u in unit), -Fraction(a)) for unit, a in zip(units, value["lower"], strict=True)]
        return [*least, *zip(units, map(Fraction, value["upper"]), strict=True)]
    if kind == "ball":
        center = tuple(map(Fraction, value["center"]))
        signs = [tuple(map(Fraction, chosen)) for chosen in product((1, -1), repeat=len(center))]
        return [(s, Fraction(value["radius"]) + sum(a * c for a, c in zip(s, center, strict=True))) for s in signs]
    return []


def is_member(source: Json, p: Law) -> bool:
    """Return whether a distribution belongs to a region."""
    inside = (sum(a * q for a, q in zip(row, p, strict=True)) <= bound for row, bound in sides(source))
    return min(p) >= 0 and sum(p) == 1 and all(inside)


def corners(source: Json, size: int, ties: bool) -> list[Law]:
    """Return the corners of a region, with `ties` also those of its parts; few or none where there are too many."""
    ((kind, value),) = source.items()
    if kind in ("hull", "finite", "prior"):
        return [tuple(map(Fraction, p)) for p in ([value] if kind == "prior" else value)]
    units = [tuple(Fraction(-(x == k)) for k in range(size)) for x in range(size)]
    own = [*sides(source), *((unit, Fraction(0)) for unit in units)]
    equal = [
        (tuple(Fraction((k == x) - (k == z)) for k in range(size)), Fraction(0))
        for x, z in combinations(range(size), 2)
    ]
    planes = own + (equal if ties else [])
    if comb(len(planes), size - 1) > MOST_CHOICES:
        return []
    # Floats only choose the systems that are solved exactly.
    chosen = np.array(list(combinations(range(len(planes)), size - 1)), dtype=np.intp).reshape(-1, size - 1)
    matrix = np.array([[float(a) for a in row] for row, _ in planes]).reshape(-1, size)
    bounds = np.array([float(bound) for _, bound in planes])
    systems = np.concatenate([matrix[chosen], np.ones((len(chosen), 1, size))], axis=1)
    right = np.concatenate([bounds[chosen], np.ones((len(chosen), 1))], axis=1)
    regular = np.abs(np.linalg.det(systems)) > _NEAR
    chosen, systems, right = chosen[regular], systems[regular], right[regular]
    if not len(chosen):
        return []
    points = np.linalg.solve(systems, right[..., None])[..., 0]
    limits = matrix[: len(own)] @ points.T <= bounds[: len(own), None] + _NEAR
    kept = np.flatnonzero(limits.all(axis=0))
    _, first = np.unique(points[kept].round(9), axis=0, return_index=True)
    found = []
    for place in kept[first].tolist():
        system = [[*planes[k][0], planes[k][1]] for k in chosen[place]]
        point = solved([*system, [Fraction(1)] * (size + 1)])
        if point is not None and is_member(source, point):
            found.append(point)
    return found


def mixed(generator: Random, laws: Sequence[Law]) -> Law:
    """Return a mixture of some distributions."""
    chosen = generator.sample(list(laws), min(len(laws), generator.randint(2, 3)))
    weights = law(generator, len(chosen))
    return tuple(
        sum((w * p[x] for w, p in zip(weights, chosen, strict=True)), Fraction(0)) for x in range(len(laws[0]))
    )


def members(generator: Random, source: Json, size: int, ties: bool) -> list[Law]:
    """Return distributions of a source: corners, of its parts too if `ties` matter, and mixtures where it is convex."""
    found = corners(source, size, ties) or corners(source, size, False)
    if "ball" in source and not found:
        center = tuple(map(Fraction, source["ball"]["center"]))
        found = [center, *(p for p in _moved(center, Fraction(source["ball"]["radius"]) / 2))]
    if "box" in source and not found:
        ends = (tuple(map(Fraction, source["box"][end])) for end in ("lower", "upper"))
        found = _filled(generator, *ends)
    if "finite" in source:
        return found
    few = found if len(found) <= MOST_MEMBERS else generator.sample(found, MOST_MEMBERS)
    halves = [tuple((a + b) / 2 for a, b in zip(p, q, strict=True)) for p, q in combinations(few[:5], 2)]
    return [*found, *halves, *(mixed(generator, few) for _ in range(8))]


def _filled(generator: Random, lower: Law, upper: Law) -> list[Law]:
    """Return some corners of a box: inputs are filled up in some order."""
    found = set()
    for _ in range(MOST_MEMBERS):
        point, left = list(lower), 1 - sum(lower)
        for x in generator.sample(range(len(lower)), len(lower)):
            moved = min(left, upper[x] - lower[x])
            point[x], left = point[x] + moved, left - moved
        found.add(tuple(point))
    return sorted(found)


def near(source: Json, p: Law) -> Law | None:
    """Return a distribution if it belongs to a region; of a hull the mixture that floats say is the nearest to it."""
    if "finite" in source or "prior" in source or min(p) < 0 or sum(p) != 1:
        return None
    if "hull" not in source:
        return p if is_member(source, p) else None
    points = [tuple(map(Fraction, point)) for point in source["hull"]]
    matrix = np.array([[float(a) for a in point] for point in points]).T
    weights = [Fraction(float(w)) for w in nnls(matrix, np.array([float(a) for a in p]))[0]]
    total = sum(weights)
    return tuple(
        sum((w * q[x] for w, q in zip(weights, points, strict=True)), Fraction(0)) / total for x in range(len(p))
    )


def _moved(center: Law, mass: Fraction) -> list[Law]:
    """Return distributions of a ball: what moves goes from one input, or from two, to another."""
    found = []
    for start in combinations(range(len(center)), min(2, len(center))):
        for to in range(len(center)):
            point, left = list(center), mass
            for x in start:
                moved = min(left, point[x]) if x != to else Fraction(0)
                point[x], left = point[x] - moved, left - moved
                point[to] += moved
            found.append(tuple(point))
    return found


def products(laws: Sequence[Sequence[Law]], count: int, shared: bool) -> list[Law]:
    """Return distributions of independent rows with some distributions of each row."""
    chosen = ([(p,) * count for p in laws[0]]) if shared else product(*laws)
    return [tuple(Fraction(prod(entries)) for entries in product(*each)) for each in chosen]
