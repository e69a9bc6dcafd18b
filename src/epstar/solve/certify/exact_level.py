r"""The least level at a distortion in exact rationals: a bracket of exact programs, or the logarithm of a fraction.

Near the least distortion of all the answer is far out, e^level is larger than a float can hold next to one, and so
small a change of the distortion decides that a program in floats proves little. There the least distortion at a level
is found without floats. Where it exceeds the distortion allowed, its multipliers exclude the level; elsewhere its
mechanism shows that the level is enough; and the search for the level is the one of `program.level`.

A bound of sums of maxima is linear in e^level, which is then the value of a linear program. The least distortion under
ratio bounds is not: e^level is a root, most often irrational. The simplest fraction within what is proven may be it; if
not, a few steps of Newton's method, in fractions, leave room for simple ones only. Whether one is the answer is decided
by the exact program at that level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS, Step, mixed
from epstar.completion.evidence import is_kept, width_of
from epstar.completion.excluded import drafted
from epstar.deadline import Deadline
from epstar.distortion import Gain
from epstar.errors import ProofRejected, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, RatioBound
from epstar.problem import Problem
from epstar.solve.certify.exact_optimum import (
    ExactSearch,
    exact_optimum,
    has_many_rows,
    is_moderate,
    is_small,
    settling,
)
from epstar.solve.certify.mechanism import shortened
from epstar.solve.certify.multipliers import at_cheapest
from epstar.solve.program import FEW_ENTRIES
from epstar.solve.program.coefficients import LARGEST_EXPONENT
from epstar.solve.program.exact_mechanism import ExactFound
from epstar.solve.program.laws import Members, exact
from epstar.solve.program.level import MOST_PROGRAMS, LevelSearch
from epstar.solve.program.measured import PLACE_BITS
from epstar.solve.shapes import has_lines

ENOUGH = 1e-10
"""Nats: the width of an interval that counts as an answer."""
# The share of a level by which the ends of a bracket differ.
_HAIR = 2e-14
# How many times that the ends lie from the root that the search found, until they are what they should be.
_AROUND = (1, 16, 256, 4096)
# The digits of e^level, which are what makes exact arithmetic slow.
_GROWTH_BITS = 56
# Steps of Newton's method in fractions, each of which doubles their digits.
_MOST_STEPS = 3
# Nats: an interval that is wider says too little about the fraction in it.
_WIDE = 1e-7
# Of a larger e^level the fraction is not recognised.
_LARGEST = Rational(10) ** 9
# More than the error of a step of Newton's method, over the square of the step.
_CURVATURE = Rational(10) ** 6
# An interval of length w holds a fraction of a denominator above w^(-1/2) by chance; a simpler one has a reason.
_BY_CHANCE = Rational(1, 100)


def sharpened(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof of the least level whose ends agree, or `proof` where the problem is not a small linear one.

    A proof of an interval that is narrow enough is left alone.

    Cost: some programs of about 0.05 s each for five inputs and seven outputs.
    """
    interval = proof.check()
    if interval.width <= ENOUGH or not is_small(proof.problem):
        return proof
    if proof.problem.notion.constraints(proof.problem.universe, Members.start(proof.problem).for_notion).sums:
        return proof
    bracket = _ExactBracket(proof)
    with suppress(TimeLimit), deadline.kept():
        bracket.narrow()
    found = Proof(proof.problem, bracket.mechanism, bracket.converse)
    return found if width_of(found) < interval.width else proof


