r"""Differential privacy for a long list of priors, 6 times as fast as HiGHS (100 priors on 1,000 letters).

On 5,000 letters it is 11 times as fast; see the engines in docs/benchmarks.md. With E = e^level the mechanisms of
interest are the diagonals with q(x) <= c and sum q + (E - 1) c = E. The program

    maximise t    subject to    P q - z = t,   q + b = c,   sum q + (E - 1) c = E,   q, b, z >= 0

has one row of P per prior. Eliminating q, b and z letter by letter leaves a system with one unknown per prior and
three more, so an iteration costs one product of the priors with their transpose, however many letters there are. The
multipliers w of the priors make the least favourable law.

The weights are rounded so that the mixture they make has one denominator, and the diagonal to tickets that keep within
the level; both stay integers to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS
from epstar.exact import ONE, Rational, Real
from epstar.exact.common_denominator import Scaled
from epstar.mechanism import DiagonalMechanism
from epstar.problem import Problem
from epstar.solve.forms.randomised_response import LARGE_LEVEL, Leaders, row_prices
from epstar.solve.program.arithmetic import ROUNDING
from epstar.solve.program.predictor_corrector import Parts, Point, Program, descend
from epstar.source import Finite, Hull
from epstar.universe import Alphabet

Floats = NDArray[np.float64]

# Bits of all probabilities: with fewer an exact program is as quick, whose fractions grow with them.
_MANY = 100_000
# Bits of the weights, as many as floats have, and of the entries of the diagonal, which integers of 64 bits hold.
_WEIGHT_BITS, _TICKET_BITS = 53, 61
# Nats: below this level a diagonal is nearly constant, and floats tell little of it.
_LEAST_LEVEL = 1e-6
# Rounds of a search from below, each of which leads closer, until one does so by less than floats tell.
_MOST_ROUNDS, _SETTLED = 30, 1e-14


def with_many_priors(problem: Problem) -> Proof | None:
    """Return the answer with its proof for a large listed source; None where it is not large, or nearly constant."""
    source, universe = problem.source, problem.universe
    if not isinstance(source, Finite | Hull) or not isinstance(universe, Alphabet):
        return None
    if source.counts is None or source.size * sum(law.denominator.bit_length() for law in source.counts) < _MANY:
        return None
    if problem.asks == "loss":
        return _least_loss(problem, source, universe)
    if not _LEAST_LEVEL < float(problem.given) < LARGE_LEVEL:
        return None
    found = best_diagonal(source.floats, float(Real.exp(problem.given)))
    weights = _weights(source, found.weights)
    law = source.mixed(weights)
    diagonal = _within_level(found.diagonal, Real.exp(problem.given).below(BITS))
    if law is None or diagonal is None:
        return None
    prices = row_prices(law, Real.exp(problem.given).above(BITS))
    converse = Converse(ONE, ((ONE, law),), weights=weights, prices=prices)
    return Proof(problem, DiagonalMechanism(universe, diagonal), converse)


def _least_loss(problem: Problem, source: Finite | Hull, universe: Alphabet) -> Proof | None:
    """Find the level from below: what a mixture of the priors needs at the distortion, until no mixture needs more."""
    distortion = problem.given.below()
    weights = np.full(source.count, 1 / source.count)
    ratio = 1.0
    for _ in range(_MOST_ROUNDS):
        needed = _least_ratio(weights @ source.floats, float(distortion))
        if not 1 + _LEAST_LEVEL < needed < np.exp(LARGE_LEVEL):
            return None
        if needed <= ratio * (1 + _SETTLED):
            break
        ratio = needed
        found = best_diagonal(source.floats, ratio)
        weights = found.weights / found.weights.sum()
    exact = _weights(source, weights)
    law = source.mixed(exact)
    diagonal = _within_level(found.diagonal, Rational(*ratio.as_integer_ratio()))
    if law is None or diagonal is None or max(law) >= 1 - distortion:
        return None
    short = 1 - distortion - source.minimum(diagonal).value
    if short > 0:
        # Rounding left the worst member a little short: move towards answering every letter truthfully.
        share = Rational(1, 1 << _TICKET_BITS) + short / (short + distortion)
        diagonal = tuple(q + share * (1 - q) for q in diagonal)
    level = Leaders.of(law).least_ratio(distortion)[0]
    converse = Converse(ONE, ((ONE, law),), level=Real.log(level), weights=exact, prices=row_prices(law, level))
    return Proof(problem, DiagonalMechanism(universe, diagonal), converse)


def _least_ratio(law: Floats, distortion: float) -> float:
    """Return the least E of one law at a distortion, in floats."""
    sums = np.cumsum(np.sort(law)[::-1])
    if sums[0] >= 1 - distortion:
        return 1.0
    spare = sums[1:] - (1 - distortion)
    with np.errstate(divide="ignore"):
        return float((np.arange(1, law.size) * (1 - distortion) / np.where(spare > 0, spare, 0.0)).min())


def _weights(source: Finite | Hull, weights: Floats) -> tuple[Rational, ...]:
    """Return weights near the given ones that are whole multiples of the denominators of the points."""
    scale = float(1 << _WEIGHT_BITS) / float(weights.sum())
    denominators = [entry.denominator for entry in source.counts or ()]
    largest = max(denominators)
    pairs = zip(weights.tolist(), denominators, strict=True)
    parts = [round(weight * scale) * largest // denominator * denominator for weight, denominator in pairs]
    total = sum(parts)
    return tuple(Rational(part, total) for part in parts)


def _within_level(diagonal: Floats, ratio: Rational) -> tuple[Rational, ...] | None:
    """Return a diagonal of tickets near the given one with (E - 1) max q + sum q <= E; None if it sums to less than 1.

    Scaled down by what it oversteps, and by one ticket for each letter.
    """
    scale = float(ratio) / ((float(ratio) - 1) * float(diagonal.max()) + float(diagonal.sum()))
    unit = 1 << _TICKET_BITS
    for spare in (4e-16, 1e-14, 1e-12, 1e-10):
        tickets = np.floor(diagonal * (scale * (1 - spare)) * float(unit)).astype(np.int64)
        # Many letters may be kept, so that the sum needs more room than a word.
        total, most = sum(tickets.tolist()), int(tickets.max())
        if (ratio - 1) * most + total <= ratio * unit and most <= unit:
            return Scaled(tickets, unit).fractions() if total >= unit else None
    return None


@dataclass(frozen=True)
class BestDiagonal:
    """A diagonal and the weights of the priors under whose mixture it is best."""

    diagonal: Floats
    weights: Floats


def best_diagonal(priors: Floats, ratio: float, check_time: Callable[[], object] = lambda: None) -> BestDiagonal:
    """Return the diagonal whose worst probability of a right answer is largest at E = `ratio` > 1."""
    # In units of the largest entry a million letters are no smaller than ten.
    program = _Diagonal(priors / float(priors.max()), ratio)
    with np.errstate(all="ignore"):
        best = descend(program, program.start(), ROUNDING, check_time).best
    return BestDiagonal(np.maximum(best.primal[0], 0.0), np.maximum(best.dual[2], 0.0))


class _Diagonal(Program[Point]):
    """The program: q, b and z are positive, with w the duals of z; c and t are free, and the sum has the price v."""

    is_linear, correctors = True, 0

    def __init__(self, priors: Floats, ratio: float) -> None:
        self.priors = priors
        self.ratio = ratio

    def start(self) -> Point:
        """Return a point that meets every equation and has nearly the same product in every letter and row.

        At the average law, a price above every letter leaves the duals of b to share (E - 1) v evenly.
        """
        count, letters = self.priors.shape
        law = self.priors.mean(axis=0)
        price = 1.1 * float(law.max())
        share = (self.ratio - 1) * price / letters
        dual_diagonal = share + price - law
        parts = share / (share + dual_diagonal)
        cap = self.ratio / (self.ratio - 1 + float(parts.sum()))
        diagonal = cap * parts
        worth = self.priors @ diagonal
        value = float(worth.min()) - count * cap * share
        duals = dual_diagonal, np.full(letters, share), np.full(count, 1 / count)
        return Point((diagonal, cap - diagonal, worth - value), duals, (cap, value), (price,))

    def error(self, point: Point) -> float:
        """Return the complementarity gap plus how far the rows miss, weighed like it, as a share of the value."""
        (diagonal, _, spare), (cap, value), (price,) = point.primal, point.free, point.free_dual
        rows = self.priors @ diagonal - spare - value
        total = diagonal.sum() + (self.ratio - 1) * cap - self.ratio
        return float((point.gap + np.abs(rows).max() + abs(total * price)) / abs(value))

    def newton(self, point: Point) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point.

        With near and far the duals of q and b over them, every letter gives
        dq = (P'dw - dv + far dc + k) / (near + far); what is left is a system in dw, dv, dc and dt.
        """
        priors, more, count = self.priors, self.ratio - 1, len(self.priors)
        (diagonal, below, spare), (cap, value), (price,) = point.primal, point.free, point.free_dual
        dual_diagonal, dual_below, weights = point.dual
        near, far = dual_diagonal / diagonal, dual_below / below
        ease = 1 / (near + far)
        lean = far * ease
        coupled = priors @ np.stack([ease, lean], axis=1)
        cross = float(lean.sum()) + more
        system = np.zeros((count + 3, count + 3))
        system[:count, :count] = (priors * ease) @ priors.T
        system[np.arange(count), np.arange(count)] += spare / weights
        system[:count, count:] = np.column_stack([-coupled[:, 0], coupled[:, 1], np.full(count, -1.0)])
        system[count:, :count] = np.vstack([coupled[:, 0], -coupled[:, 1], np.ones(count)])
        system[count, count : count + 2] = -float(ease.sum()), cross
        system[count + 1, count : count + 2] = cross, float((lean * near).sum())
        factor = lu_factor(system, check_finite=False)
        law_gap = priors.T @ weights - dual_below - price + dual_diagonal
        cap_gap = cap - diagonal - below
        row_gap = value + spare - priors @ diagonal
        sum_gap = self.ratio - float(diagonal.sum()) - more * cap
        price_gap = float(dual_below.sum()) - more * price

        def step(targets: Parts) -> Point:
            pull_diagonal = targets[0] / diagonal - dual_diagonal
            pull_below = targets[1] / below - dual_below - far * cap_gap
            pull_spare = targets[2] / weights - spare
            constant = law_gap + pull_diagonal - pull_below
            sides = (
                sum_gap - float(ease @ constant),
                price_gap + float(pull_below.sum() + lean @ constant),
                1 - float(weights.sum()),
            )
            right = np.append(row_gap + pull_spare - priors @ (ease * constant), sides)
            found = lu_solve(factor, right, check_finite=False)
            found += lu_solve(factor, right - system @ found, check_finite=False)
            heavier, (dearer, higher, risen) = found[:count], found[count:].tolist()
            moved = ease * (priors.T @ heavier - dearer + far * higher + constant)
            receding = cap_gap + higher - moved
            duals = pull_diagonal - near * moved, pull_below + far * cap_gap - far * receding, heavier
            return Point((moved, receding, pull_spare - spare / weights * heavier), duals, (higher, risen), (dearer,))

        return step
