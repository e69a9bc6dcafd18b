"""The linear program of a question in fractions: what `formulation` writes in floats, for bounds that are linear.

Two questions are asked: the least distortion at a level whose exponential is a fraction, and the least common bound of
sums of maxima at a distortion. The exact multipliers of the optimum make a converse as they are. Laws of the source and
ratio bounds join as the optimum breaks them, which is decided exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import count

from epstar.completion import Converse, Mixture
from epstar.deadline import keep_time
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.enclosure import times
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Exponential, Form, Maximum, RatioBound, Spread, SumBound
from epstar.problem import Problem
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.laws import Members
from epstar.solve.program.model import Basis
from epstar.source.base import Mixtures

Event = tuple[int, tuple[int, ...]]
"""A bound over events, by its place among those of the notion, and the outputs that it is read for."""
Rounded = Callable[[Real], Rational]
# Nats: beyond that a ratio that is rounded asks for no more than that its right side is not zero.
LARGEST_EXPONENT = 1000


@dataclass(frozen=True)
class Corner:
    """What makes the optimum of a program, and maybe that of a similar one: variables, and names of tight rows."""

    columns: frozenset[int]
    rows: frozenset[Hashable]


@dataclass(frozen=True)
class ExactFound:
    """The optimum of a program: its value, a mechanism of that value, and the multipliers that prove it."""

    value: Rational
    mechanism: Mechanism
    converse: Converse
    slope: Rational
    """How fast the value changes with e^level."""
    fall: Rational
    """How fast the value falls as the level itself rises."""
    basis: Basis


class MechanismProgram:
    """One question over some members of the source; `level` is None where the least bound of sums is asked for.

    `kept` names the ratio bounds to ask for at first, by bound and output; without it all are. A bound over events has
    a variable for the excess of each output (an extended formulation); where a basis is to hold at other levels too,
    and these variables would change it without need, the events that matter are named by `events` and are rows (cutting
    planes), which come last, so that a basis holds when some are added. The distortion is bounded under all laws of a
    `region`, where there is one, else under those among the members. Coefficients that are not fractions are `rounded`:
    down where the mechanism counts, up where the multipliers do.
    """

    def __init__(
        self,
        problem: Problem,
        members: Members,
        level: Real | None,
        kept: Collection[tuple[int, int]] | None = None,
        region: Mixtures | None = None,
        events: Sequence[Event] | None = None,
        rounded: Rounded | None = None,
    ) -> None:
        self._problem = problem
        self._members = members
        self._level = level
        self._rounded = rounded
        self._cost = problem.distortion.matrix(problem.universe)
        self._constraints = problem.notion.constraints(problem.universe, members.for_notion)
        self._program = ExactProgram()
        self._outputs = range(len(self._cost[0]))
        self._entries = [self._program.variables(len(row)) for row in self._cost]
        largest = max((abs(entry) for row in self._cost for entry in row), default=ONE)
        (self._worst,) = self._program.variables(
            1, free=True, unit=largest if level is not None and largest > 0 else ONE
        )
        self._program.objective = {self._worst: ONE}
        # Places of rows by what they are.
        self._rows = [self._program.add(dict.fromkeys(row, ONE), ONE, equal=True) for row in self._entries]
        self._points: list[int] = []
        self._region = region
        self._ratios: dict[tuple[int, int], int] = {}
        self._events: dict[Event, int] = {}
        self._maxima: dict[tuple[int, int, int, int], int] = {}
        self._sums: list[int] = []
        self._forms: dict[tuple[tuple[int, Rational], ...], range] = {}
        # Rows whose right side rises with e^level: by how much for each variable, and for the bound.
        self._growing: list[tuple[int, dict[int, Rational], Rational]] = []
        self._growths: dict[tuple[int, int], Rational] = {}
        self._unread: dict[int, RatioBound] = {}
        self._write(kept, events is None)
        if level is not None:
            for event in events or ():
                self._event(event, level)

    def _write(self, kept: Collection[tuple[int, int]] | None, extends: bool) -> None:
        if self._region is not None:
            self._all_laws(self._region)
        for point in () if self._region is not None else self._members.for_distortion:
            self._law(point)
        for i, total in enumerate(self._constraints.sums):
            self._sum(i, total)
        if self._level is not None and is_compact(self._constraints):
            assert self._constraints.spread is not None
            self._spread(self._constraints.spread, self._level)
        elif self._level is not None:
            for i, bound in enumerate(self._constraints.pairwise()):
                outputs = [y for y in self._outputs if kept is None or (i, y) in kept]
                if outputs and (extends or not is_over_events(bound)):
                    self._ratio(i, bound, self._level, outputs)
                if extends and len(outputs) < len(self._outputs):
                    self._unread[i] = bound

    def _limit(self) -> tuple[dict[int, Rational], Rational]:
        """Return what the distortion is at most: what is given, or the variable that is minimised."""
        if self._level is not None:
            return {self._worst: -ONE}, ZERO
        allowed = self._problem.given.rational
        assert allowed is not None
        return {}, allowed

    def _law(self, point: Sequence[Rational]) -> int:
        """Bound the distortion under a law of the source."""
        most, allowed = self._limit()
        expected = {
            self._entries[x][y]: p * d for x, p in enumerate(point) if p != 0 for y, d in enumerate(self._cost[x])
        }
        self._points.append(self._program.add(expected | most, allowed))
        return self._points[-1]

    def _all_laws(self, region: Mixtures) -> None:
        """Bound the distortion under all laws of a region, as `Program` does in floats."""
        most, allowed = self._limit()
        means = self._program.variables(len(self._cost), free=True)
        for mean, entries, costs in zip(means, self._entries, self._cost, strict=True):
            row = {entry: cost for entry, cost in zip(entries, costs, strict=True) if cost != 0}
            self._program.add(row | {mean: -ONE}, ZERO, equal=True)
        (top,), prices = self._program.variables(1, free=True), self._program.variables(len(region.bounds))
        for k, vector in enumerate(region.vectors):
            row = {means[x]: share for x, share in enumerate(vector) if share != 0}
            row |= {price: -line[k] for price, line in zip(prices, region.matrix, strict=True) if line[k] != 0}
            self._points.append(self._program.add(row | {top: -ONE}, ZERO))
        row = {price: limit for price, limit in zip(prices, region.bounds, strict=True) if limit != 0}
        self._program.add(row | {top: ONE} | most, allowed)

    def _expressions(self, form: Form) -> list[dict[int, Rational]]:
        """Return a form of every column; a long one is a variable of its own, which keeps rows short."""
        if len(form) < 2:
            return [{self._entries[x][y]: weight for x, weight in form.items()} for y in self._outputs]
        key = tuple(sorted(form.items()))
        if key not in self._forms:
            self._forms[key] = self._program.variables(len(self._outputs))
            for y, variable in enumerate(self._forms[key]):
                row = {self._entries[x][y]: weight for x, weight in key}
                self._program.add(row | {variable: -ONE}, ZERO, equal=True)
        return [{variable: ONE} for variable in self._forms[key]]

    def _growth(self, level: Real, distance: Rational) -> Rational:
        key = int(distance.p), int(distance.q)
        if key not in self._growths:
            exponent = Real.of(LARGEST_EXPONENT) if self._is_capped(distance) else times(level, distance)
            self._growths[key] = self._fraction(Real.exp(exponent))
        return self._growths[key]

    def _is_capped(self, distance: Rational) -> bool:
        return self._rounded is not None and self._level is not None and self._level * distance > LARGEST_EXPONENT

    def _fraction(self, number: Real) -> Rational:
        """Return a coefficient, rounded where that is asked for (see `is_linear`)."""
        fraction = number.rational if self._rounded is None else self._rounded(number)
        assert fraction is not None
        return fraction

    def _spread(self, spread: Spread, level: Real) -> None:
        ratio = self._growth(level, ONE)
        for y, least in enumerate(self._program.variables(len(self._outputs))):
            for x, scale in enumerate(spread.scales):
                entry = self._entries[x][y]
                self._program.add({least: ONE, entry: -scale}, ZERO)
                row = self._program.add({entry: scale, least: -ratio}, spread.slack)
                self._growing.append((row, {least: ONE}, ZERO))

    def _ratio(self, i: int, bound: RatioBound, level: Real, outputs: Sequence[int]) -> None:
        ratio, slack = self._growth(level, bound.distance), self._slack(bound, level)
        faster = bound.distance * ratio / self._growth(level, ONE)
        slack_growth = bound.slack if bound.slack_grows else ZERO
        excess = self._program.variables(len(outputs)) if is_over_events(bound) else None
        lefts, rights = self._expressions(bound.left), self._expressions(bound.right)
        for k, y in enumerate(outputs):
            row, right = dict(lefts[y]), rights[y]
            for column, value in right.items():
                row[column] = row.get(column, ZERO) - ratio * value
            if excess is not None:
                row[excess[k]] = -ONE
            place = self._ratios[i, y] = self._program.add(row, slack if excess is None else ZERO)
            rises = {column: faster * value for column, value in right.items()}
            self._growing.append((place, rises, slack_growth if excess is None else ZERO))
        if excess is not None:
            place = self._program.add(dict.fromkeys(excess, ONE), slack)
            self._growing.append((place, {}, slack_growth))

    def _event(self, event: Event, level: Real) -> None:
        """Bound the excess of the outputs of an event, added up."""
        i, outputs = event
        bound = self._constraints.pairwise()[i]
        ratio = self._growth(level, bound.distance)
        row = {self._entries[x][y]: share for x, share in bound.left.items() for y in outputs}
        right = {self._entries[x][y]: share for x, share in bound.right.items() for y in outputs}
        for column, share in right.items():
            row[column] = row.get(column, ZERO) - ratio * share
        place = self._events[event] = self._program.add(row, self._slack(bound, level))
        faster = bound.distance * ratio / self._growth(level, ONE)
        rises = {column: faster * share for column, share in right.items()}
        self._growing.append((place, rises, bound.slack if bound.slack_grows else ZERO))

    def _sum(self, i: int, total: SumBound) -> None:
        row = {self._worst: -ONE} if self._level is None else {}
        for k, (weight, atom) in enumerate(total.terms):
            assert isinstance(atom, Maximum)
            for y, value in enumerate(self._program.variables(len(self._outputs))):
                row[value] = weight
                for x, share in atom.weights.items():
                    self._maxima[i, k, y, x] = self._program.add({self._entries[x][y]: share, value: -ONE}, ZERO)
        bound = ZERO
        if self._level is not None:
            bound = self._fraction(total.scale.bound(self._level))
        place = self._program.add(row, bound)
        self._sums.append(place)
        if self._level is not None and isinstance(total.scale, Exponential):
            self._growing.append((place, {}, total.scale.rate * bound / self._growth(self._level, ONE)))

    def solve(self, time_limit: float | None) -> ExactFound | None:
        """Return the optimum, None where floats do not lead to it."""
        while True:
            optimum = self._program.optimum(time_limit)
            if optimum is None or not self._broken(optimum):
                return None if optimum is None else self._found(optimum)

    def pivoted(self, start: Corner | None = None) -> ExactFound | Converse | None:
        """Return the optimum, or what excludes every mechanism, without floats; None where the laws are a region's.

        `start` is the corner of a similar program.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        found = self._program.pivoted(self._broken, None if start is None else self._basis(start))
        if isinstance(found, Impossible):
            return self._converse(found.multipliers)
        return None if found is None else self._found(found)

    def corner(self, basis: Basis) -> Corner:
        """Return a basis by what its rows are."""
        names = self._names()
        return Corner(basis.columns, frozenset(names[row] for row in basis.tight_rows))

    def _basis(self, corner: Corner) -> Basis | None:
        """Return the basis of a corner, None where it has laws that this program does not know."""
        places = {name: row for row, name in enumerate(self._names())}
        rows = [places.get(name) for name in corner.rows]
        return None if None in rows else Basis(corner.columns, frozenset(row for row in rows if row is not None))

    def _names(self) -> list[Hashable]:
        """Return the law of each row that is about one, and numbers for the others."""
        laws = dict(zip(self._points, self._members.for_distortion, strict=False))
        numbers = count()
        return [laws[row] if row in laws else next(numbers) for row in range(len(self._program.rows))]

    def _broken(self, optimum: ExactOptimum) -> list[int]:
        """Add what the mechanism of an optimum breaks, of what the program does not know; return the new rows."""
        keep_time()
        rows, before = self._matrix(optimum), len(self._program.rows)
        if self._region is None:
            worst = self._problem.source.maximum([dot(*pair) for pair in zip(rows, self._cost, strict=True)])
            most, allowed = self._limit()
            if worst.value > allowed - sum((share * optimum.values[j] for j, share in most.items()), ZERO):
                self._members.for_distortion.append(worst.point)
                self._law(worst.point)
        for i, bound in self._unread.items():
            assert self._level is not None
            ratio, slack = self._growth(self._level, bound.distance), self._slack(bound, self._level)
            excesses = [
                _at(bound.left, column) - ratio * _at(bound.right, column) for column in zip(*rows, strict=True)
            ]
            if is_over_events(bound):
                is_broken = sum((excess for excess in excesses if excess > 0), ZERO) > slack
                outputs = list(self._outputs) if is_broken else []
            else:
                outputs = [y for y, excess in enumerate(excesses) if excess > slack]
            if outputs:
                self._ratio(i, bound, self._level, outputs)
        return list(range(before, len(self._program.rows)))

    def _slack(self, bound: RatioBound, level: Real) -> Rational:
        return bound.slack * self._growth(level, ONE) if bound.slack_grows else bound.slack

    def made_by(self, basis: Basis) -> tuple[list[Rational], ExactFound | None] | None:
        """Return what a basis makes: the numbers that must not be negative, and the optimum if none is.

        The basis may be that of the program at another level. None if it is singular here.
        """
        made = self._program.made_by(basis)
        return None if made is None else (made.margins, None if made.optimum is None else self._found(made.optimum))

    def tight_events(self, basis: Basis) -> tuple[tuple[Event, ...], Basis]:
        """Return the events that hold with equality, and the basis of the program that knows no others."""
        kept = tuple(event for event, row in self._events.items() if row in basis.tight_rows)
        first = min(self._events.values(), default=0)
        others = {row for row in basis.tight_rows if not self._events or row < first}
        return kept, Basis(basis.columns, frozenset(others | {first + k for k in range(len(kept))}))

    def _found(self, optimum: ExactOptimum) -> ExactFound:
        problem = self._problem
        mechanism = Mechanism(self._matrix(optimum), problem.universe, problem.distortion.outputs(problem.universe))
        converse, slope = self._converse(optimum.multipliers), self._slope(optimum)
        fall = ZERO if self._level is None else -slope * self._growth(self._level, ONE)
        return ExactFound(optimum.values[self._worst], mechanism, converse, slope, fall, optimum.basis)

    def _matrix(self, optimum: ExactOptimum) -> list[list[Rational]]:
        return [[optimum.values[entry] for entry in row] for row in self._entries]

    def _converse(self, found: Sequence[Rational]) -> Converse:
        weights = [found[i] for i in self._points]
        weight = sum(weights, ZERO)
        if self._region is not None:
            # They weigh vectors that need not be laws of the region themselves.
            columns = zip(*self._region.vectors, strict=True)
            worst = tuple(dot(weights, column) / weight for column in columns) if weight > 0 else ()
            law: Mixture = ((ONE, worst),) if worst else ()
        else:
            listed = zip(weights, self._members.for_distortion, strict=True)
            law = tuple((share / weight, point) for share, point in listed if share > 0)
        asked = self._level if self._problem.asks == "loss" else None
        prices = None
        if self._level is not None and is_compact(self._constraints):
            prices = tuple(-found[i] for i in self._rows)
        return Converse(
            weight=weight,
            distortion_law=law or ((ONE, self._members.for_distortion[0]),),
            points=tuple(((ONE, point),) for point in self._members.for_notion),
            level=asked,
            ratios=self._ratio_multipliers(found),
            maxima=tuple((*place, found[row]) for place, row in self._maxima.items() if found[row] > 0),
            sums=tuple(found[row] for row in self._sums),
            prices=prices,
        )

    def _ratio_multipliers(self, found: Sequence[Rational]) -> tuple[tuple[int, int, Rational], ...]:
        """Return the multipliers of ratio bounds by bound and output; an event counts for each of its outputs."""
        bounds = self._constraints.pairwise()
        ratios = {(i, y): found[row] for (i, y), row in self._ratios.items() if not self._is_capped(bounds[i].distance)}
        for (i, outputs), row in self._events.items():
            for y in outputs:
                ratios[i, y] = ratios.get((i, y), ZERO) + found[row]
        return tuple((i, y, value) for (i, y), value in ratios.items() if value > 0)

    def _slope(self, optimum: ExactOptimum) -> Rational:
        """Return how fast the optimum changes with e^level."""
        slope = ZERO
        for row, rises, bound in self._growing:
            if optimum.multipliers[row] > 0:
                right = sum((value * optimum.values[column] for column, value in rises.items()), bound)
                slope -= optimum.multipliers[row] * right
        return slope