class _ExactBracket:
    """The largest level that exact programs exclude, and the smallest that they show to be enough."""

    def __init__(self, proof: Proof) -> None:
        self.problem, self.mechanism, self.converse = proof.problem, proof.mechanism, proof.converse
        interval = proof.check()
        self.low = interval.lower.lower
        self.high = math.inf if interval.upper.is_infinite else interval.upper.upper
        self._search = ExactSearch(proof.problem, Members.start(proof.problem), _grown)

    def narrow(self) -> None:
        """Solve at one level after the other, until the ends agree to the precision of floats.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        problem = self.problem
        least = at_cheapest(problem).value
        # In units of what is allowed beyond the least distortion, which floats may not hold next to the distortion.
        room = problem.given.below() - least
        unit = room if room > 0 else ONE
        bounds = problem.notion.constraints(problem.universe, self._search.members.for_notion).pairwise()
        nearest = min((float(bound.distance) for bound in bounds), default=1.0)
        # Near the least distortion the answer is far out, where a mechanism is known to be enough.
        first = max(self.low if math.isinf(self.high) else self.high, _HAIR)
        search = LevelSearch(0.0, float(room / unit), self.low, first, _HAIR, LARGEST_EXPONENT / nearest)
        for _ in range(MOST_PROGRAMS):
            solved = self._solved(search.level)
            if solved is None:
                search.tell(math.inf, 0.0)
            else:
                search.tell(float((solved.value - least) / unit), float(solved.fall / unit))
            if search.is_done:
                break
        root = search.level
        for times in _AROUND:
            gap = times * _HAIR * max(1.0, root)
            if self.high > root + gap:
                self._solved(root + gap)
            if self.low < root - gap:
                self._solved(root - gap)
            if self.high - self.low <= 4 * gap:
                return

    def _solved(self, number: float) -> ExactFound | None:
        """Return the least distortion at a level, None where no mechanism has it, and keep what it shows."""
        level = _rounded(number)
        found, here = self._search.by_pivots(level), float(level)
        if isinstance(found, ExactFound) and Real.of(found.value) <= self.problem.given:
            if here < self.high:
                self.high, self.mechanism = here, self._short_mechanism(found.mechanism, level)
        elif found is not None and here > self.low:
            converse = found.converse if isinstance(found, ExactFound) else found
            self.low, self.converse = here, self._short_converse(replace(converse, level=level))
        return found if isinstance(found, ExactFound) else None

    def _short_mechanism(self, found: Mechanism, level: Real) -> Mechanism:
        """Return a mechanism of least distortion in short fractions, where these do as well."""
        problem, enough = self.problem, level + exact(_HAIR * max(1.0, float(level)))
        short = Mechanism([_short_law(row) for row in found.rows], problem.universe, found.outputs)
        if Real.of(short.distortion(problem.distortion, problem.source).value) > problem.given:
            return found
        # A slack that is just used up may be exceeded by a hair, which makes the loss infinite.
        return short if is_kept(problem, short, enough) else found

    def _short_converse(self, found: Converse) -> Converse:
        """Return multipliers that exclude a level in short fractions, where these do as well."""
        shares = _short_law([share for share, _ in found.distortion_law])
        laws = zip(shares, found.distortion_law, strict=True)
        short = replace(
            found,
            distortion_law=tuple((share, point) for share, (_, point) in laws),
            ratios=tuple((i, y, shortened(value, PLACE_BITS)) for i, y, value in found.ratios),
        )
        return found if math.isinf(width_of(Proof(self.problem, self.mechanism, short))) else short


def _rounded(level: float) -> Real:
    """Return a level of few digits, the logarithm of a number of few digits where it is not too large."""
    return Real.of(exact(level)) if level > LARGEST_EXPONENT else Real.log(_grown(Real.exp(exact(level))))


def _grown(value: Real) -> Rational:
    """Return a ratio of few digits that is not below another: it allows more mechanisms, so that bounds stay valid."""
    return shortened(value.above(), _GROWTH_BITS)


def _short_law(law: Sequence[Rational]) -> list[Rational]:
    """Return a law with the same zeros and fewer digits: the largest entry makes up for the rounding of the others."""
    largest = max(range(len(law)), key=lambda k: law[k])
    short = [shortened(p, PLACE_BITS) if p > 0 else ZERO for p in law]
    short[largest] += 1 - sum(short, ZERO)
    return short


def exactly_least(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the logarithm of the same fraction, or `proof` where none is found.

    Cost: up to four exact programs.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    if problem.given.rational is None or not is_moderate(problem):
        return proof
    constraints = problem.notion.constraints(problem.universe, [(ONE, *[ZERO] * (problem.universe.size - 1))])
    if not has_lines(constraints):
        return proof
    interval = proof.check()
    if constraints.sums and interval.width > 0:
        bound = exact_optimum(problem, proof, None, deadline)
        return (None if bound is None else settling(problem, bound.mechanism, bound.converse)) or proof
    if interval.upper.is_infinite or not 0 < interval.width <= _WIDE:
        return proof
    low, high = Real.exp(interval.lower).below(BITS), Real.exp(interval.upper).above(BITS)
    return _recognised(problem, proof, low, high, deadline) or proof


def _recognised(problem: Problem, proof: Proof, low: Rational, high: Rational, deadline: Deadline) -> Proof | None:
    allowed = problem.given.rational
    assert allowed is not None
    inputs, outputs = problem.distortion.shape(problem.universe)
    constraints = _constraints(problem, proof.converse or Converse(ONE, ()))
    # The fractions of further steps have many digits, which take long in large programs.
    is_large = inputs * outputs > FEW_ENTRIES or has_many_rows(constraints, outputs)
    steps = 0 if is_large else _MOST_STEPS
    for _ in range(steps + 1):
        if not 1 < high <= _LARGEST:
            return None
        ratio = simplest(low, high)
        if steps == 0 and (high - low) * ratio.q * ratio.q > _BY_CHANCE:
            return None
        found = exact_optimum(problem, proof, Real.log(ratio), deadline)
        if found is None:
            return None
        if found.value <= allowed:
            for converse in (found.converse, proof.converse):
                settled = settling(problem, found.mechanism, converse)
                if settled is not None:
                    return settled
            risen = rising(problem, found, Real.log(ratio), deadline) if found.value == allowed else None
            if risen is not None:
                return settling(problem, found.mechanism, risen)
        if found.slope == 0 or found.value == allowed:
            return None
        step = (allowed - found.value) / found.slope
        margin = _CURVATURE * step * step
        if margin >= abs(step):
            # From so far, as where the loss of a constant answer is the least, the tangent tells nothing.
            return None
        low, high = ratio + step - margin, ratio + step + margin
    return None


def rising(problem: Problem, found: ExactFound, level: Real, deadline: Deadline) -> Converse | None:
    """Return the converse of an exact optimum with steps that exclude all smaller levels; None if none are found.

    Each is about the answers that the ones before leave without room.

    Raises:
        TimeLimit: if the time is up.
    """
    cost = problem.distortion.matrix(problem.universe)
    # The least distortion is concave in what other answers cost more: if that matters, it does from the first bit on.
    extra = max(map(max, cost)) - min(map(min, cost))
    last, others, known = found.converse, list[Converse](), [list(range(len(cost[0])))] * len(cost)
    while last.prices is None:
        joined = _joined(problem, found.converse, others)
        try:
            draft = drafted(problem, joined, level)
        except ProofRejected:
            return None
        left = [draft.left(x) for x in range(len(cost))]
        if draft.done or not all(left):
            return joined
        if left == known:
            return None
        gains = [
            [-price if y in choices else -price - extra for y, price in enumerate(row)]
            for row, choices in zip(cost, left, strict=True)
        ]
        restricted = replace(problem, distortion=Gain(gains))
        dearer = exact_optimum(restricted, Proof(restricted, found.mechanism, last), level, deadline)
        if dearer is None:
            return None
        known, last = left, dearer.converse
        others.append(last)
    return None


def _joined(problem: Problem, converse: Converse, others: Sequence[Converse]) -> Converse:
    """Return the converse with the multipliers of others as steps: bounds are counted at the laws of all."""
    halves = [converse, *others]
    joined = replace(converse, points=tuple(dict.fromkeys(point for half in halves for point in half.points)))
    places = {_key(bound): i for i, bound in enumerate(_constraints(problem, joined).pairwise())}

    def moved(half: Converse) -> tuple[tuple[int, int, Rational], ...]:
        bounds = _constraints(problem, half).pairwise()
        return tuple((places[_key(bounds[i])], y, multiplier) for i, y, multiplier in half.ratios)

    steps = tuple(Step(other.weight, other.distortion_law, moved(other)) for other in others)
    return replace(joined, ratios=moved(converse), steps=steps)


def _constraints(problem: Problem, converse: Converse) -> Constraints:
    return problem.notion.constraints(problem.universe, [mixed(point) for point in converse.points])


def _key(bound: RatioBound) -> tuple[object, ...]:
    forms = tuple(tuple(sorted(form.items())) for form in (bound.left, bound.right))
    return (*forms, bound.distance, bound.slack, bound.events, bound.slack_grows)


def simplest(low: Rational, high: Rational) -> Rational:
    """Return the fraction of the smallest denominator between two positive numbers.

    >>> simplest(Rational(31, 100), Rational(32, 100))
    5/16
    """
    whole = Rational(low.ceil())
    if whole <= high:
        return whole
    below = Rational(low.floor())
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))
