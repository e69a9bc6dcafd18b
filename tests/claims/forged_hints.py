"""Hints of a claim about a mechanism, forged: shares, an output, multipliers, covers with their cones, cells, cuts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from tests.claims.truth import Law, Rows

Json = Any


def _text(value: Fraction) -> str:
    return str(value)


def _law(generator: Random, size: int) -> Law:
    weights = [generator.choice((0, 1, generator.randint(1, 9))) for _ in range(size)]
    weights[generator.randrange(size)] += 1
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def _shares(claim: Json, laws: Sequence[Law], _: Rows, generator: Random) -> None:
    """Say of each input that it is less likely beside another than it is at some distribution."""
    size, found = len(laws[0]), []
    at = generator.choice(laws)
    for x in range(size):
        k = generator.randrange(size)
        share = at[x] / at[k] if at[k] else Fraction(1)
        found.append([_text(share * Fraction(generator.randint(0, 11), 10)), k])
    if "shares" in claim and generator.random() < 0.5:
        place = generator.randrange(len(claim["shares"]))
        found = [found[x] if x == place else entry for x, entry in enumerate(claim["shares"])]
    elif generator.random() < 0.5:
        # The most that each is beside the likeliest, at all distributions that are known: as if these were all.
        found = []
        for x in range(size):
            pairs = [(max(p[x] / p[k] for p in laws), k) for k in range(size) if k != x and all(p[k] for p in laws)]
            share, k = min([(Fraction(1), x), *pairs])
            found.append([_text(share), k])
    claim["shares"] = found


def _output(claim: Json, laws: Sequence[Law], rows: Rows, generator: Random) -> None:
    """Name another distribution of the output, or none."""
    at, outputs = generator.choice(laws), len(rows[0])
    mean = [sum((p * row[y] for p, row in zip(at, rows, strict=True)), Fraction(0)) for y in range(outputs)]
    kinds = [mean, list(generator.choice(rows)), list(_law(generator, outputs))]
    kinds.append([2 * r for r in mean])
    if outputs > 1:
        kinds.append([mean[0] + 2, mean[1] - 2, *mean[2:]])
    claim["output"] = [_text(r) for r in generator.choice(kinds)]


def _multipliers(claim: Json, _: Sequence[Law], __: Rows, generator: Random) -> None:
    """Move, exchange, repeat, drop or turn multipliers."""
    found = claim.get("multipliers", [])
    if not found:
        claim["multipliers"] = [["0"]] if generator.random() < 0.2 else [[_text(Fraction(1, 2))] * 2]
        return
    kind, place = generator.randrange(6), generator.randrange(len(found))
    if kind == 0:
        found[place] = [_text(Fraction(u) * Fraction(generator.randint(0, 20), 10)) for u in found[place]]
    elif kind == 1:
        generator.shuffle(found)
    elif kind == 2:
        found.append(found[place])
    elif kind == 3:
        del found[place]
    elif kind == 4 and found[place]:
        k = generator.randrange(len(found[place]))
        found[place][k] = _text(Fraction(found[place][k]) - Fraction(generator.randint(0, 30), 10))
    else:
        found[place] = [_text(Fraction(generator.randint(0, 30), 10)) for _ in found[place]]


def _envelope(claim: Json, _: Sequence[Law], __: Rows, ___: Random) -> None:
    if not claim.pop("envelope", False):
        claim["envelope"] = True


def _slopes(claim: Json, laws: Sequence[Law], rows: Rows, generator: Random) -> None:
    """Name slopes next to those of the chords between the extreme probabilities of outputs at some laws, or others."""
    found = []
    for column in zip(*rows, strict=True):
        outputs = [sum(p * q for p, q in zip(law, column, strict=True)) for law in laws]
        low, high = float(min(outputs)), float(max(outputs))
        chord = math.log(high / low) / (high - low) if high > low > 0 else generator.choice((0.0, 1.0))
        share = generator.choice((0, 0.5, 1 - 1e-12, 1 - 1e-12, 1 - 1e-12, 1 + 1e-12, 1.1, 2, -1))
        found.append(_text(Fraction(chord * share)))
    claim["slopes"] = found
    if generator.random() < 0.8:
        claim.pop("cover", None)
        claim.pop("envelope", None)


def _cover(claim: Json, laws: Sequence[Law], _: Rows, generator: Random) -> None:
    """Shrink a cover, or leave a corner or a cone of it out, repeat or exchange them, or name other sides."""
    named = [cover for cover in [claim.get("cover"), *(claim.get("covers") or [])] if cover is not None]
    covers = [cover for cover in named if "corners" in cover]
    if any("boxes" in cover for cover in named):
        boxes = next(cover["boxes"] for cover in named if "boxes" in cover)
        place = generator.randrange(len(boxes) or 1)
        boxes[place : place + 1] = generator.choice(([], [[]], [boxes[0]], [boxes[place][1:]], [boxes[place][:-1]]))
        return
    size = len(laws[0])
    if not covers or generator.random() < 0.1:
        few = [[[_text(p) for p in law]] for law in laws[:size]]
        certain = [[_text(Fraction(i == x)) for i in range(size)] for x in range(size)]
        whole = [[unit, [i for i in range(size) if i != x]] for x, unit in enumerate(certain)]
        own = [[point, cone] for (point,), (_, cone) in zip(few, whole, strict=False)]
        claim["cover"] = {"corners": generator.choice(([], few, whole, whole[1:], own))}
        return
    cover = generator.choice(covers)
    corners = cover["corners"]
    if not corners:
        return
    place, kind = generator.randrange(len(corners)), generator.randrange(10)
    other, (point, *cones) = generator.choice(corners), corners[place]
    cone = generator.choice(cones) if cones else []
    share = Fraction(1, generator.choice((2, 10**6, 10**12, 10**40)))
    if kind == 0 or not cones:
        cover["corners"] = [corner for corner in corners if generator.random() < 0.5]
    elif kind == 1:
        corners[place].remove(cone)
    elif kind in (2, 3):
        ends = [(Fraction(a), Fraction(b)) for a, b in zip(point, other[0], strict=False)]
        corners[place][0] = [_text(a + share * (b - a)) for a, b in ends]
    elif kind == 4:
        corners.append(corners[place] if generator.random() < 0.5 else [other[0], *cones])
    elif kind == 5:
        corners[place][0], other[0] = other[0], point
    elif kind == 6 and cone:
        cone[generator.randrange(len(cone))] = generator.randrange(len(cone) * 3)
        cone.sort()
    elif kind == 7:
        del corners[place]
        generator.choice(corners or [[]]).extend(cones)
    elif kind == 8:
        for corner in corners:
            law = generator.choice(laws)
            corner[0] = [_text(p) for p in (*law, *([max(law)] if len(point) > size else []))]
    elif cover.get("sets"):
        chosen = generator.choice(cover["sets"])
        chosen.append(generator.randrange(size)) if generator.random() < 0.5 else chosen.pop()


def _cells(claim: Json, laws: Sequence[Law], rows: Rows, generator: Random) -> None:
    """Prune a tree of cells, move a cut, or forge the hints of a leaf."""
    trees = claim.get("cells")
    if not trees:
        cut = [generator.randrange(3), generator.randrange(3), generator.randrange(3), "1/2"]
        claim["cells"] = generator.choice(([], [{}], [{"cut": cut, "cells": [{}, {}]}]))
        return
    place = generator.randrange(len(trees))
    node, parent, side = trees[place], trees, place
    while "cut" in node and generator.random() < 0.7:
        side = generator.randrange(2)
        parent, node = node["cells"], node["cells"][side]
    if "cut" not in node:
        forged(node, laws, rows, generator, cells=False)
        return
    kind = generator.randrange(4)
    if kind == 0:
        parent[side] = node["cells"][generator.randrange(2)]
    elif kind == 1:
        node["cut"][3] = generator.choice(("0", "1", "-1/2", "3/2", "1/1000000", "999999/1000000"))
    elif kind == 2:
        node["cut"][generator.randrange(3)] = generator.randrange(4)
    else:
        node["cells"] = [node["cells"][0]] * 2


def _rows(claim: Json, laws: Sequence[Law], rows: Rows, generator: Random) -> None:
    """Forge a part of a claim about rows one by one."""
    part = generator.choice(claim["rows"])
    inner, size = part[0]["attained"], round(len(rows) ** 0.5)
    if generator.random() < 0.3:
        part[1] = generator.randint(1, 3)
        return
    few = [tuple(sum(p[x * size : (x + 1) * size], Fraction(0)) for x in range(size)) for p in laws]
    own = tuple(tuple(map(Fraction, row)) for row in inner.get("mechanism", {}).get("rows", [])) or rows[:size]
    forged(inner, few, own, generator, cells=False)
    level = generator.choice(("loss", "distortion"))
    inner[level] = generator.choice((inner[level], "0", "1/100", "infinity"))


Forger = Callable[[Json, Sequence[Law], Rows, Random], None]
FORGERS: tuple[Forger, ...] = (_shares, _output, _multipliers, _envelope, _slopes, _cover, _cells)


def forged(claim: Json, laws: Sequence[Law], rows: Rows, generator: Random, cells: bool = True) -> Json:
    """Return a claim with its hints as they are, without one of them, or with some of them forged."""
    for _ in range(generator.choice((0, 1, 1, 2))):
        if "rows" in claim:
            _rows(claim, laws, rows, generator)
            continue
        known = sorted(
            claim.keys() & {"shares", "output", "multipliers", "envelope", "slopes", "cover", "covers", "cells"}
        )
        if known and generator.random() < 0.2:
            del claim[generator.choice(known)]
            continue
        if "cover" in claim and generator.random() < 0.6:
            _cover(claim, laws, rows, generator)
            continue
        generator.choice(FORGERS if cells else FORGERS[:-1])(claim, laws, rows, generator)
    if generator.random() < 0.1 and cells:
        claim["digits"] = generator.choice((10, 20, 200))
    return claim
