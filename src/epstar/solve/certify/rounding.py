"""From a matrix in floats to an exact mechanism that keeps to what is asked: candidates, each mixed as it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import BITS
from epstar.errors import TimeLimit
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Spread
from epstar.problem import Problem
from epstar.solve.certify.mechanism import Mixing, is_private
from epstar.solve.methods.repair import within_spread

Floats = NDArray[np.float64]

# Entries of a matrix from which on one good candidate is enough.
_LARGE = 400
# What another candidate could win of a distortion: less than a rounding error.
_CLOSE = Rational(1, 10**11)
# The share of a distortion that floats round.
_ROUNDING = 1e-12
# A smaller probability is the noise of a solver.
_NOISE = 1e-12


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
