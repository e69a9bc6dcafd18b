"""All breakpoints of a trade-off: exactly where a closed form or linear programs know them, numerically elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epstar.breakpoints.breakpoint import NOTHING, Breakpoint, value_at
from epstar.breakpoints.ends import ends, row_problems
from epstar.exact import ONE, Interval, Rational, largest
from epstar.problem import Problem

if TYPE_CHECKING:
    from epstar.deadline import Deadline


def breakpoints(problem: Problem, time_limit: float | None = None) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of the trade-off of a problem, from the least distortion up.

    What the problem asks for does not matter. All are exact under Hamming distortion on an alphabet for one prior and
    (approximate) differential privacy, maximal leakage, mutual information or identifiability; elsewhere the least
    distortion is.

    Where the programs are linear and have up to 64 entries, the others are exact too, or within proven brackets, of
    which the levels differ by about 1e-18. They may be weak, down to slopes that differ by a share of 1e-12. One may
    be missed if it is above the level 40, or if the optimal basis changes and changes back while e^level grows by a
    half.

    Elsewhere, and where floats lead to no basis, they come from a scan over some hundreds of levels, at each of which
    the least distortion is proven. What is reported as a kink shows in the proven values at every scale down to their
    widths: no values can tell more, so that a curve which bends as sharply within the tolerance counts as a kink. Weak
    kinks are missed: those planted into smooth curves are found where the slope changes by 6e-3 of itself or more, or
    the curvature by 0.4 of the slope per unit of the level, if values are known to 1e-7. Weaker ones may be found
    or not, as may one of two whose levels differ by less than a thousandth of the range, or one within a ten-thousandth
    of the least distortion where the loss is infinite there.

    `time_limit` is in seconds.

    Raises:
        TimeLimit: if the time is up before all breakpoints are found.

    >>> from epstar import Alphabet, DifferentialPrivacy, Hamming, Prior, Real
    >>> from epstar.breakpoints import breakpoints
    >>> from epstar.problem import Problem
    >>> source = Prior([0.5, 0.3, 0.2])
    >>> asked = Problem(DifferentialPrivacy(), source, Hamming(), Alphabet(3), "loss", Real.of(0))
    >>> [(point.kind, str(point.distortion)) for point in breakpoints(asked)]
    [('least distortion', '0'), ('kink', '2/5'), ('jump', '1/2')]
    """
    from epstar.deadline import Deadline

    return _found(problem, Deadline(time_limit))


def known_breakpoints(problem: Problem) -> tuple[Breakpoint, ...]:
    """Return the breakpoints that are known without a scan, exactly: all of a closed form, or where nothing is lost."""
    from epstar.breakpoints.closed_forms import closed_form, free_point
    from epstar.deadline import Deadline

    rows = row_problems(problem)
    if rows is not None or problem.is_wider:
        return ()
    known = closed_form(problem, Deadline(None))
    if known is not None:
        return known
    free = free_point(problem)
    return () if free is None else (free,)


def _found(problem: Problem, deadline: Deadline) -> tuple[Breakpoint, ...]:
    # These load the solvers.
    from epstar.breakpoints.closed_forms import closed_form, free_point
    from epstar.breakpoints.linear import exact_interior
    from epstar.breakpoints.scan import interior, least_level

    rows = row_problems(problem)
    if rows is not None and len(rows) == 1:
        ((row, count),) = rows
        loss = Rational(count) if problem.notion.rows_share == "sum" else ONE
        return tuple(point.scaled(Rational(count), loss) for point in _found(row, deadline))
    known = None if problem.is_wider else closed_form(problem, deadline)
    if known is not None:
        return known
    limits = ends(problem)
    parts = [(problem, 1)] if rows is None else rows
    first = Breakpoint("least distortion", limits.least, NOTHING, _at_least(parts, deadline), limits.tolerance)
    if limits.least == limits.free or value_at(parts[0][0], ends(parts[0][0]).free, deadline).upper.is_infinite:
        # One mechanism is as good as any, or none has a finite loss.
        return (first,)
    if problem.is_wider:
        return (first, *interior(problem, parts, limits, None, first.right.upper, deadline))
    inner = exact_interior(parts, least_level(parts), limits.least, deadline)
    if inner is None:
        inner = interior(problem, parts, limits, free_point(problem), first.right.upper, deadline)
    return (first, *inner)


def _at_least(parts: list[tuple[Problem, int]], deadline: Deadline) -> Interval:
    """Return the loss at the least distortion, where every row is at its own least distortion."""
    values = [value_at(part, ends(part).least, deadline) for part, _ in parts]
    return (
        values[0]
        if len(values) == 1
        else Interval(largest(value.lower for value in values), largest(value.upper for value in values))
    )
