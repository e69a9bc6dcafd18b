"""The linear program of a question: all mechanisms at a loss whose exponential is a fraction, and their distortion.

The entries z(x,y) of a mechanism, the largest distortion t, an upper bound for each maximum and each positive part of
an event: everything that a solver of linear programs needs, and nothing that epstar found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from epstar.claims import Setting
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Constraints, Maximum, Name, RatioBound, SumBound
from epstar.source import Everything, Finite, Hull, Prior, Source

Point = tuple[Rational, ...]
Terms = dict[str, Rational]


class NotLinearError(Exception):
    """Why an exact linear program cannot say a claim, without a full stop."""


@dataclass(frozen=True)
class Row:
    """A linear constraint: terms, one of "<=", ">=" and "=", and a number; `right` is what e^loss multiplies in it."""

    terms: Terms
    sense: str
    bound: Rational
    right: Terms | None = None


@dataclass(frozen=True)
class LinearProgram:
    """Named constraints on named variables; the objective is the variable `objective`."""

    variables: tuple[str, ...]
    rows: dict[str, Row]
    objective: str
    laws: tuple[Point, ...]


def linear_program(setting: Setting, loss: Real, read_at: Sequence[Point] | None = None) -> LinearProgram:
    """Return the linear program of the mechanisms that keep a loss.

    A notion that depends on the source is read at all distributions that count, or only at those of `read_at`.

    Raises:
        NotLinearError: if the notion is not linear at that loss, or the source is no list of distributions.
    """
    laws = listed_laws(setting.source)
    inputs, outputs = setting.distortion.shape(setting.universe)
    cost = setting.distortion.matrix(setting.universe)
    points = (laws if read_at is None else tuple(read_at)) if setting.notion.needs_source else ()
    constraints = setting.notion.constraints(setting.universe, points)
    if not all(len(total.terms) == 1 and isinstance(total.terms[0][1], Maximum) for total in constraints.sums):
        raise NotLinearError("The notion is not linear, which this format needs")
    if points and constraints.sums and read_at is None and not isinstance(setting.source, Prior | Finite):
        # A ratio bound is linear in the distribution, and worst where that is extreme; a sum of maxima is not.
        raise NotLinearError("The loss is not worst at a distribution of a list, which this format needs")
    rows: dict[str, Row] = {}
    for x in range(inputs):
        rows[f"row_{x}"] = Row({entry(x, y): ONE for y in range(outputs)}, "=", ONE)
    for x in range(inputs):
        for y in range(outputs):
            rows[f"positive_{x}_{y}"] = Row({entry(x, y): ONE}, ">=", ZERO)
    for i, law in enumerate(laws):
        terms = {entry(x, y): -p * cost[x][y] for x, p in enumerate(law) for y in range(outputs) if p * cost[x][y] != 0}
        rows[f"distortion_{i}"] = Row({"t": ONE, **terms}, ">=", ZERO)
    if not loss.is_infinite:
        rows |= dict(_bounds(constraints, loss, outputs))
    variables = dict.fromkeys(name for row in rows.values() for name in row.terms)
    return LinearProgram(tuple(variables), rows, "t", laws)


def entry(x: int, y: int) -> str:
    """Return the name of the probability of output y for input x."""
    return f"z_{x}_{y}"


def label(name: Name) -> str:
    """Return the name of a bound as part of a name."""
    return "_".join(map(str, name)) or "all"


def listed_laws(source: Source) -> tuple[Point, ...]:
    """Return the distributions at which everything linear in the distribution is worst."""
    match source:
        case Prior():
            return (source.probabilities,)
        case Finite() | Hull():
            return tuple(source.points)
        case Everything():
            return tuple(tuple(ONE if x == k else ZERO for x in range(source.size)) for k in range(source.size))
    raise NotLinearError("The source is not a list of distributions, which this format needs")


def _bounds(constraints: Constraints, loss: Real, outputs: int) -> Iterator[tuple[str, Row]]:
    for bound in constraints.pairwise():
        factor = growth(loss, bound.distance)
        slack = bound.slack * (growth(loss, ONE) if bound.slack_grows else ONE)
        yield from _ratio(bound, factor, slack, outputs)
    for total in constraints.sums:
        yield from _maximum(total, growth(loss, ONE), outputs)


def _ratio(bound: RatioBound, factor: Rational, slack: Rational, outputs: int) -> Iterator[tuple[str, Row]]:
    together = bound.events and bound.slack > 0
    name = label(bound.name)
    for y in range(outputs):
        terms = {entry(x, y): share for x, share in bound.left.items()}
        right = {entry(x, y): share for x, share in bound.right.items() if share > 0}
        for key, share in right.items():
            terms[key] = terms.get(key, ZERO) - factor * share
        if together:
            above = {f"e_{name}_{y}": ONE, **{key: -value for key, value in terms.items()}}
            yield f"excess_{name}_{y}", Row(above, ">=", ZERO)
            yield f"excess_positive_{name}_{y}", Row({f"e_{name}_{y}": ONE}, ">=", ZERO)
        else:
            yield f"ratio_{name}_{y}", Row(terms, "<=", slack, right)
    if together:
        yield f"events_{name}", Row({f"e_{name}_{y}": ONE for y in range(outputs)}, "<=", slack)


def _maximum(total: SumBound, most: Rational, outputs: int) -> Iterator[tuple[str, Row]]:
    name = label(total.name)
    (_, atom), *_ = total.terms
    assert isinstance(atom, Maximum)
    for y in range(outputs):
        for x, weight in atom.weights.items():
            yield f"most_{name}_{x}_{y}", Row({f"m_{name}_{y}": ONE, entry(x, y): -weight}, ">=", ZERO)
        yield f"most_positive_{name}_{y}", Row({f"m_{name}_{y}": ONE}, ">=", ZERO)
    yield f"maxima_{name}", Row({f"m_{name}_{y}": ONE for y in range(outputs)}, "<=", most)


def growth(loss: Real, rate: Rational) -> Rational:
    """Return e^(rate * loss) where it is a fraction.

    Raises:
        NotLinearError: where it is none.
    """
    found = Real.exp(loss * rate if rate != 1 else loss).rational
    if found is None:
        raise NotLinearError("e^loss is not a fraction, which this format needs: ask at a loss such as log(2)")
    return found
