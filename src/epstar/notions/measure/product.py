"""Mechanisms that treat each row of a database by itself: losses of rows are added up or compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import greatest
from epstar.mechanism import AnyMechanism, ProductMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.base import Loss, Notion, Witness
from epstar.source import Everything, Prior, Rows, Source, product_rows

# Beyond this many rows positions of databases have too many digits to be of use, and powers of rationals too.
_FEW_ROWS = 64


@dataclass(frozen=True)
class Part:
    """Rows that have one factor and one source: how many, and the first of them."""

    factor: AnyMechanism
    source: Source | None
    rows: int
    first_row: int


def parts(mechanism: ProductMechanism, source: Source | None) -> list[Part] | None:
    """Return the rows of a product with what is known of each; None if the source ties the rows together."""
    ends, start = [], 0
    for block in mechanism.blocks:
        ends.append((block, start))
        start += block.rows
    rows = mechanism.databases.rows
    if source is None:
        return [Part(block.factor, None, block.rows, first) for block, first in ends]
    if isinstance(source, Everything):
        letters = Everything(mechanism.databases.alphabet.size)
        return [Part(block.factor, letters, block.rows, first) for block, first in ends]
    if isinstance(source, Prior):
        laws = product_rows(source, mechanism.databases)
        source = None if laws is None else Rows(list(laws))
    if not isinstance(source, Rows) or source.rows != rows:
        return None
    if len(source.sources) == 1 and (source.is_one_law or not source.iid or len(mechanism.blocks) == 1):
        return [Part(block.factor, source.sources[0], block.rows, first) for block, first in ends]
    if source.iid:
        return None  # one unknown law shared by rows that differ: the suprema of the rows need not agree
    return [
        Part(block.factor, source.row_marginals[row], 1, row)
        for block, first in ends
        for row in range(first, first + block.rows)
    ]


def are_alike(mechanism: AnyMechanism, source: Source | None) -> bool:
    """Return whether all rows are treated alike, and as much is known of each."""
    found = parts(mechanism, source) if isinstance(mechanism, ProductMechanism) else None
    return found is not None and len(found) == 1


def sum_over_rows(notion: Notion, mechanism: AnyMechanism, source: Source | None) -> Loss | None:
    """Return the sum of the losses of the rows, for a notion that adds up; None if it is not known to."""
    found = parts(mechanism, source) if isinstance(mechanism, ProductMechanism) else None
    if found is None:
        return None
    losses = [(notion.loss(part.factor, part.source), part.rows) for part in found]
    lower = total([(loss.lower, rows) for loss, rows in losses if loss.lower is not None])
    upper = lower
    if any(loss.lower is not loss.upper for loss, _ in losses):
        upper = total([(loss.upper, rows) for loss, rows in losses if loss.upper is not None])
    return Loss(float(lower), Witness(), lower, upper)


def at_most_by_rows(notion: Notion, mechanism: AnyMechanism) -> Loss | None:
    """Return what the rows of a product lose at most under any law that ties them; None if it is soon expanded.

    The outputs of a product are independent given the database, so that an information is no more than those of the
    rows, each under its worst law.
    """
    inputs, outputs = mechanism.shape
    if not isinstance(mechanism, ProductMechanism) or inputs * outputs <= DENSE_LIMIT:
        return None
    found = sum_over_rows(notion, mechanism, Everything(inputs))
    assert found is not None
    return None if found.upper is None else Loss(float(found.upper), Witness(), Real.of(ZERO), found.upper)


def worst_row(notion: Notion, mechanism: AnyMechanism, source: Source | None = None) -> Loss | None:
    """Return the worst loss of a row, for a notion that compares databases differing in one row."""
    found = _worst_parts(mechanism, source)
    if found is None:
        return None
    losses = {}
    for part in found:
        if (part.factor, part.source) not in losses:
            losses[part.factor, part.source] = part, notion.loss(part.factor, part.source)
    candidates = [
        (_embedded(part, loss.witness, mechanism.universe.size), loss.upper)
        for part, loss in losses.values()
        if loss.upper is not None
    ]
    witness, real = greatest(candidates)
    return Loss.known(real, witness)


def _worst_parts(mechanism: AnyMechanism, source: Source | None) -> Sequence[Part] | None:
    if not isinstance(mechanism, ProductMechanism):
        return None
    if isinstance(source, Rows) and source.iid and source.rows == mechanism.databases.rows:
        # Databases that differ in one row compare that row only, so a shared law may be chosen for it.
        return [Part(block.factor, source.sources[0], block.rows, 0) for block in mechanism.blocks]
    return None if isinstance(source, Everything) else parts(mechanism, source)


def _embedded(part: Part, witness: Witness, size: int) -> Witness:
    """The inputs of one row as positions of databases whose other rows hold the first category."""
    letters = part.factor.shape[0]
    place = size
    if size.bit_length() > _FEW_ROWS:
        return Witness()
    for _ in range(part.first_row + 1):
        place //= letters
    return Witness(tuple(x * place for x in witness.inputs))


def total(terms: Iterable[tuple[Real, int]]) -> Real:
    """Return the sum of count * real, as the logarithm of a rational wherever every term is one with few digits."""
    product, exact, others = ONE, ZERO, []
    for real, count in terms:
        if real.is_infinite:
            return real
        if real.rational is not None:
            exact += real.rational * count
        elif real.argument_of_log is not None and count <= _FEW_ROWS:
            product *= real.argument_of_log**count
        else:
            others.append(real * Rational(count))
    found = Real.log(product)
    for other in others:
        found = other if found.rational == 0 else found + other
    return found if exact == 0 else found + exact
