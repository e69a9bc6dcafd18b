r"""Cutting planes of linear programs over mechanisms in exact rationals, their names, and what their multipliers prove.

A program in floats cannot hold e^25 next to 1. `CutProgram` minimises a linear cost of a mechanism, or the largest of
several: it starts from the cheapest answers, which are optimal as long as nothing else is asked, and each inequality
that is added (a cut) is mended by pivots in balls (see `exact`). The multipliers of the cuts prove the optimum.

A mechanism has a law's distortion for each member of the source, an excess for each ratio bound of the notion and
each event of outputs, and a sum for each bound of maxima and each choice of an input for every output: too many to
write down, few that matter. Each that does is a cut with a name; a converse is written from the multipliers of named
cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from epstar.completion import Mixture
from epstar.completion.converse import Point
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational
from epstar.notions.constraints import Maximum, RatioBound, SumBound
from epstar.problem import Problem
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.model import Basis

Entry = tuple[int, int]
Multipliers = Mapping[Hashable, Rational]
Sums = tuple[Rational, ...]
Maxima = tuple[tuple[int, int, int, int, Rational], ...]


@dataclass(frozen=True)
class Cut:
    """constant + the sum of coefficients * Q(y|x), plus the largest cost if `worst`, is at least zero.

    `name` says what it is; no two cuts share one.
    """

    name: Hashable
    constant: Rational
    coefficients: Mapping[Entry, Rational]
    worst: bool = False


@dataclass(frozen=True)
class Corner:
    """What makes the optimum of a program, and maybe that of a similar one: variables, and cuts that hold tightly."""

    columns: frozenset[int]
    cuts: frozenset[Hashable]


class CutProgram:
    """Minimise the sum of costs(x, y) Q(y|x) over the answers that each input may be given.

    Without costs the minimum is over a variable that is at least what cuts with `worst` say, of which one must be known
    from the start.
    """

    def __init__(self, answers: Sequence[Sequence[int]], outputs: int, costs: Mapping[Entry, Rational] | None) -> None:
        self.shape = (len(answers), outputs)
        self._program = ExactProgram()
        entries = [(x, y) for x, choices in enumerate(answers) for y in choices]
        self._places = dict(zip(entries, self._program.variables(len(entries)), strict=True))
        for x, choices in enumerate(answers):
            self._program.add({self._places[x, y]: ONE for y in choices}, ONE, equal=True)
        self._worst = len(entries)
        if costs is None:
            self._program.variables(1, free=True)
            self._program.objective = {self._worst: ONE}
        else:
            self._program.objective = {self._places[entry]: cost for entry, cost in costs.items()}
        self._rows: dict[Hashable, int] = {}
        self._optimum: ExactOptimum | None = None

    @property
    def value(self) -> Rational:
        """The least cost under the cuts so far."""
        values = self._found.values
        return sum((cost * values[j] for j, cost in self._program.objective.items()), ZERO)

    @property
    def corner(self) -> Corner:
        """What makes the optimum."""
        tight = self._found.basis.tight_rows
        return Corner(self._found.basis.columns, frozenset(name for name, row in self._rows.items() if row in tight))

    @property
    def _found(self) -> ExactOptimum:
        assert self._optimum is not None
        return self._optimum

    def mechanism(self) -> list[list[Rational]]:
        """Return the mechanism of the least cost."""
        inputs, outputs = self.shape
        values, places = self._found.values, self._places
        return [[values[places[x, y]] if (x, y) in places else ZERO for y in range(outputs)] for x in range(inputs)]

    def multipliers(self) -> Multipliers:
        """Return the positive multipliers of the cuts that prove that the cost cannot be less, by name."""
        return self._named(self._found.multipliers)

    def _named(self, multipliers: Sequence[Rational]) -> Multipliers:
        return {name: multipliers[row] for name, row in self._rows.items() if multipliers[row] > 0}

    def solve(
        self, broken: Callable[[CutProgram], Sequence[Cut]], known: Iterable[Cut] = (), start: Corner | None = None
    ) -> Multipliers | None:
        """Add the cuts that `broken` returns until it returns none.

        Some may be known before, and the corner of a similar program with cuts of the same names.

        Returns None, or the multipliers of cuts that no mechanism meets together.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        for cut in known:
            self._add(cut)

        def added(optimum: ExactOptimum) -> list[int]:
            self._optimum = optimum
            return [self._add(cut) for cut in broken(self)]

        found = self._program.pivoted(added, None if start is None else self._basis(start))
        if found is None:
            raise SolverFailure("No cut says what the largest cost is.")
        if isinstance(found, Impossible):
            return self._named(found.multipliers)
        self._optimum = found
        return None

    def _basis(self, corner: Corner) -> Basis | None:
        """Return the basis of a corner, None where it has cuts that this program does not know."""
        if not corner.cuts <= self._rows.keys():
            return None
        return Basis(corner.columns, frozenset(range(self.shape[0])) | {self._rows[name] for name in corner.cuts})

    def _add(self, cut: Cut) -> int:
        """Return the place of a cut, which is added if it is new."""
        if cut.name not in self._rows:
            row = {self._places[entry]: -share for entry, share in cut.coefficients.items() if entry in self._places}
            if cut.worst:
                row[self._worst] = -ONE
            self._rows[cut.name] = self._program.add(row, cut.constant)
        return self._rows[cut.name]


@dataclass(frozen=True)
class Law:
    """The name of a cut: the distortion under a law of the source."""

    point: Point


