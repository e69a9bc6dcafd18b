"""The two ends of a trade-off: the least distortion of all, and a distortion at which the loss is the least of all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.notions import ApproximateDifferentialPrivacy
from epstar.problem import Problem
from epstar.source import Prior, Rows
from epstar.universe import Alphabet, Databases


@dataclass(frozen=True)
class Ends:
    """No mechanism has a smaller distortion than `least`; at `free` some mechanism has the least loss of all."""

    least: Rational
    free: Rational


def ends(problem: Problem) -> Ends:
    """Return the ends of the trade-off, exactly.

    `free` is the distortion of the best constant mechanism. Only a notion that forgives something (approximate
    differential privacy, min-entropy leakage) can reach its least loss before that; where the notion is approximate
    differential privacy under Hamming distortion on an alphabet, `free` is exact all the same (zhong2022, Lemma 10).
    """
    if problem.is_wider:
        raise InvalidInput("With a secret, limits or further guarantees the ends are not known; name the points.")
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
