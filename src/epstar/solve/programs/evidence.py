"""From a solver's floats to evidence: multipliers in rationals, and mechanisms repaired until they are exact.

A lower bound needs no repair: any non-negative multipliers prove something. A mechanism does: it is mixed with a
harmless one until it provably meets the level or the distortion that was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from epstar.errors import EpstarError, SolverFailure, TimeLimit, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, fraction
from epstar.mechanism import Mechanism
from epstar.notions.constraints import LAW, Constraints, Maximum, RelativeEntropy, Spread, SumBound
from epstar.problem import Problem
from epstar.proof.converse import BITS, Converse, Mixture, Point, mixed
from epstar.proof.row_prices import shortfall
from epstar.solve.methods.repair import within_spread
from epstar.solve.programs.mixing import Mixing
from epstar.solve.programs.program import Found
from epstar.source import Prior

Floats = NDArray[np.float64]
# Multipliers below this cannot move a bound by anything that a float would show.
_NEGLIGIBLE = 1e-17
_NOISE = 1e-12
_STEP_BITS = 128
# From this many entries on, one good candidate is enough.
_LARGE = 400
_CLOSE = Rational(1, 10**11)
# More than the rounding of a loss in floats, and of a distortion.
_PLAIN = 1e-6
_ROUNDING = 1e-12
SEARCHED = Rational(1, 10**12)
"""A supremum over a convex set is enclosed by a search, which another checker may end this much earlier."""


def exact(value: float) -> Rational:
    """Return the number that a float is, bit for bit."""
    try:
        return Rational(*float(value).as_integer_ratio())
    except (OverflowError, ValueError):
        raise SolverFailure(
            "The solver left the range of floats; ask at a slightly different distortion or loss, or a smaller order."
        ) from None


def mixture(weights: Sequence[float], points: Sequence[Point]) -> Mixture:
    """Return points with weights that sum to exactly one; the first point alone if all weights vanish."""
    kept = [(exact(weight), point) for weight, point in zip(weights, points, strict=True) if weight > _NEGLIGIBLE]
    total = sum((weight for weight, _ in kept), ZERO)
    if total == 0:
        return ((ONE, points[0]),)
    return tuple((weight / total, point) for weight, point in kept)


def multipliers(
    found: Found,
    constraints: Constraints,
    law_points: Sequence[Point],
    notion_points: Sequence[Mixture],
    level: Real | None = None,
    noise: float = _NOISE,
) -> Converse:
    """Return the solver's multipliers as a converse, scaled so that they are used as they came.

    A bound that does not bind has a multiplier of solver noise and no meaningful slope: `noise` is the share of
    the largest multiplier below which one is dropped.
    """
    weights = [found.multiplier("point", j) for j in range(len(law_points))]
    ratios: list[tuple[int, int, Rational]] = []
    maxima: list[tuple[int, int, int, int, Rational]] = []
    slopes: list[_Slope] = []
    for tag, block in found.solution.block_multipliers.items():
        if isinstance(tag, tuple):
            used = np.flatnonzero(block > _NEGLIGIBLE).tolist()
            values = list(map(exact, block[used].tolist()))
            if tag[0] == "ratio":
                ratios += [(tag[1], y, value) for y, value in zip(used, values, strict=True)]
            else:
                _, i, k = tag
                atom = constraints.sums[i].terms[k][1]
                inputs = list(atom.weights) if isinstance(atom, Maximum) else []
                pairs = (divmod(place, len(inputs)) for place in used)
                maxima += [(i, k, y, inputs[x], value) for (y, x), value in zip(pairs, values, strict=True)]
    largest = max((found.multiplier("sum", i) for i in range(len(constraints.sums))), default=0.0)
    binding = [found.multiplier("sum", i) > noise * largest for i in range(len(constraints.sums))]
    sums = [exact(found.multiplier("sum", i)) if binds else ZERO for i, binds in enumerate(binding)]
    for i, bound in enumerate(constraints.sums):
        for k, (_, atom) in enumerate(bound.terms):
            if not isinstance(atom, Maximum) and sums[i] > 0:
                places = found.slopes(atom, i, k).tolist()
                slopes += [(i, k, y, tuple(map(exact, place))) for y, place in enumerate(places)]
    slopes = _normalised(slopes, constraints)
    return Converse(
        weight=exact(sum(weights)),
        distortion_law=mixture(weights, law_points),
        points=tuple(notion_points),
        level=level,
        ratios=tuple(ratios),
        maxima=tuple(_within_sums(maxima, sums, constraints)),
        sums=tuple(sums),
        slopes=tuple(slopes),
    )


_Slope = tuple[int, int, int, tuple[Rational, ...]]


def _normalised(slopes: list[_Slope], constraints: Constraints) -> list[_Slope]:
    """Scale the ratios of each output to posterior probabilities over prior ones, which raises every price.

    A common factor c of the ratios P(x|y)/P(x) changes the price of input x by P(x) (log c - (c - 1) s), where s is
    their mean: best at c = 1/s. For outputs that are hardly ever given the solver's ratios are far from it.
    """
    means: dict[tuple[int, int], Rational] = {}
    for i, k, y, (place, *_) in slopes:
        means[i, y] = means.get((i, y), ZERO) + constraints.sums[i].terms[k][0] * place
    whole = [_is_information(bound) for bound in constraints.sums]
    return [(i, k, y, (places[0] / means[i, y],)) if whole[i] else (i, k, y, places) for i, k, y, places in slopes]


def _is_information(bound: SumBound) -> bool:
    """Return whether a bound is the mutual information at one prior."""
    return all(
        isinstance(atom, RelativeEntropy) and atom.right is not LAW and atom.right.get(next(iter(atom.left))) == weight
        for weight, atom in bound.terms
    )


def _within_sums(
    maxima: list[tuple[int, int, int, int, Rational]], sums: list[Rational], constraints: Constraints
) -> Iterator[tuple[int, int, int, int, Rational]]:
    """Scale the multipliers of each maximum down to what the multiplier of its sum allows."""
    totals: dict[tuple[int, int, int], Rational] = {}
    for i, k, y, _, value in maxima:
        totals[i, k, y] = totals.get((i, k, y), ZERO) + value
    for i, k, y, x, value in maxima:
        allowed = sums[i] * constraints.sums[i].terms[k][0]
        yield i, k, y, x, value if totals[i, k, y] <= allowed else value * allowed / totals[i, k, y]


def row_prices(
    found: Found,
    law_points: Sequence[Point],
    notion_points: Sequence[Mixture],
    problem: Problem,
    constraints: Constraints,
    level: Real,
) -> Converse:
    """Return the converse of a spread from the solver's row prices, lowered until every column condition holds."""
    spread = constraints.spread
    if spread is None:
        raise EpstarError("Row prices prove something only for a notion that bounds all pairs of inputs.")
    weights = [found.multiplier("point", j) for j in range(len(law_points))]
    law = mixture(weights, law_points)
    prices = np.array([-found.solution.multipliers["row", x] for x in range(problem.universe.size)])
    # Below the level of the program every column has room, so that prices can rise.
    room = -float(_estimated_shortfall(prices, mixed(law), spread, problem, level))
    ratio = float(Real.exp(level))
    inverse = sum(1 / float(scale) for scale in spread.scales)
    prices += max(0.0, room) / ((1 + ratio) * inverse) if math.isfinite(ratio) else 0.0
    raw = Converse(
        weight=ONE,
        distortion_law=law,
        points=tuple(notion_points),
        level=level,
        prices=tuple(map(exact, prices.tolist())),
    )
    lacking = shortfall(raw, constraints, problem.distortion, problem.universe, level)
    if lacking is None:
        lacking = max(ZERO, _estimated_shortfall(prices, mixed(law), spread, problem, level))
    # Lowering every price by the same amount closes a column's gap by at least the sum of 1/scale times it.
    step = lacking / sum((1 / scale for scale in spread.scales), ZERO)
    lowered = Rational((step * (1 << _STEP_BITS)).ceil(), 1 << _STEP_BITS)
    return replace(raw, prices=tuple(exact(price) - lowered for price in prices.tolist()))


