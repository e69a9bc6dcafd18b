"""All breakpoints of a trade-off: exactly where a closed form knows them, numerically elsewhere."""

from __future__ import annotations

from epstar.breakpoints.breakpoint import NOTHING, Breakpoint, value_at
from epstar.breakpoints.ends import ends, row_problems
from epstar.exact import ONE, Rational, largest
from epstar.problem import Problem
from epstar.proof import Interval


def breakpoints(problem: Problem) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of the trade-off of a problem, from the least distortion up.

    What the problem asks for does not matter. Exact under Hamming distortion on an alphabet for one prior and
    (approximate) differential privacy, maximal leakage, mutual information or identifiability. Elsewhere the least
    distortion is exact, and the other breakpoints come from a scan over levels that solves a few hundred programs: two
    of them whose levels differ by less than a thousandth of the range may be taken for one, or missed, as may one
    within a ten-thousandth of the least distortion where the loss is infinite there.
    """
    # These load the solvers.
    from epstar.breakpoints.closed_forms import closed_form, free_point
    from epstar.breakpoints.scan import interior

    rows = row_problems(problem)
    if rows is not None and len(rows) == 1:
        ((row, count),) = rows
        loss = Rational(count) if problem.notion.rows_share == "sum" else ONE
        return tuple(point.scaled(Rational(count), loss) for point in breakpoints(row))
    known = closed_form(problem)
    if known is not None:
        return known
    limits = ends(problem)
    parts = [(problem, 1)] if rows is None else rows
    first = Breakpoint("least distortion", limits.least, NOTHING, _at_least(parts))
    if limits.least == limits.free or value_at(parts[0][0], ends(parts[0][0]).free).upper.is_infinite:
        # One mechanism is as good as any, or none has a finite loss.
        return (first,)
    return (first, *interior(problem, parts, limits, free_point(problem), first.right.upper))


def _at_least(parts: list[tuple[Problem, int]]) -> Interval:
    """Return the loss at the least distortion, where every row is at its own least distortion."""
    values = [value_at(part, ends(part).least) for part, _ in parts]
    return (
        values[0]
        if len(values) == 1
        else Interval(largest(value.lower for value in values), largest(value.upper for value in values))
    )
