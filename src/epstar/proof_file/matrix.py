"""The mechanism of a proof as JSON: its rows, or few numbers where it is a structure that stands for a large matrix.

`{"rows": [[...], ...]}` has one column for each column of the costs. `{"diagonal": a, "left": u, "right": v}` stands
for Q(x|x) = a(x) and Q(y|x) = u(x) v(y) elsewhere, `{"distances": f}` for Q(y|x) = f(l) on databases that differ in l
rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epstar.claims.claim import Point, Setting
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, text
from epstar.exact.vectors import sum_of
from epstar.mechanism import (
    AnyMechanism,
    DiagonalMechanism,
    DistanceMechanism,
    Mechanism,
    RankOneBeside,
    RankOneMechanism,
    TopRandomisedResponse,
    parts_of,
)
from epstar.proof_file.grammar import number
from epstar.universe import Alphabet, Databases

# Fewer letters than these are written out.
_FEW_LETTERS = 2
_LARGEST_MATRIX = 1 << 22


def write_matrix(mechanism: AnyMechanism, setting: Setting) -> dict[str, object]:
    """Return a mechanism as it stands in a proof."""
    if isinstance(mechanism, DistanceMechanism):
        rows = mechanism.databases.rows
        return {"distances": [text(mechanism.at_distance(distance)) for distance in range(rows + 1)]}
    if isinstance(mechanism, RankOneBeside) and mechanism.universe.size > _FEW_LETTERS:
        diagonal, left, right = parts_of(mechanism)
        return {"diagonal": _texts(diagonal), "left": _texts(left), "right": _texts(right)}
    dense = mechanism.dense(_LARGEST_MATRIX)
    labels = setting.distortion.outputs(setting.universe)
    place = {label: y for y, label in enumerate(dense.outputs)}
    if not set(place) <= set(labels):
        raise InvalidInput("The mechanism has outputs that the costs do not have.")
    table = [[row[place[label]] if label in place else ZERO for label in labels] for row in dense.rows]
    return {"rows": [_texts(row) for row in table]}


def read_matrix(entry: object, setting: Setting) -> AnyMechanism:
    """Return the mechanism of a proof.

    Raises:
        InvalidInput: if it is malformed, or does not fit the inputs and costs of the setting.
    """
    universe = setting.universe
    fields = set(entry) if isinstance(entry, Mapping) else set()
    match entry:
        case {"rows": rows} if len(fields) == 1:
            table = _table(rows)
            if len(table) != universe.size or any(len(row) != len(table[0]) for row in table):
                raise InvalidInput("The mechanism needs one row for each input, all of one length.")
            return Mechanism(table, universe, tuple(setting.distortion.outputs(universe)))
        case {"distances": values} if len(fields) == 1 and isinstance(universe, Databases):
            return _of_distances(_numbers(values), universe)
        case {"diagonal": diagonal, "left": left, "right": right} if len(fields) == 3:
            if isinstance(universe, Alphabet) and tuple(setting.distortion.outputs(universe)) == universe.labels:
                return _of_parts(_numbers(diagonal), _numbers(left), _numbers(right), universe)
    raise InvalidInput("The mechanism of a proof is 'rows', or 'distances' or 'diagonal', 'left' and 'right'.")


def _of_parts(diagonal: Point, left: Point, right: Point, universe: Alphabet) -> AnyMechanism:
    """Return the mechanism of a diagonal and a product beside it: in a form that is known, or written out."""
    if not len(diagonal) == len(left) == len(right) == universe.size:
        raise InvalidInput("The parts of the mechanism need one entry for each input.")
    found: AnyMechanism
    if sum_of(diagonal) >= 1 and max(diagonal) <= 1 and min(diagonal) >= 0:
        found = DiagonalMechanism(universe, diagonal)
        if parts_of(found) == (diagonal, left, right):
            return found
    active = [y for y, v in enumerate(right) if v != 0]
    if active:
        first, outside = active[0], [x for x in range(universe.size) if right[x] == 0]
        delta = diagonal[outside[0]] if outside else ZERO
        ratio = ONE if left[first] == 0 else (diagonal[first] - delta) / left[first]
        if ratio >= 1 and 0 <= delta <= 1:
            found = TopRandomisedResponse(universe, active, ratio, delta)
            if parts_of(found) == (diagonal, left, right):
                return found
    if all(a >= u * v for a, u, v in zip(diagonal, left, right, strict=True)):
        return RankOneMechanism(universe, diagonal, left, right)
    if universe.size**2 > _LARGEST_MATRIX:
        raise InvalidInput("The matrix of the mechanism is too large to be written out.")
    return Mechanism(
        [[diagonal[x] if x == y else left[x] * right[y] for y in range(universe.size)] for x in range(universe.size)],
        universe,
        universe.labels,
    )


def _of_distances(values: Point, universe: Databases) -> DistanceMechanism:
    if len(values) != universe.rows + 1:
        raise InvalidInput("A mechanism by distances needs one number for each distance.")
    sizes = universe.sphere_sizes()
    return DistanceMechanism(universe, [size * value for size, value in zip(sizes, values, strict=True)])


def _table(rows: Any) -> list[list[Rational]]:
    if not isinstance(rows, list):
        raise InvalidInput("The rows of the mechanism are a list of lists.")
    return [list(_numbers(row)) for row in rows]


def _numbers(values: Any) -> Point:
    if not isinstance(values, list):
        raise InvalidInput("A list of numbers is missing in the mechanism.")
    return tuple(number(value) for value in values)


def _texts(values: Point | list[Rational]) -> list[str]:
    return [text(value) for value in values]
