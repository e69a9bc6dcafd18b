"""The active set of laws of a source: those that a program starts from, and those that join because they are worse.

What is judged here is linear in the law, or concave, so that a region with too many corners gives them up one by one:
whenever a mechanism is found, the law under which it does worst (the exchange method for semi-infinite programs,
Blankenship and Falk 1976).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Mixture, Proof
from epstar.completion.converse import Point
from epstar.errors import InvalidInput, SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import Mechanism
from epstar.notions.base import Notion
from epstar.notions.constraints import Power, RelativeEntropy, SumBound, with_free_law
from epstar.notions.identifiability import most_unlike_laws
from epstar.notions.measure.least_favourable import covering_laws
from epstar.problem import Problem
from epstar.solve.program.arithmetic import FLOATS
from epstar.solve.program.atoms import Curves
from epstar.solve.program.guesses import Guesses
from epstar.solve.program.lazy import Read, UnreadSums
from epstar.solve.program.measured import rate
from epstar.solve.program.model import FAINT, NOISE, WORSE
from epstar.solve.program.robust import FEW_LETTERS
from epstar.solve.program.smooth_program import Optimum
from epstar.solve.shapes import is_scaled_by_the_law
from epstar.source import Ball, Box, Everything, Finite, Hull, Prior, Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]


def is_listed(source: Source) -> bool:
    """Return whether the extreme members are all listed, so that a program never needs to ask for more."""
    return isinstance(source, Prior | Finite | Hull | Everything) or (isinstance(source, Rows) and not source.is_curved)


NEGLIGIBLE = 1e-17
"""Units of the objective: a multiplier below this cannot move a bound by anything that a float would show."""
# A region with few corners is listed whole; a larger one gives up its corners one by one, as they matter.
_FEW_VERTICES = 40
# From so many letters on a bound at each of many members is itself a large program.
_MANY_LETTERS = 16
# So few bounds on pairs of inputs, at the laws under which they are most unlike, are listed at once.
_FEW_BOUNDS = 120_000


def initial_members(source: Source) -> list[Point]:
    """Return all members that are listed or few, else the extreme ones of a region along each letter."""
    if isinstance(source, Prior):
        return [source.probabilities]
    if isinstance(source, Finite | Hull):
        return list(source.points)
    if isinstance(source, Rows) and source.is_curved:
        return list(dict.fromkeys(law for cell in source.cells() for law in (*cell.corners, cell.middle)))
    if isinstance(source, Everything | Rows):
        return source.vertices()
    if source.size <= FEW_LETTERS:
        with suppress(InvalidInput):
            return source.vertices(limit=_FEW_VERTICES)
    found: dict[Point, None] = {}
    for letter in range(source.size):
        unit = [ONE if x == letter else ZERO for x in range(source.size)]
        found[source.maximum(unit).point] = None
        found[source.minimum(unit).point] = None
    return list(found)


def first_members(source: Source) -> list[Point]:
    """Return the members to begin with where more are added as they matter: all of a list, few of a large region.

    A region with few corners is known whole. Of a larger one the flattest member has all letters.
    """
    if is_listed(source) or source.size <= FEW_LETTERS or isinstance(source, Rows):
        return initial_members(source)
    flattest = [] if source.flattest is None else [source.flattest.probabilities]
    return list(dict.fromkeys([*flattest, source.maximum([ONE] * source.size).point]))


@dataclass
class Members:
    """The members of the source that a program knows: one list for the distortion, one for the notion."""

    for_distortion: list[Point]
    for_notion: list[Point]
    read: Read = field(default_factory=Read)
    """Which of the bounds that the members make are known to matter."""
    guesses: Guesses | None = None
    """How the laws are found under which most is guessed, where the notion's own corners are too many."""
    dominate: bool = False
    """Whether no law of the source is worse for the notion than the members, of which it then need not have any."""

    @classmethod
    def start(cls, problem: Problem) -> Members:
        """Return the members to begin with."""
        first = first_members(problem.source)
        if not problem.notion.needs_source:
            return cls(first, [])
        priors = problem.notion.priors(problem.source)
        decisive = _decisive_laws(problem)
        if decisive is not None:
            return cls(first, decisive)
        # Bounds at many members at once save rounds, unless each is itself a large program.
        return cls(first, (initial_members if priors.size <= _MANY_LETTERS else first_members)(priors))

    def copied(self) -> Members:
        """Return the same members, to which others may join elsewhere."""
        read = replace(self.read, sums=set(self.read.sums), ratios=dict(self.read.ratios))
        return replace(self, for_distortion=list(self.for_distortion), for_notion=list(self.for_notion), read=read)


