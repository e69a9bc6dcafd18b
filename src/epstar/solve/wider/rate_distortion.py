"""Mutual information or capacity against distortion within limits on the mechanism: a proof from saddle points.

The kernel of the saddle point is moved onto the equations in its largest entries, and kept within the other limits by a
margin that is asked for. The logarithms of its normalisations are the row prices of Csiszar's form of the
rate-distortion function, in which multiples of limits stand beside the distortion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from epstar.claims import Attained, Bracket, Excluded, Hints, Setting, Step, SumUse, check_attained, check_excluded
from epstar.claims.saddle import order_of
from epstar.completion import ClaimedProof, Mixture
from epstar.completion.converse import mixed
from epstar.distortion import nearest_costs
from epstar.errors import ProofRejected, SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.limits import Limit
from epstar.mechanism import Mechanism
from epstar.notions.priors import listed_laws
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.certify.rate_distortion import HAIR, divergences, judges_of_distortion, row_prices
from epstar.solve.method import Task
from epstar.solve.program.exact_system import solution
from epstar.solve.program.laws import Extremes, exact
from epstar.solve.program.level import NARROW
from epstar.solve.program.limited_saddle import LimitedSaddle, LinearLimits, limited_saddle_point
from epstar.solve.program.model import NOISE
from epstar.solve.program.saddle import Trade
from epstar.solve.wider.attained import claim_of
from epstar.source import Everything

Floats = NDArray[np.float64]
Rows = tuple[tuple[Rational, ...], ...]

# Entries of a mechanism with equations, times these: beyond, a basis for them takes longer than the general program.
_MOST_WORK = 1 << 18
# By how much less than is allowed is asked for, as a share, so that rounding does not exceed it.
_MARGINS = (2.0**-42, 2.0**-36)
# The grid on which entries lie, and the binary digits of a level that is a logarithm.
_GRID, _BITS = 1 << 64, 128
# The share that rounding leaves of an equation that follows from others.
_DEPENDENT = 1e-10
# An equation of entries below this has none that could be moved.
_FAINT = 1e-100
# The share of a loss by which floats may think it too small.
_MORE = 2.0**-42


def accepts(problem: Problem) -> bool:
    """Return whether limits alone are added to an information, and some of it is allowed."""
    if problem.secret is not None or problem.also or not problem.limits or order_of(problem.notion) != 1:
        return False
    # Where any law judges the distortion, inputs that the information gives no weight have no kernel.
    if isinstance(problem.source, Everything):
        return False
    inputs, outputs = problem.distortion.shape(problem.universe)
    return problem.given > 0 and not problem.given.is_infinite and inputs * outputs * (inputs + outputs) <= _MOST_WORK


def claims(task: Task) -> Claims:
    """Offer the saddle point, where its proof is as narrow as others would be."""
    problem = task.problem
    for margin in _MARGINS:
        question = _Limited.of(problem, margin)
        if question is None:
            return
        try:
            found = question.claims(task.deadline.left)
        except (SolverFailure, ProofRejected, FloatingPointError, np.linalg.LinAlgError, linalg.LinAlgError):
            continue
        width = found.upper(problem.asks, problem.given) - found.lower(problem.asks, problem.given)
        if float(width) <= NARROW * (1.0 if problem.asks == "loss" else float(np.ptp(question.cost))):
            proof = ClaimedProof(problem, found)
            yield Offer(proof, "program", "Csiszár's form of the rate-distortion function", settles=True)
            return


@dataclass(frozen=True)
class _Limited:
    """A question about an information within limits, with a little less allowed than was asked for."""

    problem: Problem
    priors: Extremes
    judges: Extremes
    cost: Floats
    allowed: float
    margin: float

    @classmethod
    def of(cls, problem: Problem, margin: float) -> _Limited | None:
        """Return the question; None where some laws are not at hand, or exclude an input."""
        priors, judges = Extremes.of(problem.notion.priors(problem.source)), judges_of_distortion(problem)
        if priors is None or judges is None or priors.laws.max(axis=0).min() <= 0:
            return None
        cost, given = nearest_costs(problem.distortion, problem.universe), float(problem.given)
        spared = margin * (abs(given) + float(np.abs(cost).max()) if problem.asks == "loss" else 1.0 + given)
        return cls(problem, priors, judges, cost, given - spared, margin)

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The limits but for entries that must vanish."""
        return self.problem.limits.rows(self.cost.shape, self.problem.source)

    @cached_property
    def linear(self) -> LinearLimits:
        """The limits in floats, inequalities with a margin."""
        allowed = np.ones(self.cost.shape, dtype=np.bool_)
        for entry in self.problem.limits.forbidden():
            allowed[entry] = False
        lower, upper = np.zeros(self.cost.shape), np.ones(self.cost.shape)
        kept: dict[bool, list[Limit]] = {True: [], False: []}
        for limit in self.limits:
            if limit.name[0] in _OF_ENTRIES:
                (entry,) = limit.coefficients
                table, sign = (lower, 1.0) if limit.name[0] == "lower" else (upper, -1.0)
                table[entry] = abs(float(limit.bound)) + sign * self.margin
            else:
                kept[limit.is_equation].append(limit)
        tables = {}
        for is_equation, listed in kept.items():
            table, sides = np.zeros((len(listed), *self.cost.shape)), np.zeros(len(listed))
            for k, limit in enumerate(listed):
                for (x, y), a in limit.coefficients.items():
                    table[k, x, y] = float(a) if allowed[x, y] else 0.0
                size = 0.0 if is_equation else float(np.abs(table[k]).max(initial=1.0))
                sides[k] = float(limit.bound) - self.margin * size
            tables[is_equation] = table, sides
        return LinearLimits(allowed, lower, upper, *tables[True], *tables[False])

    def claims(self, left: Callable[[], float | None]) -> Bracket:
        """Return both claims.

        Raises:
            ProofRejected: if one of them does not hold.
        """
        setting = Setting.of(self.problem)
        found, priors, judges, lost = self._saddle(left)
        below = self._excluded(found, priors, judges)
        check_excluded(setting, below)
        kept = self._attained(setting, found, lost)
        if kept is None:
            raise ProofRejected("The mechanism of the saddle point does not keep what it should.")
        return Bracket(setting, kept, below)

    def _saddle(self, left: Callable[[], float | None]) -> tuple[LimitedSaddle, Extremes, Extremes, float]:
        """Solve against the laws known and add those under which the mechanism does worse, until there are none.

        With them comes what the mechanism loses at most.
        """
        priors, judges = self.priors, self.judges
        while True:
            trade = Trade(self.cost, priors.laws, judges.laws, self.allowed, self.problem.asks)
            found = limited_saddle_point(trade, self.linear, left)
            kernel = found.kernel
            if not np.isfinite(kernel).all():
                raise SolverFailure("The numbers of the saddle point broke down; ask for a less extreme point.")
            more_priors, lost = priors.with_worst(divergences(kernel, found.outputs))
            more_judges, _ = judges.with_worst((kernel * self.cost).sum(axis=1))
            if more_priors is priors and more_judges is judges:
                return found, priors, judges, lost
            priors, judges = more_priors, more_judges

    # -- attained -----------------------------------------------------------------------------------------------------

    def _attained(self, setting: Setting, found: LimitedSaddle, lost: float) -> Attained | None:
        """Return what the mechanism attains, with the law of the output as evidence where informations are suprema."""
        rows, problem = self._on_equations(found.kernel), self.problem
        if rows is None:
            return None
        mechanism = Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
        level, distortion = problem.given, problem.given
        if problem.asks == "loss":
            level = Real.of(Rational(*(max(lost, 0.0) * (1 + _MORE)).as_integer_ratio()))
        else:
            distortion = Real.of(mechanism.distortion(problem.distortion, problem.source).value)
        hints = Hints()
        if listed_laws(problem.notion.priors(problem.source)) is None:
            outputs = [exact(q) for q in found.outputs.tolist()]
            total = sum(outputs, ZERO)
            hints = Hints(output=tuple(q / total for q in outputs))
        claim = Attained(level, distortion, mechanism, hints)
        try:
            check_attained(setting, claim)
        except ProofRejected:
            is_loss = problem.asks == "loss"
            return claim_of(setting, rows, None if is_loss else level, distortion if is_loss else None)
        return claim

    def _on_equations(self, kernel: Floats) -> Rows | None:
        """Return the kernel in fractions, with a basis of its largest entries moved so that all equations hold."""
        inputs, outputs = kernel.shape
        exact_rows = [[Rational(round(entry * _GRID), _GRID) for entry in row] for row in kernel.tolist()]
        rows = [({(x, y): ONE for y in range(outputs) if self.linear.allowed[x, y]}, ONE) for x in range(inputs)]
        rows += [(limit.coefficients, limit.bound) for limit in self.limits if limit.is_equation]
        table = np.zeros((len(rows), kernel.size))
        for k, (row, _) in enumerate(rows):
            for (x, y), a in row.items():
                table[k, x * outputs + y] = float(a) * kernel[x, y]
        table /= np.maximum(np.abs(table).max(axis=1, keepdims=True), _FAINT)
        triangle, order = linalg.qr(table, mode="r", pivoting=True, check_finite=False)
        diagonal = np.abs(np.diagonal(triangle))
        rank = int((diagonal > _DEPENDENT * diagonal[0]).sum())
        basis = [divmod(int(place), outputs) for place in order[:rank]]
        chosen = list(range(len(rows)))
        if rank < len(rows):
            _, among = linalg.qr(table[:, order[:rank]].T, mode="r", pivoting=True, check_finite=False)
            chosen = sorted(among[:rank].tolist())
        place = {entry: i for i, entry in enumerate(basis)}
        system, right = [], []
        for k in chosen:
            row, bound = rows[k]
            system.append({place[entry]: a for entry, a in row.items() if entry in place})
            right.append(bound - sum((a * exact_rows[x][y] for (x, y), a in row.items() if (x, y) not in place), ZERO))
        solved = solution(system, right)
        if solved is None:
            return None
        for (x, y), value in zip(basis, solved, strict=True):
            exact_rows[x][y] = value
        is_law = all(entry >= 0 for row in exact_rows for entry in row)
        # Floats may take an equation for one that follows from others.
        is_kept = all(sum((a * exact_rows[x][y] for (x, y), a in row.items()), ZERO) == bound for row, bound in rows)
        return tuple(map(tuple, exact_rows)) if is_law and is_kept else None

    # -- excluded -----------------------------------------------------------------------------------------------------

    def _excluded(self, found: LimitedSaddle, priors: Extremes, judges: Extremes) -> Excluded:
        """Return the row prices: p(x) times the logarithm of the normalisation, lowered until columns have room."""
        problem, asks_loss = self.problem, self.problem.asks == "loss"
        point, costly = priors.mixed(found.information_weights), judges.mixed(found.distortion_weights)
        share = ONE if asks_loss else exact(float(found.information_weights.sum()))
        weight = exact(float(found.distortion_weights.sum()))
        multiples = list(self._multiples(found))
        prices = self._prices(
            found.outputs, nearest_floats(mixed(point)), float(share), self._costs(costly, float(weight), multiples)
        )
        paid = sum(prices, ZERO) - sum((multiple * limit.bound for limit, multiple in multiples), ZERO)
        used = tuple((limit.name, multiple) for limit, multiple in multiples)
        sums = (SumUse((0, 0, 0), share, "conjugate"),)
        step = Step(laws=tuple((weight * part, law) for part, law in costly), sums=sums, rows=prices, limits=used)
        if asks_loss:
            assert problem.given.rational is not None
            loss, distortion = Real.of((paid - weight * problem.given.rational) / share), problem.given
        else:
            loss, distortion = problem.given, Real.of((paid - share * problem.given.above(_BITS)) / weight)
        return Excluded(loss, distortion, problem.asks, (step,), (point,))

    def _multiples(self, found: LimitedSaddle) -> Iterator[tuple[Limit, Rational]]:
        """Yield the limits with their multipliers, but for those that are what a solver leaves of zero."""
        faint = NOISE * float(np.abs(found.entries).max(initial=0.0))
        others = {True: iter(found.equations.tolist()), False: iter(found.inequalities.tolist())}
        for limit in self.limits:
            if limit.name[0] in _OF_ENTRIES:
                (entry,) = limit.coefficients
                value = float(found.entries[entry]) * (1.0 if limit.name[0] == "upper" else -1.0)
                if value > faint:
                    yield limit, exact(value)
            else:
                value = next(others[limit.is_equation])
                if value != 0:
                    yield limit, exact(value)

    def _costs(self, costly: Mixture, weight: float, multiples: list[tuple[Limit, Rational]]) -> Floats:
        """Return what each entry costs with the multiples of the limits."""
        costs: Floats = weight * nearest_floats(mixed(costly))[:, None] * self.cost
        for limit, multiple in multiples:
            for entry, a in limit.coefficients.items():
                costs[entry] += float(multiple) * float(a)
        return costs

    def _prices(self, outputs: Floats, law: Floats, share: float, costs: Floats) -> tuple[Rational, ...]:
        allowed, used = np.where(self.linear.allowed, costs, math.inf), law > 0
        prices = allowed.min(axis=1) - HAIR * np.abs(costs).max(axis=1)
        prices[used] = share * row_prices(allowed[used] / (share * law[used, None]), law[used], outputs)
        return tuple(exact(price) for price in prices.tolist())


# Limits on one entry each, whose multipliers a saddle point has in tables.
_OF_ENTRIES = ("lower", "upper")
