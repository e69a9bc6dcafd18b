"""Documents written by hand, with a cover of each region in them: by its own corners, whatever they claim."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from epstar.claims.cover import Point, Side, sides_of
from epstar.completion.cover import cover_of
from epstar.exact import ZERO
from epstar.notions import MinEntropyLeakage
from epstar.proof_file.document import read_setting
from epstar.proof_file.hints import write_cover
from epstar.source import Ball, Box, Everything, Hull, Polytope, Rows, Source


def cover(source: Source, rising: bool = False) -> dict[str, Any] | None:
    """Return the cover of a convex source by its own corners; None where it needs none."""
    if not (isinstance(source, Box | Ball | Polytope) or (rising and isinstance(source, Hull | Everything))):
        return None
    sides = sides_of(source, rising)

    def beyond(points: Sequence[Point]) -> list[bool]:
        return [
            any(_value(side, point) > side[1] for side in sides)
            or (isinstance(source, Ball) and _distance(source, point) > source.radius)
            for point in points
        ]

    found = cover_of(source, rising, beyond)
    assert found is not None
    return write_cover(found)


def covered(document: Any) -> Any:
    """Return a document with the covers that what it says to be attained needs, where it names no other evidence."""
    setting, found = read_setting(document["problem"]), deepcopy(document)
    claim = found["attained"]
    if isinstance(setting.source, Rows):
        covers = [cover(source) for source in setting.source.sources]
        return {**found, "attained": {**claim, "covers": covers}} if any(covers) else found
    for notion, hints in zip(
        (setting.notion, *(n for n, _ in setting.also)), (claim, *claim.get("further", [])), strict=False
    ):
        named = cover(setting.source, isinstance(notion, MinEntropyLeakage))
        if named is not None and not {"shares", "envelope"} & hints.keys():
            hints["cover"] = named
    return found


def _value(side: Side, point: Point) -> Any:
    return sum((a * point[x] for x, a in side[0].items()), ZERO)


def _distance(ball: Ball, point: Point) -> Any:
    return sum((abs(p - c) for p, c in zip(point, ball.center, strict=False)), ZERO)