def _decisive_laws(problem: Problem) -> list[Point] | None:
    """Return a few laws of a region that decide every loss: for joint probabilities one for each pair, else None."""
    source, pairs = problem.source, len(problem.universe.pairs().first)
    known = is_listed(source) or isinstance(source, Rows) or not is_scaled_by_the_law(problem.notion)
    # There are hardly fewer laws than letters.
    if known or not 0 < pairs * source.size <= _FEW_BOUNDS:
        return None
    laws = most_unlike_laws(problem.universe, problem.notion.priors(source))
    return laws if len(laws) * pairs <= _FEW_BOUNDS else None


def exact(value: float | Rational) -> Rational:
    """Return the number that a float is, bit for bit."""
    if isinstance(value, Rational):
        return value
    try:
        return Rational(*float(value).as_integer_ratio())
    except (OverflowError, ValueError):
        raise SolverFailure(
            "The solver left the range of floats; ask at a slightly different distortion or loss, or a smaller order."
        ) from None


def mixture(weights: Sequence[float], points: Sequence[Point]) -> Mixture:
    """Return points with weights that sum to exactly one; the first point alone if all weights vanish."""
    return weighed(weights, points)[1]


def weighed(multipliers: Sequence[float | Rational], points: Sequence[Point]) -> tuple[Rational, Mixture]:
    """Return the total of the first multipliers, which belong to points, and the mixture that they make.

    It is the first point alone where all vanish, or are too faint as floats.
    """
    known = zip(multipliers, points, strict=False)
    pairs = [(exact(weight), point) for weight, point in known if isinstance(weight, Rational) or weight > NEGLIGIBLE]
    total = sum((weight for weight, _ in pairs), ZERO)
    if total == 0:
        return ZERO, ((ONE, points[0]),)
    return total, tuple((weight / total, point) for weight, point in pairs if weight > 0)


def has_saddle(problem: Problem) -> bool:
    """Return whether the loss is concave in the prior and the source convex: one mixture of members is then worst."""
    priors = problem.notion.priors(problem.source)
    return problem.notion.is_concave_in_prior and priors.is_convex and not isinstance(priors, Prior)


ROUGHLY_WORSE = 2e-5
"""The same while programs are solved roughly: what they know of a distortion."""
MOST_ROUNDS = 200
"""Each round of an exchange adds a law or a bound; one that gets anywhere needs fewer."""
# A supremum over a source is found in floats, which know fewer digits of a loss than of a distortion.
_COARSER = 100
# A share of chance that makes losses finite, and next to nothing of any other difference.
_BLUR = 1e-8


def is_worse(mean: float, known: float) -> bool:
    """Return whether a mean is larger than those known by more than a rounding error."""
    return mean > known + WORSE * max(1.0, abs(known))


def as_mechanism(matrix: Floats) -> Floats:
    """Return a solver's matrix as a mechanism, without outputs of rounding errors, which would decide what is worst."""
    kept = np.where(matrix.max(axis=0) > FAINT, np.maximum(matrix, 0.0), 0.0)
    found: Floats = kept / kept.sum(axis=1, keepdims=True)
    return found


