"""A primal-dual interior-point method for linear rows and smooth convex bounds (Mehrotra's predictor and corrector).

Minimise a linear objective under equations, inequalities, lower bounds of variables and curved bounds on a matrix among
them. Variables stay above their bounds and slacks positive; rows and curved bounds are met on the way. The first point
has rows that sum to one, as every later one then has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from epstar.deadline import keep_time
from epstar.solve.wider.smooth import Divergences

Floats = NDArray[np.float64]
_MOST_STEPS = 250
# A step goes this share of the way to where a variable or slack vanishes, and is halved so often where sums grow.
_FRACTION, _HALVINGS = 0.995, 8
# What the errors of the conditions, and products of slacks and multipliers, may be at the end, in units of the program.
_DONE = 1e-12
# Errors of the other conditions, in units of the products, from which on these fall by no more than a share in a step.
_AHEAD = 100.0
# What is added to a diagonal of ones, so that equations that depend on each other leave it regular.
_TRACE = 1e-14
# Errors from which on rounding decides, and steps without progress that end it before.
_FINE, _STALLED = 1e-9, 15


@dataclass(frozen=True)
class Linear:
    """The linear part of a program: objective, rows by their sides, and the lower bounds of variables."""

    objective: Floats
    equal: sparse.csr_matrix
    sides: Floats
    above: sparse.csr_matrix
    most: Floats
    lower: Floats


@dataclass(frozen=True)
class Optimum:
    """Where the method ended: variables, multipliers of rows and curved bounds, and by how much it may be wrong."""

    values: Floats
    equal: Floats
    above: Floats
    curved: Floats
    error: float


@dataclass
class _State:
    values: Floats
    slack: Floats
    room: Floats
    equal: Floats
    above: Floats
    curved: Floats
    lower: Floats

    def moved(self, change: _State, share: float) -> _State:
        return _State(*(a + share * b for a, b in zip(vars(self).values(), vars(change).values(), strict=True)))


@dataclass(frozen=True)
class _Local:
    """The conditions of Karush, Kuhn and Tucker at a state: errors of equations, and products that shall vanish."""

    state: _State
    matrix: Floats
    residuals: list[Floats]
    jacobian: Floats
    products: list[Floats]

    @cached_property
    def residual(self) -> float:
        return max(float(np.abs(part).max(initial=0.0)) for part in self.residuals)

    @cached_property
    def mean(self) -> float:
        return float(np.concatenate(self.products).mean())

    @cached_property
    def largest(self) -> float:
        return float(np.concatenate(self.products).max())

    @property
    def error(self) -> float:
        return max(self.residual, self.largest) if np.isfinite(self.residual) else np.inf


class Method:
    """An interior-point method for one program."""

    def __init__(
        self, linear: Linear, curved: Divergences, places: tuple[NDArray[np.intp], ...], worst: int, outputs: int
    ) -> None:
        """Take `places`: the variables of entries, and the inputs and outputs that they belong to."""
        self.linear, self.curved, self.places, self.worst = linear, curved, places, worst
        self.shape = curved.forms.shape[1], outputs
        self.bounded = np.flatnonzero(np.isfinite(linear.lower))

    def _first(self, start: Floats) -> _State:
        linear = self.linear
        matrix, worst = self.matrix(start), float(start[self.worst])
        values = self.curved.values(matrix, worst)
        slack, room = np.maximum(linear.most - linear.above @ start, 0.1), np.maximum(-values, 0.1)
        distance = start[self.bounded] - linear.lower[self.bounded]
        return _State(start, slack, room, np.zeros(linear.sides.size), 0.1 / slack, 0.1 / room, 0.1 / distance)

    def matrix(self, values: Floats) -> Floats:
        """Return the matrix among the variables."""
        found = np.zeros(self.shape)
        found[self.places[1], self.places[2]] = values[self.places[0]]
        return found

    def run(self, start: Floats) -> Optimum:
        """Return the best point on the way from a first one."""
        now = best = self._local(self._first(start))
        stalled, pace, least = 0, 0.0, now.mean
        for _ in range(_MOST_STEPS):
            keep_time()
            is_fine = now.largest <= _DONE / 10 and best.error <= _FINE
            if now.error <= _DONE or is_fine or stalled >= (3 if best.error < _FINE else _STALLED):
                break
            # Where the other conditions are met much worse than the products, the central path bends: go slowly.
            ratio = now.residual / max(now.mean, 1e-300)
            pace = pace / 4 if ratio <= _AHEAD else 0.5 if ratio <= _AHEAD**2 else 1.0
            step = self._step(now, pace)
            if step is None:
                break
            now = self._moved(now, step)
            stalled = 0 if now.error < best.error or now.mean < 0.95 * least else stalled + 1
            least = min(least, now.mean)
            best = min(best, now, key=lambda local: local.error)
        state = best.state
        return Optimum(state.values, state.equal, state.above, state.curved, best.error)

    def _local(self, now: _State) -> _Local:
        """Return the conditions at a state."""
        linear, matrix = self.linear, self.matrix(now.values)
        slopes = self.curved.slopes(matrix)
        jacobian = np.zeros((len(slopes), now.values.size))
        jacobian[:, self.places[0]] = slopes[:, self.places[1], self.places[2]]
        jacobian[:, self.worst] = self.curved.by_worst()
        dual = linear.objective + linear.equal.T @ now.equal + linear.above.T @ now.above + jacobian.T @ now.curved
        dual[self.bounded] -= now.lower
        residuals = [
            dual,
            linear.equal @ now.values - linear.sides,
            linear.above @ now.values + now.slack - linear.most,
            self.curved.values(matrix, float(now.values[self.worst])) + now.room,
        ]
        return _Local(now, matrix, residuals, jacobian, self._products(now))

    def _products(self, state: _State) -> list[Floats]:
        distance = state.values[self.bounded] - self.linear.lower[self.bounded]
        return [state.slack * state.above, state.room * state.curved, distance * state.lower]

    def _step(self, local: _Local, pace: float) -> _State | None:
        """Return Newton's step towards the central path: a predictor, then what it got wrong and where to aim."""
        linear, now, jacobian = self.linear, local.state, local.jacobian
        distance = now.values[self.bounded] - linear.lower[self.bounded]
        hessian = np.zeros((now.values.size,) * 2)
        blocks = self.curved.curvature(local.matrix, now.curved)
        variables, inputs, outputs = self.places
        for y in range(self.shape[1]):
            column = outputs == y
            hessian[np.ix_(variables[column], variables[column])] += blocks[y][np.ix_(inputs[column], inputs[column])]
        hessian += (linear.above.T.multiply(now.above / now.slack) @ linear.above).toarray()
        hessian += jacobian.T @ ((now.curved / now.room)[:, None] * jacobian)
        hessian[self.bounded, self.bounded] += now.lower / distance
        rows = linear.equal.toarray()
        whole = np.block([[hessian, rows.T], [rows, np.zeros((len(rows),) * 2)]])
        if not np.isfinite(whole).all():
            return None
        scale = 1 / np.sqrt(np.maximum(np.abs(whole).max(axis=1), 1e-300))
        signs = np.repeat([_TRACE, -_TRACE], [len(hessian), len(rows)])
        factors = linalg.lu_factor(scale[:, None] * whole * scale + np.diag(signs), check_finite=False)

        def solved(aims: list[Floats]) -> _State:
            """Return the step that brings the products to some aims, and the residuals to zero."""
            dual, equal, above, curved = local.residuals
            right = -dual
            right -= linear.above.T @ ((aims[0] + now.above * above) / now.slack)
            right -= jacobian.T @ ((aims[1] + now.curved * curved) / now.room)
            right[self.bounded] += aims[2] / distance
            found = scale * linalg.lu_solve(factors, scale * np.concatenate([right, -equal]), check_finite=False)
            values, prices = found[: now.values.size], found[now.values.size :]
            slack, room = -above - linear.above @ values, -curved - jacobian @ values
            return _State(
                values,
                slack,
                room,
                prices,
                (aims[0] - now.above * slack) / now.slack,
                (aims[1] - now.curved * room) / now.room,
                (aims[2] - now.lower * values[self.bounded]) / distance,
            )

        products = local.products
        guess = solved([-product for product in products])
        reached = np.concatenate(self._products(now.moved(guess, self._reach(now, guess)))).mean()
        aim = local.mean * max(min(1.0, max(float(reached) / local.mean, 0.0)) ** 3, pace)
        wrong = [guess.slack * guess.above, guess.room * guess.curved, guess.values[self.bounded] * guess.lower]
        step = solved([aim - product - more for product, more in zip(products, wrong, strict=True)])
        return step if np.isfinite(step.values).all() else None

    def _reach(self, now: _State, step: _State) -> float:
        """Return the share of a step at which the first variable or slack vanishes, at most one."""
        share = 1.0
        distance = now.values[self.bounded] - self.linear.lower[self.bounded]
        for part, change in (
            (distance, step.values[self.bounded]),
            (now.slack, step.slack),
            (now.room, step.room),
            (now.above, step.above),
            (now.curved, step.curved),
            (now.lower, step.lower),
        ):
            falls = change < 0
            if falls.any():
                share = min(share, float((-part[falls] / change[falls]).min()))
        return share

    def _moved(self, now: _Local, step: _State) -> _Local:
        """Go a step, or less of it where the conditions are then met worse, and worse than the products."""
        share = min(1.0, _FRACTION * self._reach(now.state, step))
        for _ in range(_HALVINGS):
            found = self._local(now.state.moved(step, share))
            if found.residual <= _AHEAD * max(now.residual / 10, found.mean):
                break
            share /= 2
        return found
