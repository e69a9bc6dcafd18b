"""Programs with curved bounds, as solvers take them, and how these used the bounds.

Cones hold outputs that vanish, which an interior-point method creeps up to; orders near one and many of them at once
leave cones with few digits, and an interior-point method of their own scale with all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from epstar.deadline import Deadline
from epstar.limits import Entry
from epstar.notions.constraints import Norm, SumBound
from epstar.notions.family import Family
from epstar.solve.program.model import Solution
from epstar.solve.wider.cones import Conic
from epstar.solve.wider.interior import Linear, Method
from epstar.solve.wider.smooth import Divergences

if TYPE_CHECKING:
    from epstar.solve.wider.program import Program, Row

Floats = NDArray[np.float64]
# An interior point that meets its conditions less well is no solution: the constraints may contradict each other.
_CLOSE = 1e-5
# The room of rows and bounds at which an interior-point method begins.
_ROOM = 0.1


@dataclass(frozen=True)
class Tangent:
    """A curved bound as a solver used it: its multiplier, and where it is linearised, for each output.

    The places are the ratios of both sides of each divergence, or the columns that a norm is taken of.
    """

    multiplier: float
    places: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Curved(Solution):
    """The solution of a program with curved bounds, with the tangents of those that have a multiplier."""

    tangents: dict[int, Tangent] = field(default_factory=dict)


def solve_curved(program: Program, deadline: Deadline) -> Curved:
    """Solve a program with curved bounds: by cones, many orders at once by an interior-point method of our own."""
    forms = np.zeros((len(program.forms), program.table.shape[0] + len(program.laws)))
    for place, form in enumerate(program.forms):
        for x, share in form:
            forms[place, x] = float(share)
    curved = Divergences(list(program.curved.values()), forms)
    entries = dict(program.entries)
    for i, law in enumerate(program.laws.values()):
        entries |= {(program.table.shape[0] + i, y): v for y, v in enumerate(law)}
    if any(_is_hard(program, u) for u in program.curved):
        found = _by_interior(program, curved, entries)
        if found.finished:
            return found
    conic = Conic(program.assembly(), curved, entries, program.worst, program.table.shape[1])
    solution, multipliers, ratios = conic.solve(deadline.left())
    rows: dict[Hashable, float] = {}
    rows |= {number: solution.multipliers[number] * program.scale(row) for number, row in enumerate(program.rows)}
    values = solution.values[: len(program.lower)].copy()
    finished = solution.finished or solution.message == "InsufficientProgress"
    return _solution(program, values, rows, multipliers, ratios, finished, solution.message, solution.precision)


def _is_hard(program: Program, u: int) -> bool:
    """Return whether a curved bound leaves cones with few digits: a norm, or one of many orders."""
    entry = program.table.bounds[u]
    assert isinstance(entry.bound, SumBound)
    is_one_of_many = isinstance(program.table.setting.guarantees[entry.name[0]][0], Family)
    return is_one_of_many or isinstance(entry.bound.terms[0][1], Norm)


def _by_interior(program: Program, curved: Divergences, entries: dict[Entry, int]) -> Curved:
    """Solve by the interior-point method, distortions in units of the largest."""
    rows = [[row for row in program.rows if row.is_equation is kind] for kind in (True, False)]
    unit = 1.0
    if program.goal == "distortion":
        laws = (row for row in rows[1] if isinstance(row.tag, tuple) and row.tag[0] == "law")
        unit = max((abs(float(a)) for row in laws for a in row.coefficients.values()), default=1.0)
    (equal, sides), (above, most) = (_arrays(program, part, unit) for part in rows)
    objective = np.zeros(len(program.lower))
    objective[program.worst] = 1.0
    places = tuple(np.array(part) for part in zip(*((v, x, y) for (x, y), v in entries.items()), strict=True))
    linear = Linear(objective, equal, sides, above, most, np.array(program.lower))
    method = Method(linear, curved, places, program.worst, program.table.shape[1])
    found = method.run(_start(program, places, above, most, curved))
    values = found.values.copy()
    values[program.worst] *= unit
    numbers = [[i for i, row in enumerate(program.rows) if row.is_equation is kind] for kind in (True, False)]
    pairs = zip([*numbers[0], *numbers[1]], [*found.equal, *found.above], strict=True)
    multipliers: dict[Hashable, float] = {number: unit * float(multiplier) for number, multiplier in pairs}
    left, right = curved.sides(method.matrix(found.values))
    kept = (left > 0) & (right > 0)
    ratios = np.where(kept, left / np.where(kept, right, 1.0), np.nan)
    absolute = unit * found.curved / np.abs(curved.units)
    return _solution(program, values, multipliers, absolute, ratios, found.error <= _CLOSE, "interior", found.error)


def _solution(
    program: Program,
    values: Floats,
    rows: dict[Hashable, float],
    multipliers: Floats,
    ratios: Floats,
    finished: bool,
    message: str,
    precision: float,
) -> Curved:
    """Return what a solver found, with how curved bounds were used: multipliers are of their sums themselves."""
    tangents: dict[int, Tangent] = {}
    part = 0
    for place, (u, smooth) in enumerate(program.curved.items()):
        these = ratios[part : part + len(smooth.parts)]
        part += len(smooth.parts)
        bound = program.table.bounds[u].bound
        assert isinstance(bound, SumBound)
        _, atom = bound.terms[0]
        multiplier = float(multipliers[place])
        if isinstance(atom, Norm):
            # The norm is the root of the least divergence from a law of the output.
            size = abs(float(values[program.worst])) if smooth.is_least else math.exp(smooth.limit)
            multiplier *= smooth.order * size ** (1 - 1 / smooth.order)
            these = np.where(np.isnan(these) & ~np.isnan(these).all(axis=0), 0.0, these)
            these = np.maximum(these / np.fmax.reduce(these, axis=0), 1e-40).T
        listed = tuple(tuple(None if np.isnan(v) else float(v) for v in row) for row in these)
        tangents[u] = Tangent(multiplier, listed)
    if program.goal == "loss":
        values[program.worst] = _least(program, float(values[program.worst]))
    least = float(values[program.worst])
    return Curved(values, rows, least, finished, message, precision=precision, tangents=tangents)


def _arrays(program: Program, rows: list[Row], unit: float) -> tuple[sparse.csr_matrix, Floats]:
    """Return rows as a matrix with their sides; the variable of the goal is in some unit."""
    listed = [(i, v, float(a)) for i, row in enumerate(rows) for v, a in row.coefficients.items()]
    lines, columns, values = zip(*listed, strict=True) if listed else ((), (), ())
    amounts = np.array(values) * np.where(np.array(columns) == program.worst, unit, 1.0)
    matrix = sparse.csr_matrix((amounts, (lines, columns)), (len(rows), len(program.lower)))
    return matrix, np.array([float(row.bound) for row in rows])


def _start(
    program: Program, places: tuple[NDArray[np.intp], ...], above: sparse.csr_matrix, most: Floats, curved: Divergences
) -> Floats:
    """Return answers at random, and so large a goal that rows and bounds have room where it gives them any."""
    start = np.where(np.isfinite(program.lower), np.array(program.lower) + 1.0, 0.0)
    variables, inputs, _ = places
    start[variables] = 1 / np.bincount(inputs)[inputs]
    start[program.worst] = 0.0
    by_worst = np.asarray(above[:, [program.worst]].todense()).ravel()
    gives = by_worst < 0
    needed = (above @ start - most + _ROOM)[gives] / -by_worst[gives]
    slopes = curved.by_worst()
    matrix = np.zeros((curved.forms.shape[1], program.table.shape[1]))
    matrix[inputs, places[2]] = start[variables]
    excess = curved.values(matrix, 0.0) + _ROOM
    needed = np.concatenate([needed, excess[slopes < 0] / -slopes[slopes < 0]])
    start[program.worst] = max(float(needed.max(initial=-math.inf)), program.lower[program.worst] + _ROOM)
    return start if np.isfinite(start[program.worst]) else np.where(np.isfinite(start), start, 0.0)


def _least(program: Program, value: float) -> float:
    """Return the least bound of a sum, where the variable of the goal is its power."""
    bound = program.table.bounds[next(u for u, smooth in program.curved.items() if smooth.is_least)].bound
    assert isinstance(bound, SumBound)
    norms = [atom for _, atom in bound.terms if isinstance(atom, Norm)]
    return math.copysign(abs(value) ** (1 / float(norms[0].order)), value) if norms else value
