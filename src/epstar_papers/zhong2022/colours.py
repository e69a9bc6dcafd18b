"""The colouring of Appendix B and the transformers of Appendix C."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Flag, auto

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy
from epstar_papers.zhong2022.constructions import mechanism_from_diagonal
from epstar_papers.zhong2022.distributions import Point


class Colour(Flag):
    """The colour of an entry; one that is largest and smallest in its column is black and red at once."""

    WHITE = 0
    BLACK = auto()
    RED = auto()


Colouring = tuple[tuple[Colour, ...], ...]


def privacy_colouring(mechanism: Mechanism, delta: object) -> Colouring:
    """Return the colours for approximate differential privacy, rows by inputs.

    Entries of a column are a critical pair if the larger is e^eps times the smaller plus delta, eps being the loss of
    the mechanism: the larger is black, the smaller red, what is in no pair white (zhong2022, Appendix B).

    Raises:
        InvalidInput: if the loss is 0 or infinite, where the paper defines no colours.
    """
    slack = rational(delta)
    ratio = _ratio(mechanism, slack)
    columns = [mechanism.column(y) for y in range(mechanism.shape[1])]
    coloured = [_critical(column, ratio, slack) for column in columns]
    return tuple(zip(*coloured, strict=True))


def _ratio(mechanism: Mechanism, slack: Rational) -> Rational:
    """Return e^eps for the pointwise loss of a mechanism."""
    level = ApproximateDifferentialPrivacy(slack, reading="pointwise").loss(mechanism).upper
    assert level is not None, "an exact mechanism has an exact loss"
    if level.is_infinite or level <= 0:
        raise InvalidInput("Critical pairs need a loss that is neither 0 nor infinite; use another mechanism.")
    ratio = Real.exp(level).rational
    assert ratio is not None, "the loss of an exact mechanism is the logarithm of a rational"
    return ratio


def _critical(column: Point, ratio: Rational, slack: Rational) -> list[Colour]:
    colours = [Colour.WHITE] * len(column)
    for i, high in enumerate(column):
        for k, low in enumerate(column):
            if i != k and high == ratio * low + slack:
                colours[i] |= Colour.BLACK
                colours[k] |= Colour.RED
    return colours


def leakage_colouring(mechanism: Mechanism) -> Colouring:
    """Return the colours for maximal leakage: the largest entries of a column are black, the smallest red."""
    columns = [mechanism.column(y) for y in range(mechanism.shape[1])]
    coloured = []
    for column in columns:
        low, high = min(column), max(column)
        black = [Colour.BLACK if p == high else Colour.WHITE for p in column]
        coloured.append([c | (Colour.RED if p == low else Colour.WHITE) for c, p in zip(black, column, strict=True)])
    return tuple(zip(*coloured, strict=True))


def share_a_colour(colours: Sequence[Colour]) -> bool:
    """Return whether entries are all white, or all black, or all red."""
    if all(colour is Colour.WHITE for colour in colours):
        return True
    return any(all(shade in colour for colour in colours) for shade in (Colour.BLACK, Colour.RED))


def off_diagonal(coloured: Colouring, row: int) -> list[Colour]:
    """Return the colours of a row without its diagonal entry."""
    return [colour for y, colour in enumerate(coloured[row]) if y != row]


def diagonal(mechanism: Mechanism) -> Point:
    """Return the probabilities of a right answer."""
    return tuple(mechanism.entry(x, x) for x in range(mechanism.shape[0]))


def sorted_by_diagonal(mechanism: Mechanism) -> Mechanism:
    """Return T_1 Q: categories renamed so that the diagonal decreases (zhong2022, Lemma 25).

    The loss stays; the distortion does not grow if the distribution of the input is in decreasing order.
    """
    kept = diagonal(mechanism)
    order = sorted(range(len(kept)), key=lambda x: -kept[x])
    return Mechanism([[mechanism.entry(x, y) for y in order] for x in order])


def one_colour_rows(mechanism: Mechanism, delta: object) -> Mechanism:
    """Return T_2 Q for approximate differential privacy: the same diagonal, rows of one colour off the diagonal.

    First the rest of each row is spread in proportion to what the columns can bear, which settles rows at once unless
    some column has the diagonal entry delta; there probability moves from the darker entries of a row to the lighter
    ones, half as far as the loss allows, as in the proof of Lemma 26 (zhong2022, Appendix C).
    """
    slack = rational(delta)
    spread = mechanism_from_diagonal(diagonal(mechanism), slack)
    ratio = _ratio(spread, slack)
    rows = [list(row) for row in spread.rows]
    for k in range(len(rows)):
        shades = off_diagonal(privacy_colouring(Mechanism(rows), slack), k)
        if not share_a_colour(shades):
            _move(rows, k, shades, ratio, slack)
    return Mechanism(rows)


def _move(rows: list[list[Rational]], k: int, shades: list[Colour], ratio: Rational, slack: Rational) -> None:
    """Take from the black entries of row k, or from the white ones, and give to the red ones, or to the white ones."""
    places = [y for y in range(len(rows)) if y != k]
    of = {shade: [y for y, found in zip(places, shades, strict=True) if shade in found] for shade in Colour}
    white = [y for y, found in zip(places, shades, strict=True) if found is Colour.WHITE]
    givers, takers = of[Colour.BLACK] or white, of[Colour.RED] or white
    others = [[row[y] for i, row in enumerate(rows) if i != k] for y in range(len(rows))]
    spare = min(rows[k][y] - max(ZERO, (max(others[y]) - slack) / ratio) for y in givers)
    room = min(ratio * min(others[y]) + slack - rows[k][y] for y in takers)
    step = min(len(givers) * spare, len(takers) * room) / 2
    for y in givers:
        rows[k][y] -= step / len(givers)
    for y in takers:
        rows[k][y] += step / len(takers)


def raised_diagonal(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with each diagonal entry raised as far as the extremes of the columns allow.

    Row k gives its diagonal Delta_k in all and takes Delta_k/(m-1) from each other entry, where Delta_k is the smaller
    of what the diagonal lacks to the largest entry of its column and (m-1) times what the least other entry has above
    the smallest of its own column. Source: zhong2022, proof of Lemma 27, which prints n in place of m-1.
    """
    size = mechanism.shape[0]
    columns = [mechanism.column(y) for y in range(size)]
    rows = []
    for k, row in enumerate(mechanism.rows):
        spare = min(p - min(columns[y]) for y, p in enumerate(row) if y != k)
        step = min(max(columns[k]) - row[k], (size - 1) * spare)
        rows.append([p + step if y == k else p - step / (size - 1) for y, p in enumerate(row)])
    return Mechanism(rows)