def growth(level: Real, distance: Rational) -> Rational:
    """Return e^(level * distance), which must be a fraction (see `is_linear`)."""
    ratio = Real.exp(times(level, distance)).rational
    assert ratio is not None
    return ratio


def is_over_events(bound: RatioBound) -> bool:
    """Return whether a bound adds up the excesses of outputs before it compares them with its slack."""
    return bound.events and bound.slack > 0


def broken_events(constraints: Constraints, mechanism: Mechanism, level: Real) -> list[Event]:
    """Return for each bound over events the one that breaks it most, if one does (the separation problem, exactly)."""
    columns = list(zip(*mechanism.rows, strict=True))
    found = []
    for i, bound in enumerate(constraints.pairwise()):
        if is_over_events(bound):
            ratio = growth(level, bound.distance)
            excesses = [_at(bound.left, column) - ratio * _at(bound.right, column) for column in columns]
            outputs = tuple(y for y, excess in enumerate(excesses) if excess > 0)
            slack = bound.slack * growth(level, ONE) if bound.slack_grows else bound.slack
            if sum((excesses[y] for y in outputs), ZERO) > slack:
                found.append((i, outputs))
    return found


def _at(form: Form, column: Sequence[Rational]) -> Rational:
    return sum((share * column[x] for x, share in form.items()), ZERO)


def is_compact(constraints: Constraints) -> bool:
    """Return whether the ratio bounds are a spread that row prices prove something about."""
    spread = constraints.spread
    if spread is None or constraints.ratios:
        return False
    return not (spread.events and spread.slack > 0) and min(spread.scales) > 0


def has_lines(constraints: Constraints) -> bool:
    """Return whether all bounds are linear at any one level."""
    return all(isinstance(atom, Maximum) for total in constraints.sums for _, atom in total.terms)


def is_linear(constraints: Constraints, level: Real | None, is_rounded: bool = False) -> bool:
    """Return whether bounds are linear, with coefficients at a level that are fractions or rounded to some.

    Without one, whether they are sums of maxima that share a scale.
    """
    scales = {total.scale for total in constraints.sums}
    if not has_lines(constraints):
        return False
    if level is None:
        return scales == {Exponential()} and not constraints.ratios and constraints.spread is None
    if is_rounded:
        return True
    if any(scale.bound(level).rational is None for scale in scales):
        return False
    distances = {bound.distance for bound in constraints.ratios} | ({ONE} if constraints.spread is not None else set())
    ratios = [Real.exp(times(level, distance)).rational for distance in distances]
    return all(ratio is not None for ratio in ratios)
