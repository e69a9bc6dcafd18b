"""All breakpoints of a trade-off: exactly where a closed form knows them, numerically elsewhere."""

from __future__ import annotations

from epstar.breakpoints.breakpoint import NOTHING, Breakpoint, value_at
from epstar.breakpoints.closed_forms import closed_form, free_point
from epstar.breakpoints.ends import ends, row_problems
from epstar.breakpoints.scan import interior
from epstar.exact import ONE, Rational
from epstar.problem import Problem


def breakpoints(problem: Problem) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of the trade-off of a problem, from the least distortion up.

    What the problem asks for does not matter. Exact under Hamming distortion on an alphabet for one prior and
    (approximate) differential privacy, maximal leakage, mutual information or identifiability. Elsewhere the least
    distortion is exact, and the other breakpoints come from a scan over levels that solves a few hundred programs:
    two breakpoints closer than a hundredth of the range may be taken for one, or missed.
    """
    rows = row_problems(problem)
    if rows is not None and len(rows) == 1:
        ((row, count),) = rows
        loss = Rational(count) if problem.notion.rows_share == "sum" else ONE
        return tuple(point.scaled(Rational(count), loss) for point in breakpoints(row))
    known = closed_form(problem)
    if known is not None:
        return known
    limits = ends(problem)
    first = Breakpoint("least distortion", limits.least, NOTHING, value_at(problem, limits.least))
    if limits.least == limits.free:
        return (first,)
    last = free_point(problem)
    found = interior(problem, [(problem, 1)] if rows is None else rows, limits, last)
    return (first, *found)