def _estimated_shortfall(prices: Floats, law: Point, spread: Spread, problem: Problem, level: Real) -> Rational:
    """Return a bound in floats on how far prices fail, negative where they have room."""
    lawful = np.array([float(p) for p in law])[:, None] * problem.distortion.floats(problem.universe)
    scales = np.array([float(scale) for scale in spread.scales])[:, None]
    ratio = float(Real.exp(level))
    gaps = (lawful - prices[:, None]) / scales
    lacking = ratio * np.maximum(-gaps, 0).sum(0) - np.maximum(gaps, 0).sum(0)
    margin = 4e-16 * (ratio * np.abs(gaps).sum(0).max() + 1)
    return exact(float(lacking.max()) + margin)


def simplified(converse: Converse) -> list[Converse]:
    """Return the converses of small denominators that `converse` may be the rounding of.

    Where the data are rational the exact multipliers often are too, and then the bound is exact.
    """
    return [_rounded(converse, largest) for largest in (1000, 1_000_000)]


def _rounded(converse: Converse, largest: int) -> Converse:
    def simple(value: Rational) -> Rational:
        nearest = fraction(value).limit_denominator(largest)
        return Rational(nearest.numerator, nearest.denominator)

    weights = [simple(weight) for weight, _ in converse.distortion_law]
    total = sum(weights, ZERO)
    if total > 0:
        points = [point for _, point in converse.distortion_law]
        law = tuple((weight / total, point) for weight, point in zip(weights, points, strict=True))
    else:
        law = converse.distortion_law
    return replace(
        converse,
        weight=simple(converse.weight),
        distortion_law=law,
        ratios=tuple((i, y, simple(value)) for i, y, value in converse.ratios),
        maxima=tuple((i, k, y, x, simple(value)) for i, k, y, x, value in converse.maxima),
        sums=tuple(simple(value) for value in converse.sums),
        prices=None if converse.prices is None else tuple(simple(value) for value in converse.prices),
    )