@dataclass(frozen=True)
class Event:
    """The name of a cut: a bound of the notion, read at a point of the source, for some outputs together."""

    point: int
    bound: int
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """The name of a cut: a bound of sums of maxima, read at a point of the source, with an input for each output.

    `inputs` holds them term by term of the bound.
    """

    point: int
    bound: int
    inputs: tuple[tuple[int, ...], ...]


class RatioBounds:
    """The ratio bounds of a problem's notion, and its sums of maxima, point by point of its source."""

    def __init__(self, problem: Problem, points: list[Point]) -> None:
        self.problem = problem
        self.points: list[Point] = []
        self.listed: list[Sequence[RatioBound]] = []
        self.sums: list[tuple[SumBound, ...]] = []
        for point in points if problem.notion.needs_source else [None]:
            self.add(point)

    def add(self, point: Point | None) -> None:
        """Read the notion at one more point of the source."""
        points = [] if point is None else [point]
        constraints = self.problem.notion.constraints(self.problem.universe, points)
        self.points += points
        self.listed.append(constraints.pairwise())
        self.sums.append(constraints.sums)

    @property
    def are_all(self) -> bool:
        """Whether the notion bounds ratios alone."""
        return not any(self.sums)

    @property
    def are_linear(self) -> bool:
        """Whether the notion bounds ratios and sums of maxima alone."""
        terms = [term for listed in self.sums for total in listed for term in total.terms]
        return all(isinstance(atom, Maximum) for _, atom in terms)

    def __getitem__(self, name: Event) -> RatioBound:
        return self.listed[name.point][name.bound]

    def excess_cut(self, name: Event, factor: Rational, slack: Rational) -> Cut:
        """Return the cut: left side less factor times right side, added up over the outputs, is at most the slack."""
        bound = self[name]
        found: dict[Entry, Rational] = {}
        for form, share in ((bound.left, -ONE), (bound.right, factor)):
            for x, weight in form.items():
                for y in name.outputs:
                    found[x, y] = found.get((x, y), ZERO) + share * weight
        return Cut(name, slack, found)

    def choice_shares(self, name: Choice) -> dict[Entry, Rational]:
        """Return the sum that a choice names, by entry of the mechanism."""
        found: dict[Entry, Rational] = {}
        for (weight, atom), chosen in zip(self.sums[name.point][name.bound].terms, name.inputs, strict=True):
            assert isinstance(atom, Maximum)
            for y, x in enumerate(chosen):
                found[x, y] = found.get((x, y), ZERO) + weight * atom.weights[x]
        return found

    def choice_cut(self, name: Choice, most: Rational | None = None) -> Cut:
        """Return the cut: the sum that a choice names is at most its bound, or at most the program's worst."""
        found = {entry: -share for entry, share in self.choice_shares(name).items()}
        return Cut(name, ZERO if most is None else most, found, worst=most is None)

    def distortion_cut(self, name: Law, allowed: Rational | None = None) -> Cut:
        """Return the cut: the distortion under a law is at most what is allowed, or at most the program's worst."""
        cost = self.problem.distortion.matrix(self.problem.universe)
        found = {(x, y): -p * d for x, p in enumerate(name.point) for y, d in enumerate(cost[x]) if p != 0}
        return Cut(name, ZERO if allowed is None else allowed, found, worst=allowed is None)

    def weight_and_law(self, multipliers: Multipliers) -> tuple[Rational, Mixture]:
        """Return the weight of the distortion, and the mixture of laws under which it counts."""
        laws = [(value, name.point) for name, value in multipliers.items() if isinstance(name, Law)]
        weight = sum((value for value, _ in laws), ZERO)
        if weight > 0:
            return weight, tuple((value / weight, point) for value, point in laws)
        cost = self.problem.distortion.matrix(self.problem.universe)
        return ZERO, ((ONE, self.problem.source.maximum([min(row) for row in cost]).point),)

    def ratios(self, multipliers: Multipliers, points: list[Point]) -> tuple[tuple[int, int, Rational], ...]:
        """Return the multipliers of the notion's bounds at some points, by bound and output."""
        bounds = self.problem.notion.constraints(self.problem.universe, points).pairwise()
        found: dict[tuple[int, int], Rational] = {}
        for name, value in multipliers.items():
            if isinstance(name, Event):
                place = bounds.index(self[name])
                for y in name.outputs:
                    found[place, y] = found.get((place, y), ZERO) + value
        return tuple((i, y, value) for (i, y), value in found.items())

    def sums_and_maxima(self, multipliers: Multipliers, points: list[Point]) -> tuple[Sums, Maxima]:
        """Return the multipliers of the sums at some points, and of the entries that their maxima are not below."""
        bounds = self.problem.notion.constraints(self.problem.universe, points).sums
        sums = [ZERO] * len(bounds)
        found: dict[tuple[int, int, int, int], Rational] = {}
        for name, value in multipliers.items():
            if isinstance(name, Choice):
                total = self.sums[name.point][name.bound]
                place = bounds.index(total)
                sums[place] += value
                for k, ((weight, _), chosen) in enumerate(zip(total.terms, name.inputs, strict=True)):
                    for y, x in enumerate(chosen):
                        found[place, k, y, x] = found.get((place, k, y, x), ZERO) + value * weight
        return tuple(sums), tuple((*place, value) for place, value in found.items())

    def used_points(self, multipliers: Multipliers) -> list[Point]:
        """Return the points at which some multiplier reads the notion."""
        used = sorted({name.point for name in multipliers if isinstance(name, Event | Choice)})
        return [self.points[k] for k in used] if self.points else []
