r"""Newton's equations of the central path for mechanisms whose columns keep ratio bounds (see `columns`).

With the bounds G_y of a column, r q_b - q_a >= 0, their slacks s and multipliers z, and H_y = G_y' diag(z/s) G_y,

    H_y dq_y = dprice - dcost_y + ...,    sum over y of dq_y = what the rows lack,

which leaves one system in the prices of the rows, (sum of H_y^-1) dprice = ..., and in the weights of the laws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from epstar.memory import keep_memory
from epstar.solve.program.predictor_corrector import Parts, Point

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Entries belong to one part of a column if a bound between them has a smaller slack than this share of the entry, or
# than this many roots of the gap, as a share of the cost; a column with more parts is not nearly settled.
_TIGHT, _ROOTS, _FEW_PARTS = 1e-2, 3.0, 12


@dataclass(frozen=True, eq=False)
class Bounds:
    """Row `first` of a mechanism is at most `ratios` > 1 times row `second`, pair by pair, each pair once."""

    inputs: int
    first: Places
    second: Places
    ratios: Floats

    def nearest(self) -> Places:
        """Return the pairs of the relative neighbourhood graph: those without an input that is nearer to both."""
        apart = np.full((self.inputs, self.inputs), math.inf)
        apart[self.first, self.second] = self.ratios
        nearest = np.full(apart.shape, math.inf)
        for k in range(self.inputs):
            np.minimum(nearest, np.maximum(apart[:, k, None], apart[k]), out=nearest)
        return np.flatnonzero(nearest[self.first, self.second] >= self.ratios)


@dataclass(frozen=True, eq=False)
class Laws:
    """Mixtures a of `vectors`, with weights in the simplex that satisfy matrix a <= bounds, strictly for some."""

    vectors: Floats
    matrix: Floats
    bounds: Floats


class Model:
    """The costs, the laws and the bounds that have joined: those of `pair` in the column of `output`, one by one."""

    def __init__(self, cost: Floats, bounds: Bounds, laws: Laws) -> None:
        self.cost, self.laws, self.pairs = cost, laws, bounds
        self.inputs, self.outputs = cost.shape
        # By output, input and weight.
        self.costs = cost.T[:, :, None] * laws.vectors.T[None]
        keep_memory(8 * (8 * len(bounds.first) * self.outputs + 6 * self.inputs**2 * self.outputs))
        self.has_joined = np.zeros((self.outputs, len(bounds.first)), dtype=np.bool_)
        self.output, self.pair = (np.zeros(0, dtype=np.intp) for _ in range(2))
        self.join(*(places.ravel() for places in np.meshgrid(range(self.outputs), bounds.nearest(), indexing="ij")))

    def join(self, output: Places, pair: Places) -> None:
        """Bound some more entries of columns."""
        self.has_joined[output, pair] = True
        self.output, self.pair = np.append(self.output, output), np.append(self.pair, pair)
        self.first = self.output * self.inputs + self.pairs.first[self.pair]
        self.second = self.output * self.inputs + self.pairs.second[self.pair]
        self.ratios = self.pairs.ratios[self.pair]
        count = np.arange(len(self.pair))
        values = np.stack([-np.ones(len(count)), self.ratios], axis=1).ravel()
        places = np.stack([self.first, self.second], axis=1).ravel()
        shape = (len(count), self.inputs * self.outputs)
        self.bounds = csr_array((values, places, 2 * np.arange(len(count) + 1)), shape)
        self.adjoint = csr_array(self.bounds.T)
        self.squares = self.adjoint.multiply(self.adjoint)

    def missed(self, point: Point) -> Parts:
        """Return what the equations miss: rows, slacks, costs, the sum of weights, means, the room of the limits."""
        (slacks, above, limits), (multipliers, weights, room) = point.primal, point.dual
        (columns, most), (prices,), laws = point.free, point.free_dual, self.laws
        means = np.einsum("yxk,yx->k", self.costs, columns)
        return (
            1 - columns.sum(axis=0),
            self.bounds @ columns.ravel() - slacks,
            self.costs @ weights - prices - self.spread(multipliers),
            1 - float(weights.sum()),
            most + laws.matrix.T @ limits - means - above,
            laws.bounds - laws.matrix @ weights - room,
        )

    def spread(self, values: Floats) -> Floats:
        """Return what some values of the bounds make of the entries, by output."""
        found: Floats = (self.adjoint @ values).reshape(self.outputs, self.inputs)
        return found


class System:
    """Newton's equations at one point.

    Near the end a column falls into parts that its tight bounds hold together: each is free to grow as a whole and
    hardly otherwise, so that the Hessian is nearly singular along the part, where it is known without a difference.
    So a step is a multiple of each part, an unknown of the system, and a rest that leaves its largest entry alone.
    """

    def __init__(self, model: Model, point: Point) -> None:
        self.model, (self.columns, _), (self.prices,) = model, point.free, point.free_dual
        (self.slacks, self.above, self.limits), (self.multipliers, self.weights, self.room) = point.primal, point.dual
        inputs, outputs = model.inputs, model.outputs
        self.stiffness = self.multipliers / self.slacks
        hessians = np.zeros((outputs, inputs, inputs))
        pair = model.pair
        hessians[model.output, model.pairs.first[pair], model.pairs.second[pair]] = -model.ratios * self.stiffness
        hessians += hessians.transpose(0, 2, 1)
        diagonal = (model.squares @ self.stiffness).reshape(outputs, inputs)
        places = np.arange(inputs)
        hessians[:, places, places] = diagonal
        parts = self._parts().ravel()
        count = int(parts.max()) + 1
        # Parts are numbered output by output; the largest entry of each stands for it.
        flat = self.columns.ravel()
        order = np.lexsort((flat, parts))
        last = np.append(np.flatnonzero(np.diff(parts[order])), len(order) - 1)
        self.outputs, pinned = np.divmod(order[last], inputs)
        each = self.outputs
        hessians[each, pinned] = 0.0
        hessians[each, :, pinned] = 0.0
        hessians[each, pinned, pinned] = diagonal[each, pinned]
        scale = 1 / np.sqrt(diagonal)
        scales = scale[:, :, None] * scale[:, None, :]
        self.inverses = scales * _inverses(scales * hessians)
        self.inverses[each, pinned, pinned] = 0.0
        self.pinned = pinned
        # What each part makes of the bounds, where it grows by as much as it is.
        ahead, behind = parts[model.second], parts[model.first]
        within = ahead == behind
        rises = np.where(within, self.slacks, model.ratios * flat[model.second])
        falls = np.where(within, 0.0, -flat[model.first])
        bound = np.arange(len(within))
        shape = (len(within), count)
        self.grown = csr_array((np.append(rises, falls), (np.append(bound, bound), np.append(ahead, behind))), shape)
        self.parts = csr_array((flat, (np.arange(len(flat)), parts)), (len(flat), count))
        stiff = diags_array(self.stiffness) @ self.grown
        self.pulls = csr_array(model.adjoint @ stiff)
        held = self._by_part(self.pulls)
        is_pinned = np.zeros((outputs, inputs), dtype=np.bool_)
        is_pinned[each, pinned] = True
        held[is_pinned[each]] = 0.0
        rest = self._rest_of(held)
        self.rays = self._by_part(self.parts) - rest
        same = each[:, None] == each[None, :]
        self.own = (self.grown.T @ stiff).toarray() - np.where(same, held @ rest.T, 0.0)
        self.matrix = self._matrix()
        self.factor = lu_factor(self.matrix, check_finite=False)

    def _by_part(self, entries: csr_array) -> Floats:
        """Return what each part has in the entries of its own column, by part and input."""
        found = np.zeros((entries.shape[1], self.model.inputs))
        table = entries.tocoo()
        found[table.col, table.row % self.model.inputs] = table.data
        return found

    def _parts(self) -> Places:
        """Return, by output and input, the number of the part that an entry belongs to."""
        model, (outputs, inputs) = self.model, self.columns.shape
        products = float(self.slacks @ self.multipliers)
        share = min(_TIGHT, _ROOTS * math.sqrt(products / (1 + abs(float(self.prices.sum())))))
        tight = np.flatnonzero(self.slacks < share * self.columns.ravel()[model.first])
        graph = csr_array((np.ones(len(tight)), (model.first[tight], model.second[tight])), (inputs * outputs,) * 2)
        _, numbers = connected_components(graph, directed=False)
        parts = numbers.reshape(outputs, inputs)
        # A column that is not nearly settled is one part.
        many = np.array([len(np.unique(column)) > _FEW_PARTS for column in parts])
        parts[many] = parts[many, :1]
        return np.unique(parts, return_inverse=True)[1].reshape(outputs, inputs)

    def _rest_of(self, right: Floats) -> Floats:
        """Solve with the Hessian of the column of each part."""
        order = np.argsort(self.outputs, kind="stable")
        first = np.searchsorted(self.outputs[order], self.outputs)
        slots = np.argsort(order) - first
        table = np.zeros((self.model.outputs, int(slots.max()) + 1, self.model.inputs))
        table[self.outputs, slots] = right
        found = table @ self.inverses
        part: Floats = found[self.outputs, slots]
        return part

    def _matrix(self) -> Floats:
        """Return the system in the prices, the weights, the largest mean, and the multiples of the parts."""
        model, laws, inputs = self.model, self.model.laws, self.model.inputs
        weighed = self.inverses @ model.costs
        along = np.einsum("yx,yxk->ky", self.rays, model.costs[self.outputs])
        last, count = inputs + len(self.weights), len(self.outputs)
        matrix = np.zeros((last + 1 + count, last + 1 + count))
        matrix[:inputs, :inputs] = self.inverses.sum(axis=0)
        matrix[:inputs, inputs:last] = -weighed.sum(axis=0)
        matrix[:inputs, last + 1 :] = self.rays.T
        matrix[inputs:last, inputs:last] = (
            np.einsum("yxk,yxl->kl", model.costs, weighed)
            + np.diag(self.above / self.weights)
            + (laws.matrix.T * (self.limits / self.room)) @ laws.matrix
        )
        matrix[inputs:last, last] = 1.0
        matrix[inputs:last, last + 1 :] = -along
        upper = np.triu(matrix, 1)
        matrix = upper + upper.T + np.diag(np.diag(matrix))
        matrix[last + 1 :, last + 1 :] = -self.own
        return matrix

    def solved(self, missed: Parts, changes: Parts) -> Point:
        """Return the step that mends what the equations of a model miss, and changes the products of all pairs."""
        model, laws = self.model, self.model.laws
        rows, slips, costs, total, above, limited = missed
        of_bounds, of_weights, of_limits = changes
        push = model.spread(of_bounds / self.slacks - self.stiffness * slips) - costs
        rest = self._rest(push)
        stiff = self.limits / self.room
        priced = np.einsum("yxk,yx->k", model.costs, rest) - above + of_weights / self.weights
        priced -= laws.matrix.T @ (of_limits / self.room - stiff * limited)
        along = -(self.rays * push[self.outputs]).sum(axis=1)
        right = np.concatenate([rows - rest.sum(axis=0), priced, [total], along])
        found = lu_solve(self.factor, right, check_finite=False)
        found += lu_solve(self.factor, right - self.matrix @ found, check_finite=False)
        inputs, last = len(self.prices), len(self.prices) + len(self.weights)
        prices, shift, most, multiples = found[:inputs], found[inputs:last], found[last], found[last + 1 :]
        pull, moved = ((part @ multiples).reshape(rest.shape) for part in (self.pulls, self.parts))
        rest = self._rest(push + prices - model.costs @ shift - pull)
        slacks = self.grown @ multiples + model.bounds @ rest.ravel() + slips
        multipliers = of_bounds / self.slacks - self.stiffness * slacks
        room = limited - laws.matrix @ shift
        primal = slacks, (of_weights - self.above * shift) / self.weights, of_limits / self.room - stiff * room
        return Point(primal, (multipliers, shift, room), (moved + rest, most), (prices,))

    def _rest(self, right: Floats) -> Floats:
        """Solve with the Hessian of each column, the entries that stand for parts left alone."""
        right = right.copy()
        right[self.outputs, self.pinned] = 0.0
        found: Floats = (self.inverses @ right[:, :, None])[:, :, 0]
        return found


def _inverses(matrices: Floats) -> Floats:
    """Return the inverses of positive definite matrices, by Cholesky's factors.

    Raises:
        LinAlgError: if rounding has left one that is not.
    """
    found = np.empty_like(matrices)
    for place, matrix in enumerate(matrices):
        factor, failed = dpotrf(matrix, lower=1)
        found[place], singular = dpotri(factor, lower=1, overwrite_c=1)
        if failed or singular:
            raise LinAlgError("A column has no positive definite Hessian.")
    # Above the diagonal there are zeros.
    places = np.arange(matrices.shape[1])
    found[:, places, places] /= 2
    return found + found.transpose(0, 2, 1)