def trivial_converse(problem: Problem) -> Converse:
    """Return the bound that ignores privacy: every input gets its cheapest output, under the worst law for that."""
    cheapest = problem.distortion.cheapest(problem.universe).costs
    return Converse(weight=ONE, distortion_law=((ONE, problem.source.maximum(cheapest).point),))


def has_saddle(problem: Problem) -> bool:
    """Return whether the loss is concave in the prior and the source convex: one mixture of members is then worst."""
    priors = problem.notion.priors(problem.source)
    return problem.notion.is_concave_in_prior and priors.is_convex and not isinstance(priors, Prior)


def is_private(mechanism: Mechanism, problem: Problem, level: Real) -> bool:
    """Return whether a mechanism provably meets a level; a loss that may just be the level proves nothing."""
    if problem.notion.needs_source and problem.source.flattest is not None:
        # At one law it may be plain already, at a fraction of what the worst of many costs.
        at_one = problem.notion.loss(mechanism.in_floats(), problem.source.flattest)
        if at_one.value > float(level) + _PLAIN:
            return False
    loss = problem.notion.loss(mechanism, problem.source).upper
    if loss is None or loss.is_infinite or level.is_infinite:
        return loss is not None and level.is_infinite
    if has_saddle(problem) and loss.rational is None and loss.argument_of_log is None:
        loss = loss + SEARCHED
    try:
        return loss <= level
    except Undecided:
        return False


