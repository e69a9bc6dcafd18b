"""What bounds suprema over distributions in a claim, as JSON: multipliers, shares, covers, cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epstar.claims.claim import Cut, Hints, Point
from epstar.claims.cover import Cone, Cover
from epstar.errors import InvalidInput
from epstar.exact import text
from epstar.proof_file.grammar import fields_of, is_true, number, point, position, positions, texts

HINTS = {"multipliers", "output", "shares", "envelope", "slopes", "cover", "orders"}
"""The fields of a cell; a claim has some more."""


def write_hints(hints: Hints) -> dict[str, object]:
    """Return hints as the fields that a claim or a cell has for them."""
    found: dict[str, object] = {}
    if hints.multipliers:
        found["multipliers"] = [texts(multipliers) for multipliers in hints.multipliers]
    if hints.output is not None:
        found["output"] = texts(hints.output)
    if hints.shares is not None:
        found["shares"] = [[text(weight), x] for weight, x in hints.shares]
    if hints.cells is not None:
        found["cells"] = [_write_cell(cell) for cell in hints.cells]
    if hints.cover is not None:
        found["cover"] = write_cover(hints.cover)
    if hints.covers is not None:
        found["covers"] = [None if cover is None else write_cover(cover) for cover in hints.covers]
    if hints.envelope:
        found["envelope"] = True
    if hints.slopes is not None:
        found["slopes"] = texts(hints.slopes)
    if hints.orders:
        found["orders"] = texts(hints.orders)
    return found


def read_hints(fields: Mapping[str, Any]) -> Hints:
    """Return the hints in the fields of a claim or a cell."""
    return Hints(
        multipliers=tuple(point(entry) for entry in fields.get("multipliers", ())),
        output=point(fields["output"]) if "output" in fields else None,
        shares=tuple((number(weight), position(x)) for weight, x in fields["shares"]) if "shares" in fields else None,
        envelope=is_true(fields, "envelope"),
        slopes=point(fields["slopes"]) if "slopes" in fields else None,
        orders=point(fields.get("orders", [])),
        cover=_read_cover(fields["cover"]) if "cover" in fields else None,
        cells=tuple(_read_cell(cell) for cell in fields["cells"]) if "cells" in fields else None,
        covers=tuple(None if c is None else _read_cover(c) for c in fields["covers"]) if "covers" in fields else None,
    )


def write_cover(cover: Cover) -> dict[str, object]:
    """Return a cover as it stands in a claim."""
    if cover.boxes:
        return {"boxes": [write_corners(corners) for corners in cover.boxes]}
    sets = {"sets": [list(inputs) for inputs in cover.sets]} if cover.sets else {}
    return {"corners": write_corners(cover.corners), **sets}


def write_corners(corners: Sequence[tuple[Point, Sequence[Cone]]]) -> list[object]:
    """Return the points of a cover, each with its cones."""
    return [[texts(corner), *map(list, cones)] for corner, cones in corners]


def _read_cover(entry: object) -> Cover:
    if isinstance(entry, Mapping) and "boxes" in entry:
        boxes = fields_of(entry, {"boxes"}, "A cover of boxes", set())["boxes"]
        return Cover(boxes=tuple(map(read_corners, boxes)))
    fields = fields_of(entry, {"corners", "sets"}, "A cover", {"corners"})
    return Cover(read_corners(fields["corners"]), tuple(map(positions, fields.get("sets", []))))


def read_corners(entry: Any) -> tuple[tuple[Point, tuple[Cone, ...]], ...]:
    """Return the points of a cover with their cones.

    Raises:
        InvalidInput: if they are no lists.
    """
    parts = entry if isinstance(entry, list) else [None]
    if not all(isinstance(corner, list) and corner and all(isinstance(c, list) for c in corner) for corner in parts):
        raise InvalidInput("A cover is a list of points, each a list of numbers followed by lists of sides.")
    return tuple((point(corner), tuple(map(positions, cones))) for corner, *cones in entry)


def _write_cell(cell: Hints | Cut) -> dict[str, object]:
    if isinstance(cell, Hints):
        return write_hints(cell)
    cut = [cell.row, cell.i, cell.j, text(cell.share)]
    return {"cut": cut, "cells": [_write_cell(part) for part in cell.parts]}


def _read_cell(entry: object) -> Hints | Cut:
    if not isinstance(entry, Mapping) or "cut" not in entry:
        return read_hints(fields_of(entry, HINTS, "A cell", set()))
    fields = fields_of(entry, {"cut", "cells"}, "A cut cell", {"cut", "cells"})
    row, i, j, share = fields["cut"]
    first, second = fields["cells"]
    return Cut(position(row), position(i), position(j), number(share), (_read_cell(first), _read_cell(second)))