def worse_laws(
    notion: Notion, universe: Universe, source: Source, known: Sequence[Point], matrix: Floats
) -> list[Point]:
    """Return laws of a source at which a mechanism loses more than at the known ones.

    A slack that is just used up, or a hair more, makes every loss infinite; a trace of chance tells.
    """
    for share in (0.0, _BLUR):
        blurred = Mechanism((1 - share) * matrix + share * matrix.mean(axis=0), universe)
        most = max(notion.loss(blurred, Prior(law)).value for law in known)
        fresh = (law for law in notion.worst_laws(blurred, source) if law not in known)
        worse = [law for law in fresh if notion.loss(blurred, Prior(law)).value > most + _COARSER * WORSE]
        if worse:
            return worse
    return []


@dataclass(frozen=True, eq=False)
class Extremes:
    """Some laws of a source, and the region that has more of them, if any; no points stand for all laws there are."""

    laws: Floats
    points: tuple[Point, ...] | None
    region: Source | None = None

    @classmethod
    def of(cls, source: Source) -> Extremes | None:
        """Return the laws to begin with; None for a source that is not convex, or has no law to begin with."""
        if isinstance(source, Prior):
            return cls(source.floats[None], (source.probabilities,))
        if isinstance(source, Hull):
            return cls(source.floats, source.points)
        if isinstance(source, Box | Ball):
            # It has all letters that any law of the region has.
            return cls(source.flattest.floats[None], (source.flattest.probabilities,), source)
        return cls(np.eye(source.size), None) if isinstance(source, Everything) else None

    def joined(self, point: Point) -> Extremes:
        """Return these laws and one more."""
        points = (*(self.points or ()), point)
        return replace(self, laws=np.vstack([self.laws, nearest_floats(point)]), points=points)

    def with_worst(self, values: Floats) -> tuple[Extremes, float]:
        """Return these laws and the one of the region under which the mean of `values` is largest, and that mean.

        The laws themselves, where none is worse.
        """
        known = float((self.laws @ values).max())
        if self.region is None:
            return self, known
        point = self.region.maximum(values.tolist()).point
        mean = float(nearest_floats(point) @ values)
        return (self.joined(point) if is_worse(mean, known) else self), max(mean, known)

    def mixed(self, weights: Floats) -> Mixture:
        """Return the mixture with the given weights, in exact numbers; the faintest are mere rounding errors."""
        kept = np.where(weights > NOISE * weights.max(), weights, 0.0).tolist()
        if self.points is not None:
            return mixture(kept, self.points)
        entries = [exact(weight) for weight in kept]
        total = sum_of(entries)
        return ((ONE, tuple(entry / total for entry in entries)),)


FAINT_MULTIPLIER = Rational(1, 10**7)
"""The share of the largest multiplier below which a law has one from rounding, and joins again if it matters."""
# Laws that join a program at once, which reads of their bounds those that matter.
_JOINING = 4


def used_members(proof: Proof) -> Members:
    """Return the members of the source that the multipliers found so far use; others join when they matter."""
    start = Members.start(proof.problem)
    converse = proof.converse
    if converse is None:
        return start
    for_distortion = [point for weight, point in converse.distortion_law if weight > FAINT_MULTIPLIER]
    used, read = list(range(len(converse.points))), set()
    if len(converse.sums) >= len(converse.points) > 1:
        # Every point has equally many sums, one point after the other.
        each = len(converse.sums) // len(converse.points)
        most = max(converse.sums)
        binding = [share > FAINT_MULTIPLIER * most for share in converse.sums]
        used = [i for i in range(len(converse.points)) if any(binding[i * each : (i + 1) * each])]
        read = {place * each + k for place, i in enumerate(used) for k in range(each) if binding[i * each + k]}
    for_notion = [point for i in used for weight, point in converse.points[i] if weight > FAINT_MULTIPLIER]
    return Members(for_distortion, for_notion or start.for_notion, Read(read))