def private_mechanism(
    matrix: Floats, problem: Problem, level: Real, constraints: Constraints, law: Floats
) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose loss is provably at most `level`, or None.

    `constraints` are those of the notion as far as the solver knew them, `law` a law of the source that matters. When
    time runs out it is the best one so far.
    """
    limit = float(level) + 1e-9
    outputs = problem.distortion.outputs(problem.universe)

    def is_hopeful(candidate: Floats) -> bool:
        return problem.notion.loss(Mechanism(candidate, problem.universe, outputs), problem.source).value <= limit

    def is_accepted(candidate: Mechanism) -> bool:
        return is_hopeful(candidate.floats) and is_private(candidate, problem, level)

    cost = problem.distortion.floats(problem.universe)
    hoped = problem.source.maximum((np.maximum(matrix, 0.0) * cost).sum(axis=1).tolist()).value + _CLOSE
    best: Mechanism | None = None
    least = hoped
    with suppress(TimeLimit):
        for candidate in _private_candidates(matrix, problem, level, constraints.spread, law, is_hopeful, is_accepted):
            distortion = candidate.distortion(problem.distortion, problem.source).value
            if best is None or distortion < least:
                best, least = candidate, distortion
            if matrix.size >= _LARGE and (least <= hoped or constraints.spread is not None):
                # Another candidate could win no more than a rounding error, and costs as much as this one.
                break
    return best


def _private_candidates(
    matrix: Floats,
    problem: Problem,
    level: Real,
    spread: Spread | None,
    law: Floats,
    is_hopeful: Callable[[Floats], bool],
    is_accepted: Callable[[Mechanism], bool],
) -> Iterator[Mechanism]:
    if spread is not None:
        repaired = within_spread(matrix, problem, spread, Real.exp(level).below(BITS), law)
        if repaired is not None and is_accepted(repaired):
            yield repaired
    for cleaned in _cleaned(matrix):
        # A constant mechanism with the same outputs gives nothing away.
        harmless = np.broadcast_to(cleaned.mean(axis=0), cleaned.shape)
        candidate = Mixing(cleaned, harmless).exactly(problem, is_hopeful, is_accepted)
        if candidate is not None:
            yield candidate
    yield from (candidate for candidate in _simple(matrix, problem) if is_accepted(candidate))


def useful_mechanism(matrix: Floats, problem: Problem, distortion: Real) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose distortion is provably at most `distortion`, or None.

    Of several candidates the one with the least loss; of those that there was time for.
    """
    cost = problem.distortion.floats(problem.universe)
    limit = float(distortion) + _ROUNDING * (1 + abs(float(distortion)))

    def is_hopeful(candidate: Floats) -> bool:
        return float(problem.source.maximum((candidate * cost).sum(axis=1).tolist()).value) <= limit

    def is_accepted(candidate: Mechanism) -> bool:
        return Real.of(candidate.distortion(problem.distortion, problem.source).value) <= distortion

    def loss(candidate: Mechanism) -> float:
        found = problem.notion.loss(candidate, problem.source)
        return found.value if found.upper is None else float(found.upper)

    mixings = [Mixing(cleaned, helpful) for cleaned in _cleaned(matrix) for helpful in _helpful(cleaned, cost)]
    if matrix.size >= _LARGE:
        # Exact numbers add no more than roundings to which of many is best, and take long.
        estimates = []
        with suppress(TimeLimit):
            for k, mixing in enumerate(mixings):
                share = mixing.least_share(is_hopeful)
                if share is not None:
                    estimates.append((loss(Mechanism(mixing.at(share), problem.universe)), k))
        with suppress(TimeLimit):
            ranked = (mixings[k].exactly(problem, is_hopeful, is_accepted) for _, k in sorted(estimates))
            return next((candidate for candidate in ranked if candidate is not None), None)
    candidates = []
    with suppress(TimeLimit):
        candidates += [(loss(simple), simple) for simple in _simple(matrix, problem) if is_accepted(simple)]
        for mixing in mixings:
            candidate = mixing.exactly(problem, is_hopeful, is_accepted)
            candidates += [] if candidate is None else [(loss(candidate), candidate)]
    return min(candidates, key=lambda pair: pair[0], default=(0.0, None))[1]


def _helpful(matrix: Floats, cost: Floats) -> list[Floats]:
    """Return mechanisms that give the cheapest of the answers given by a matrix: by any input, or by the same.

    An answer that an input is never given may be out of reach for its neighbours too.
    """
    kept = matrix.max(axis=0) > 0, matrix > _NOISE
    choices = [tuple(np.argmin(np.where(answers, cost, math.inf), axis=1).tolist()) for answers in kept]
    return [np.eye(matrix.shape[1])[list(cheapest)] for cheapest in dict.fromkeys(choices)]


def _cleaned(matrix: Floats) -> Iterator[Floats]:
    """Return the matrix as a law per row, with faint outputs kept or dropped at several thresholds.

    Then with every faint entry dropped, or nearly certain answers made certain, which the least distortion of all may
    need, and with none left at zero, which a finite loss may need.
    """
    seen: set[bytes] = set()
    variants = [np.where(matrix.max(axis=0) > faint, np.maximum(matrix, 0.0), 0.0) for faint in (1e-11, 1e-9, 1e-7)]
    variants.append(np.where(matrix > 1e-7, matrix, 0.0))
    nearly_certain = matrix.max(axis=1, keepdims=True) > 1 - 1e-3
    certain = np.eye(matrix.shape[1])[matrix.argmax(axis=1)]
    variants.append(np.where(nearly_certain, certain, np.maximum(matrix, 0.0)))
    variants.append(np.where(matrix.max(axis=0) > 1e-11, np.maximum(matrix, 1e-15), 0.0))
    for variant in variants:
        mass = variant.sum(axis=1, keepdims=True)
        if variant.tobytes() not in seen and (mass > 0.5).all():
            seen.add(variant.tobytes())
            yield variant / mass


def _simple(matrix: Floats, problem: Problem) -> Iterator[Mechanism]:
    """Return the mechanisms of small denominators that `matrix` may be the rounding of.

    Where a bound binds for every mechanism near by, no mixing repairs a rounding error; undoing it does.
    """
    outputs = problem.distortion.outputs(problem.universe)
    for largest in (100, 10_000, 1_000_000):
        rows = [[Fraction(max(0.0, entry)).limit_denominator(largest) for entry in row] for row in matrix.tolist()]
        if all(sum(row) == 1 for row in rows):
            yield Mechanism(rows, problem.universe, outputs)
            return
