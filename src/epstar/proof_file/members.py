"""Distributions of rows that a hull holds, as mixtures of what it lists: a checker that does not search is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epstar.claims import Excluded, Mixture
from epstar.claims.claim import Point
from epstar.exact import ZERO, Rational
from epstar.source import Hull, Rows


def members_shown(claim: Excluded, source: Rows) -> tuple[Mixture, ...]:
    """Return the distributions of rows in a claim about databases that are only mixtures of what a hull lists."""
    pairs = (zip(source.row_marginals, laws, strict=True) for laws in _laws_of_rows(claim, source))
    different = {(row, law) for found in pairs for row, law in found if isinstance(row, Hull) and law not in row.points}
    mixtures = ((row, row.weights_of(law)) for row, law in sorted(different, key=lambda pair: pair[1]))
    # One that is none is left for the checkers to refuse.
    return tuple(
        tuple((weight, point) for weight, point in zip(weights, row.points, strict=True) if weight != 0)
        for row, weights in mixtures
        if weights is not None
    )


def _laws_of_rows(claim: Excluded, source: Rows) -> Iterator[Sequence[Point]]:
    """Yield the distributions of all rows under each member of the source that a claim names."""
    size = source.sources[0].size
    if claim.rows:
        yield [prior.probabilities for prior, _, count in claim.rows for _ in range(count)]
    if claim.symmetry is not None and claim.uniform is None:
        yield [(Rational(1, size),) * size] * source.rows
    members = [law for mixture in (*claim.points, claim.uniform or ()) for _, law in mixture]
    members += [law for step in claim.steps for _, law in step.laws if law]
    for law in dict.fromkeys(members):
        yield list(_marginals(law, size, source.rows))


def _marginals(law: Point, size: int, rows: int) -> Iterator[Point]:
    """Yield the distribution of each row under one of databases."""
    for row in range(rows):
        stride = size ** (rows - 1 - row)
        shares = [ZERO] * size
        for place, p in enumerate(law):
            shares[place // stride % size] += p
        yield tuple(shares)
