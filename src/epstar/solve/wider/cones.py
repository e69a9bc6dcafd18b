"""Curved bounds as cones, for Clarabel: it holds outputs that vanish, which an interior-point method creeps up to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from epstar.solve.program.clarabel import solve_conic
from epstar.solve.program.model import Assembly, ConeKind, Cones, Solution
from epstar.solve.wider.smooth import Divergences, Smooth

Floats = NDArray[np.float64]
Member = tuple[int, float]
# A place of a tangent beyond this is of an output that hardly happens.
_NEAREST, _FARTHEST = 1e-12, 1e12


@dataclass
class Conic:
    """A linear program, to which curved bounds are added with a cone for each part and output."""

    assembly: Assembly
    curved: Divergences
    entries: dict[tuple[int, int], int]
    """The variables of the matrix, free laws among its rows; entries that vanish have none."""
    worst: int
    outputs: int
    _forms: dict[tuple[int, int], int | None] = field(default_factory=dict)
    _blocks: dict[tuple[ConeKind, float], list[tuple[tuple[Member, Member, Member], Hashable]]] = field(
        default_factory=dict
    )

    def solve(self, time_limit: float | None) -> tuple[Solution, Floats, Floats]:
        """Return the solution, the multipliers of the curved bounds, and the ratios at which their parts are touched.

        A cone's multipliers are the plane that supports it there.
        """
        part = 0
        for u, bound in enumerate(self.curved.bounds):
            part = self._add(u, bound, part)
        for (kind, exponent), alike in self._blocks.items():
            columns = np.array([[variable for variable, _ in members] for members, _ in alike])
            factors = np.array([[factor for _, factor in members] for members, _ in alike])
            self.assembly.cones.append(Cones(kind, columns, factors, (kind, exponent), exponent))
        solution = solve_conic(self.assembly, time_limit)
        ratios = np.full((part, self.outputs), np.nan)
        for (kind, exponent), alike in self._blocks.items():
            for place, (_, tag) in enumerate(alike):
                assert isinstance(tag, tuple)
                plane = solution.cone_multipliers[kind, exponent][place]
                ratios[tag] = self._ratio(plane, self._owner[tag[0]])
        multipliers = np.array([solution.multipliers[("curved", u)] for u in range(len(self.curved.bounds))])
        units = np.array([_unit(bound) for bound in self.curved.bounds])
        return solution, multipliers / units, ratios

    @property
    def _owner(self) -> list[Smooth]:
        return [bound for bound in self.curved.bounds for _ in bound.parts]

    def _add(self, u: int, bound: Smooth, part: int) -> int:
        """Add a bound, whose first part is given, and return the next part."""
        total: dict[int, float] = {}
        for weight, left, right in bound.parts:
            for y in range(self.outputs):
                sides = self._form(left, y), self._form(right, y)
                if sides[0] is not None and sides[1] is not None:
                    total[self._divergence(bound, sides[0], sides[1], (part, y))] = weight
            part += 1
        if bound.is_least:
            self.assembly.at_most({**total, self.worst: -1.0}, 0.0, ("curved", u))
            return part
        side = bound.limit if bound.order == 1 else np.sign(bound.order - 1) * np.exp(bound.limit) / _unit(bound)
        gives = {self.worst: -bound.worst} if bound.worst else {}
        self.assembly.at_most({**total, **gives}, float(side), ("curved", u))
        return part

    def _form(self, form: int, y: int) -> int | None:
        """Return a variable that is a form of a column; None if that vanishes."""
        if (form, y) not in self._forms:
            row = self.curved.forms[form]
            terms = {self.entries[x, y]: float(row[x]) for x in np.flatnonzero(row).tolist() if (x, y) in self.entries}
            if not terms or list(terms.values()) == [1.0]:
                self._forms[form, y] = next(iter(terms), None)
            else:
                variable = self._forms[form, y] = self.assembly.variable(0.0)
                self.assembly.equal({**terms, variable: -1.0}, 0.0)
        return self._forms[form, y]

    def _divergence(self, bound: Smooth, left: int, right: int, tag: tuple[int, int]) -> int:
        value, order = self.assembly.variable(-np.inf), bound.order
        members: tuple[Member, Member, Member]
        if order == 1:
            kind, exponent, members = ConeKind.EXPONENTIAL, 0.0, ((value, -1.0), (left, 1.0), (right, 1.0))
        elif order > 1:
            shrunk = _unit(bound) ** (-1 / order)
            kind, exponent, members = ConeKind.POWER, 1 / order, ((value, 1.0), (right, 1.0), (left, shrunk))
        else:
            kind, exponent, members = ConeKind.POWER, order, ((left, 1.0), (right, 1.0), (value, -1.0))
        self._blocks.setdefault((kind, exponent), []).append((members, tag))
        return value

    @staticmethod
    def _ratio(plane: Floats, bound: Smooth) -> float:
        a, _, c = plane
        order = bound.order
        if order == 1:
            return _quotient(c, -a)
        steep = _quotient(-c, a) * _unit(bound) ** (1 - 1 / order) if order > 1 else _quotient(a, -c)
        return min(max(float((steep / order) ** (1 / (order - 1))), _NEAREST), _FARTHEST)


def _unit(bound: Smooth) -> float:
    """Return what sums of powers are divided by, which may be large."""
    return float(np.exp(bound.limit)) if bound.order > 1 and not bound.is_least else 1.0


def _quotient(numerator: float, denominator: float) -> float:
    return _FARTHEST if denominator <= 0 else min(max(numerator / denominator, _NEAREST), _FARTHEST)
