"""Statistics of estimated frequencies: means, differences, odds ratios, shares within a group, covariances.

Each is a smooth function of the unbiased estimates of the cells. Its standard error comes from its gradient (the delta
method). A linear one has the interval of a frequency (`epstar.release.interval`): exact where it rests on one count.
The others have the normal interval, of many rows; odds ratios get theirs on the scale of logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact.vectors import nearest_floats
from epstar.release.distance import values_of
from epstar.release.estimate import Estimate
from epstar.release.interval import interval_of
from epstar.release.tabulation import Tabulation
from epstar.universe import Label

Floats = NDArray[np.float64]
# A covariance matrix of more cells is no longer something to look at, and takes a pass over the counts for each.
_MOST_CELLS = 2000


@dataclass(frozen=True)
class Quantity:
    """An estimated number: what it is of, its interval of the stated confidence, and its standard error.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> from epstar.release.functionals import mean
    >>> quantity = mean(found, [1, 0])
    >>> quantity.name, quantity.lower < quantity.value < quantity.upper
    ('mean of smoker', True)
    """

    name: str
    value: float
    lower: float
    upper: float
    standard_error: float
    confidence: float


def mean(found: Estimate, values: Sequence[float] | None = None) -> Quantity:
    """Return the mean of one number for each category of a column; of the categories themselves if they are numbers.

    Raises:
        InvalidInput: if there are several columns, the numbers do not fit, or the outputs cannot tell them.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> from epstar.release.functionals import mean
    >>> abs(mean(found, [1, 0]).value - 0.25) < 0.1
    True
    """
    table = _of(found)
    labels = [labels[0] for labels in table.cells()]
    if len(found.names) > 1:
        raise InvalidInput("A mean is one of a single column; give one.")
    if values is None:
        read = values_of(labels)
        if read is None:
            raise InvalidInput(
                f"The categories of column {found.names[0]!r} are not all numbers; give a number for each of them."
            )
        numbers = nearest_floats(read)
    else:
        numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(labels),) or not np.isfinite(numbers).all():
        raise InvalidInput(f"A mean needs one finite number for each of the {len(labels)} categories.")
    return _linear(f"mean of {found.names[0]}", table, numbers, found.confidence)


def difference(found: Estimate, first: Sequence[Label], second: Sequence[Label]) -> Quantity:
    """Return by how much the frequency of one cell exceeds that of another.

    Raises:
        InvalidInput: if there is no such cell, or it cannot be told.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> from epstar.release.functionals import difference
    >>> abs(difference(found, ["no"], ["yes"]).value - 0.5) < 0.2
    True
    """
    table = _of(found)
    gradient = _cell(table, first) - _cell(table, second)
    return _linear(f"{_words(first)} - {_words(second)}", table, gradient, found.confidence)


def contrast(first: Estimate, second: Estimate) -> tuple[Quantity, ...]:
    """Return by how much the frequency of each cell differs between two groups of different rows.

    Raises:
        InvalidInput: if they are estimates of different columns, or of the same rows.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate_by, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> from epstar.release.functionals import contrast
    >>> found = estimate_by(done.frame, "smoker", "town", release_file=done.document)
    >>> [quantity.name for quantity in contrast(*found)]
    ['yes: a - b', 'no: a - b']
    """
    if first.names != second.names or first.group == second.group or not first.group or not second.group:
        raise InvalidInput("Two groups are compared in the same columns, and must be groups of different rows.")
    one, other = _of(first), _of(second)
    name = " - ".join(_words([value for _, value in part.group]) for part in (first, second))
    cells = {labels: place for place, labels in enumerate(other.cells())}
    found = []
    for labels in one.cells():
        if labels not in cells:
            raise InvalidInput("The two groups have different categories; compare groups of one release.")
        parts = [_linear("", table, _cell(table, labels), first.confidence) for table in (one, other)]
        error = float(np.hypot(parts[0].standard_error, parts[1].standard_error))
        one_half, other_half = (max(part.upper - part.value, part.value - part.lower) for part in parts)
        half = float(np.hypot(one_half, other_half))
        value = parts[0].value - parts[1].value
        middle = min(1.0, max(-1.0, value))
        ends = max(-1.0, middle - half), min(1.0, middle + half)
        found.append(Quantity(f"{_words(labels)}: {name}", middle, *ends, error, first.confidence))
    return tuple(found)


def odds_ratio(
    found: Estimate, first: Sequence[Label] | None = None, second: Sequence[Label] | None = None
) -> Quantity:
    """Return the odds ratio of two columns: of two values of the one, and two of the other.

    Raises:
        InvalidInput: if there are not two columns with two values each, or an estimated cell is not above zero.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> from epstar.release.functionals import odds_ratio
    >>> found = estimate(done.frame, ["smoker", "town"], release_file=done.document)
    >>> odds_ratio(found).confidence
    0.95
    """
    table = _of(found)
    if len(found.names) != 2:
        raise InvalidInput("An odds ratio is one of two columns; give two.")
    cells = list(table.cells())
    sides = []
    for place, given in enumerate((first, second)):
        values = list(dict.fromkeys(labels[place] for labels in cells)) if given is None else list(given)
        if len(values) != 2:
            raise InvalidInput(f"An odds ratio compares two values of column {found.names[place]!r}; name two.")
        sides.append(values)
    gradient, logarithm = np.zeros(table.frequencies.shape), 0.0
    for row, sign in ((0, 1.0), (1, -1.0)):
        for column, other in ((0, 1.0), (1, -1.0)):
            cell = _cell(table, (sides[0][row], sides[1][column]))
            share = float((cell * table.frequencies).sum())
            if share <= 0:
                raise InvalidInput("An estimated cell is not above zero, so there are too few rows for an odds ratio.")
            logarithm += sign * other * log(share)
            gradient += sign * other * cell / share
    error, _ = table.error(gradient)
    half = _quantile(found.confidence) * error
    ratio = exp(logarithm)
    ends = exp(logarithm - half), exp(logarithm + half)
    return Quantity("odds ratio", ratio, *ends, ratio * error, found.confidence)


def within(found: Estimate, given: str) -> tuple[Quantity, ...]:
    """Return the share of each cell among the rows that have the same value in the column `given`.

    It may be a released column: then the number of those rows is an estimate too.

    Raises:
        InvalidInput: if the column is not among those of the estimate, or no row seems to have a value.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> from epstar.release.functionals import within
    >>> found = estimate(done.frame, ["smoker", "town"], release_file=done.document)
    >>> len(within(found, "town"))
    4
    """
    table = _of(found)
    if given not in found.names or len(found.names) < 2:
        raise InvalidInput(f"Shares within {given!r} need that column and another in the estimate; give both.")
    if table.frequencies.size > _MOST_CELLS:
        raise InvalidInput(f"Shares within a column are for at most {_MOST_CELLS} cells; take fewer columns.")
    place, cells = found.names.index(given), list(table.cells())
    values = np.array([[labels[place] == cell[place] for labels in cells] for cell in cells])
    result = []
    for number, labels in enumerate(cells):
        group = values[number].reshape(table.frequencies.shape).astype(np.float64)
        size, share = float((group * table.frequencies).sum()), float(table.frequencies.reshape(-1)[number])
        if size <= 0:
            raise InvalidInput(f"Too few rows tell a value of {given!r}; merge its categories, or take more rows.")
        ratio = share / size
        gradient = (_cell(table, labels) - ratio * group) / size
        rest = " and ".join(str(label) for at, label in enumerate(labels) if at != place)
        result.append(_settled(f"{rest} within {labels[place]}", ratio, table, gradient, found.confidence, (0.0, 1.0)))
    return tuple(result)


def covariance(found: Estimate) -> Floats:
    """Return the covariance matrix of the unbiased estimates of the cells, in their order.

    Raises:
        InvalidInput: for more than 2,000 cells, or cells that cannot be told.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> from epstar.release.functionals import covariance
    >>> covariance(found).shape
    (2, 2)
    """
    table = _of(found)
    size = table.frequencies.size
    if size > _MOST_CELLS or not table.estimable.all():
        raise InvalidInput(f"Covariances are for at most {_MOST_CELLS} cells, all of which can be told.")
    return table.covariance()


def _linear(name: str, table: Tabulation, gradient: Floats, confidence: float) -> Quantity:
    if not table.estimable[gradient.reshape(table.frequencies.shape) != 0].all():
        raise InvalidInput(f"The outputs cannot tell the {name or 'frequencies'}: some values are never told apart.")
    value = float((gradient * table.frequencies).sum())
    least, most = float(gradient.min()), float(gradient.max())
    if table.counted.is_weighted or least == most:
        return _settled(name, value, table, gradient, confidence, (least, most))
    # A sum of cells lies between its least and its largest factor, as a frequency does between 0 and 1.
    added = (table.added(gradient) - least) / (most - least)
    found = interval_of(added.reshape(-1), table.counted.first.reshape(-1), confidence)
    lower, upper = (least + (most - least) * end for end in (found.lower, found.upper))
    return Quantity(name, min(most, max(least, value)), lower, upper, table.error(gradient)[0], confidence)


def _settled(
    name: str, value: float, table: Tabulation, gradient: Floats, confidence: float, possible: tuple[float, float]
) -> Quantity:
    """The quantity with its interval, moved to where it can lie as frequencies are (`epstar.release.interval`)."""
    error, largest = table.error(gradient)
    quantile = _quantile(confidence)
    half = quantile * float(np.hypot(error, quantile * largest / table.effective_rows))
    middle = min(possible[1], max(possible[0], value))
    ends = max(possible[0], middle - half), min(possible[1], middle + half)
    return Quantity(name, middle, *ends, error, confidence)


def _quantile(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _of(found: Estimate) -> Tabulation:
    if found.tabulation is None:
        raise InvalidInput("This estimate was made without its counts; make it again with `estimate`.")
    return found.tabulation


def _cell(table: Tabulation, labels: Sequence[Label]) -> Floats:
    cells = list(table.cells())
    # As they are, or as they are typed.
    places = [place for place, cell in enumerate(cells) if cell == tuple(labels) or _typed(cell) == tuple(labels)]
    if not places:
        raise InvalidInput(f"The estimate has no cell {_words(labels)}; check how its categories are written.")
    one = np.zeros(len(cells))
    one[places[0]] = 1.0
    return one.reshape(table.frequencies.shape)


def _typed(labels: Sequence[Label]) -> tuple[str, ...]:
    return tuple(map(str, labels))


def _words(labels: Sequence[Label]) -> str:
    return ", ".join(map(str, labels))
