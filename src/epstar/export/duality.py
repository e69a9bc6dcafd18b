"""Multipliers of the inequalities of a polytope (linear programming duality), in the order in which Coq's checker asks.

theory/Attained.v bounds linear functions over the source: the costs of the inputs first, then what the notion needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epstar.claims import Setting
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.export.question import notion_in_coq
from epstar.source import Polytope, Source

Point = tuple[Rational, ...]
# Identifiability compares every pair of inputs at every output, and each comparison is a linear program.
_MOST_PROGRAMS = 2_000


def multipliers(
    setting: Setting,
    rows: Sequence[Point],
    factor: Rational,
    shares: Sequence[tuple[Rational, int]],
    divergences: Point,
) -> tuple[Point, ...]:
    """Return the multipliers for a polytope, none for another source."""
    source = setting.source
    if not isinstance(source, Polytope):
        return ()
    cost = setting.distortion.matrix(setting.universe)
    means = tuple(sum((q * d for q, d in zip(*pair, strict=True)), ZERO) for pair in zip(rows, cost, strict=True))
    name = notion_in_coq(setting.notion).split()[0]
    wanted = _of_notion(name, rows, factor, shares, divergences)
    return tuple(source.optimum(one).multipliers for one in (means, *wanted))


def _of_notion(
    name: str, rows: Sequence[Point], factor: Rational, shares: Sequence[tuple[Rational, int]], divergences: Point
) -> Iterator[Point]:
    inputs, outputs, columns = len(rows), len(rows[0]), list(zip(*rows, strict=True))
    match name:
        case "maximal_information" | "local_information_privacy":
            yield from (tuple(-factor * q for q in column) for column in columns)
            yield from columns if name == "local_information_privacy" else ()
        case "pointwise_leakage":
            yield from (tuple(-q for q in column) for column in columns)
        case "mutual_information" | "sibson_mutual_information":
            yield divergences
            # Which inputs are impossible.
            yield from (tuple(ONE if x == k else ZERO for x in range(inputs)) for k in range(inputs))
        case "min_entropy_leakage":
            for x, (weight, k) in enumerate(shares):
                yield tuple((ONE if j == x else ZERO) - (weight if j == k else ZERO) for j in range(inputs))
        case "identifiability":
            if inputs * inputs * outputs > _MOST_PROGRAMS:
                raise InvalidInput("The polytope needs too many linear programs; `epstar check` checks the answer.")
            for x in range(inputs):
                for other in range(inputs):
                    for y in range(outputs):
                        gains = {x: rows[x][y]}
                        gains[other] = gains.get(other, ZERO) - factor * rows[other][y]
                        yield tuple(gains.get(j, ZERO) for j in range(inputs))


def likeliest(source: Source) -> tuple[tuple[Rational, int], ...]:
    """Return for each input x some (w, k) with p(x) <= w p(k) throughout a source, w as small as can be."""
    found = []
    for x in range(source.size):
        ratios = [(source.maximum_ratio(x, k), k) for k in range(source.size) if k != x]
        found.append(min([(ONE, x), *((ratio, k) for ratio, k in ratios if ratio is not None)]))
    return tuple(found)
