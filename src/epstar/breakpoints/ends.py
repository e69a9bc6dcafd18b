"""The two ends of a trade-off: the least distortion of all, and a distortion at which the loss is the least of all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import SolverFailure
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.notions import ApproximateDifferentialPrivacy
from epstar.problem import Problem
from epstar.source import Prior, Rows
from epstar.universe import Alphabet, Databases


@dataclass(frozen=True)
class Ends:
    """No mechanism has a smaller distortion than `least`; at `free` some mechanism has the least loss of all.

    With a secret, limits or further guarantees both come from a program: `least` is attained, and smaller ones are
    excluded below it by no more than `tolerance`; `lowest` is the loss at `free`, to within as much.
    """

    least: Rational
    free: Rational
    lowest: Real | None = None
    tolerance: float = 0.0


def ends(problem: Problem) -> Ends:
    """Return the ends of the trade-off, exactly.

    `free` is the distortion of the best constant mechanism. Only a notion that forgives something (approximate
    differential privacy, min-entropy leakage) can reach its least loss before that; where the notion is approximate
    differential privacy under Hamming distortion on an alphabet, `free` is exact all the same (zhong2022, Lemma 10).
    """
    if problem.is_wider:
        return _wider_ends(problem)
    rows = row_problems(problem)
    if rows is not None:
        parts = [(ends(row), count) for row, count in rows]
        return Ends(
            sum((part.least * count for part, count in parts), ZERO),
            sum((part.free * count for part, count in parts), ZERO),
        )
    share = 1 - problem.notion.delta if isinstance(problem.notion, ApproximateDifferentialPrivacy) else ONE
    if is_hamming(problem) and isinstance(problem.source, Prior):
        # No table of costs, which many letters have no room for.
        return Ends(ZERO, share * (1 - max(problem.source.probabilities)))
    from epstar.solve.program.constant import best_constant

    cheapest = [min(row) for row in problem.distortion.matrix(problem.universe)]
    free = best_constant(problem).distortion
    return Ends(problem.source.maximum(cheapest).value, free * share if is_hamming(problem) else free)


def _wider_ends(problem: Problem) -> Ends:
    """Return the ends that programs prove: where any loss is allowed, and where any distortion is.

    Raises:
        NoSolution: if there is no mechanism at all.
        SolverFailure: if nothing is proven of one.
    """
    from epstar.solve import solve

    dearest = max(max(row) for row in problem.distortion.matrix(problem.universe))
    least = solve(replace(problem, asks="distortion", given=INFINITY)).interval
    lowest = solve(replace(problem, asks="loss", given=Real.of(dearest))).interval
    free = solve(replace(problem, asks="distortion", given=lowest.upper)).interval
    if least.upper.rational is None or free.upper.rational is None:
        raise SolverFailure("The ends of the trade-off could not be proven; name the points.")
    tolerance = max(least.width, lowest.width, free.width)
    return Ends(least.upper.rational, max(least.upper.rational, free.upper.rational), lowest.upper, tolerance)


def is_hamming(problem: Problem) -> bool:
    """Return whether the problem is about Hamming distortion on an alphabet."""
    return isinstance(problem.universe, Alphabet) and isinstance(problem.distortion, Hamming)


def row_problems(problem: Problem) -> list[tuple[Problem, int]] | None:
    """Return one problem per kind of row, where the database falls apart into rows; else None."""
    from epstar.claims.rows import shares_rows

    source, universe = problem.source, problem.universe
    if not isinstance(source, Rows) or not isinstance(universe, Databases) or not source.is_one_law:
        return None
    if type(problem.distortion) not in (Hamming, Absolute, Squared) or not shares_rows(problem.notion):
        return None
    laws = [law for law in source.sources if isinstance(law, Prior)]
    if len(laws) > 1 and problem.notion.rows_share == "sum":
        return None
    counted = [(laws[0], source.rows)] if len(laws) == 1 else [(law, 1) for law in laws]
    return [(replace(problem, source=law, universe=universe.alphabet), count) for law, count in counted]