def grow(
    problem: Problem,
    members: Members,
    mechanism: Mechanism,
    optimum: Optimum,
    tolerance: float,
    allowed: Sequence[Rational] = (),
) -> bool:
    """Add the members under which the mechanism does worse than the known ones say; return whether there are any.

    Worse is what exceeds the known distortions, and those `allowed` besides, by more than the tolerance, as a share of
    what it costs above the cheapest answers where that is little.
    """
    before, broken = len(members.for_distortion) + len(members.for_notion), list[int]()
    cost = problem.distortion.matrix(problem.universe)
    expected = [dot(row, costs) for row, costs in zip(mechanism.rows, cost, strict=True)]
    worst = problem.source.maximum(expected).point
    known = [*allowed, *(dot(point, expected) for point in members.for_distortion)]
    spared = min(ONE, dot(worst, expected) - dot(worst, [min(row) for row in cost]))
    if dot(worst, expected) > max(known) + exact(tolerance) * spared and worst not in members.for_distortion:
        members.for_distortion.append(worst)
    if problem.notion.needs_source:
        listed = members.for_notion
        worse = (_worst_extreme if has_saddle(problem) else _worst)(problem, listed, mechanism, optimum, tolerance)
        listed += [prior for prior in worse if prior not in listed]
        sums = problem.notion.constraints(problem.universe, listed).sums
        bound = float(problem.given) if problem.asks == "distortion" else float(optimum.value)
        broken = UnreadSums(sums, members.read.sums, len(cost)).broken(mechanism.floats, bound, _COARSER * tolerance)
    return bool(broken) or len(members.for_distortion) + len(members.for_notion) > before


def _worst(
    problem: Problem, listed: Sequence[Point], mechanism: Mechanism, _: Optimum, tolerance: float
) -> list[Point]:
    """Return the few priors at which the mechanism loses most, of those at which it loses more than at those listed."""
    # Fewer digits are enough, and sooner done.
    near = mechanism.in_floats()
    most = max(problem.notion.loss(near, Prior(point)).value for point in listed)
    found = [
        (problem.notion.loss(near, Prior(law)).value, law) for law in problem.notion.worst_laws(near, problem.source)
    ]
    worse = sorted((pair for pair in found if pair[0] > most + _COARSER * tolerance), key=lambda pair: -pair[0])
    return [law for _, law in worse[:_JOINING]]


def _worst_extreme(
    problem: Problem, listed: Sequence[Point], _: Mechanism, optimum: Optimum, tolerance: float
) -> list[Point]:
    """Return an extreme prior that is worse for the law of the output, for which the loss is linear in the prior."""
    priors = problem.notion.priors(problem.source)
    (bound,) = with_free_law(problem.notion.constraints(problem.universe, [priors.uniform])).sums
    # An answer to a letter that nothing produces may be far more telling than all others.
    letters = [x for x, chances in enumerate(zip(*covering_laws(priors), strict=True)) if any(chances)]
    atoms = {x: atom for _, atom in bound.terms if isinstance(atom, RelativeEntropy | Power) for x in atom.left}
    sums = [SumBound(((ONE, atoms[x]),), bound.scale) for x in letters]
    table = FLOATS.array((*optimum.matrix, optimum.law))
    # Measured from the largest ratio, powers stay within one.
    given = table[letters][:, table[-1] > 0] / table[-1][table[-1] > 0]
    level = Real.of(exact(float(np.log(given.max()))))
    curves = Curves(sums, len(table), FLOATS, [level] * len(sums))
    losses = np.zeros(len(optimum.matrix))
    losses[letters] = curves.values(curves.at(table))
    worst = priors.maximum([exact(loss) for loss in losses.tolist()]).point
    most = max(float(FLOATS.array(point) @ losses) for point in listed)
    more = float(FLOATS.array(worst) @ losses) - most
    # Relative to the sum itself, of which powers are the excess over one: nothing may be left of it in floats.
    size = 1 + float(Real.of(rate(bound))) * most
    return [worst] if more > _COARSER * tolerance * max(1.0, abs(most)) * size else []
