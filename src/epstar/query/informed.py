"""What a prior alone gives away to an informed adversary, and the levels of Wang, Ying and Zhang (wang2016).

A database of n rows over m categories has a joint prior in lexicographic order. An informed adversary knows all rows
but one: epsilon_X is how unlike two databases that differ there can be.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Interval, Number, Rational, Real, rational
from epstar.source import Prior

Point = tuple[Rational, ...]


def response_distortion(ratio: Number, letters: int, rows: int = 1) -> Rational:
    """Return h(log ratio) = rows / (1 + ratio / (categories - 1)), the distortion of the two mechanisms (Lemma 1).

    >>> str(response_distortion(3, 2))
    '1/4'
    """
    _check_sizes(letters, rows)
    factor = rational(ratio)
    if factor < 1:
        raise InvalidInput("A ratio of probabilities e^epsilon is at least 1; give such a number.")
    return Rational(rows) / (1 + factor / (letters - 1))


def response_level(distortion: Number, letters: int, rows: int = 1) -> Real:
    """Return h^-1(D) = log((rows/D - 1)(categories - 1)), infinite at D = 0; negative beyond h(0).

    Raises:
        InvalidInput: unless 0 <= D < rows, or if there are fewer than two categories.

    >>> str(response_level("1/4", 2))
    'log(3)'
    """
    _check_sizes(letters, rows)
    wrong = rational(distortion)
    if not 0 <= wrong < rows:
        raise InvalidInput(f"h has no inverse at {wrong}; the distortion must be at least 0 and below {rows}.")
    return INFINITY if wrong == 0 else Real.log((rows / wrong - 1) * (letters - 1))


def prior_level(prior: Prior | Sequence[Number], letters: int | None = None, rows: int = 1) -> Real:
    """Return epsilon_X, the greatest log ratio of the probabilities of neighbours (wang2016, equation (11)).

    Without `letters` there is one row, and the prior has an entry for each category.

    >>> str(prior_level(["0.6", "0.3", "0.1"]))
    'log(6)'
    >>> str(prior_level(histogram(["3", "5", "3", "4"])))
    'log(2)'
    """
    law, letters = _read(prior, letters, rows)
    if min(law) == 0:
        return INFINITY
    return Real.log(max(max(law[x] for x in group) / min(law[x] for x in group) for group in _groups(letters, rows)))


def feasible_level(
    prior: Prior | Sequence[Number], letters: int | None = None, rows: int = 1, bits: int = 60
) -> Interval:
    """Return tilde epsilon_X: from this level on, identifiability costs no more than differential privacy.

    It is the least level at which posteriors proportional to e^(-level distance) can average to the prior. The levels
    at which they can form a half-line, so that bisection is safe; the upper end is one of them.

    Raises:
        InvalidInput: if the prior rules out some database, where no finite level is one.

    >>> str(feasible_level(["0.6", "0.3", "0.1"]).upper)
    'log(8)'
    """
    law, letters = _read(prior, letters, rows)
    if min(law) == 0:
        raise InvalidInput("A prior that rules out some database has no finite level; give every database some mass.")
    if len(set(law)) == 1:
        return Interval(Real.log(ONE), Real.log(ONE))
    high = rational(2)
    while min(output_law(law, high, letters, rows)) < 0:
        high *= 2
    low = high / 2 if high > 2 else ONE
    for _ in range(bits):
        if min(output_law(law, high, letters, rows)) == 0:  # some output just vanishes: this is the level itself
            return Interval(Real.log(high), Real.log(high))
        middle = (low + high) / 2
        is_enough = min(output_law(law, middle, letters, rows)) >= 0
        low, high = (low, middle) if is_enough else (middle, high)
    return Interval(Real.log(low), Real.log(high))


def output_law(prior: Prior | Sequence[Number], ratio: Number, letters: int | None = None, rows: int = 1) -> Point:
    """Return the one p_Y with which posteriors proportional to ratio^-distance average to the prior (equation (20)).

    Entries may be negative: then there is none. The matrix of the posteriors is a power of one row's, so that its
    inverse acts row by row.

    Raises:
        InvalidInput: unless the ratio exceeds 1.

    >>> output_law(["0.55", "0.45"], 4)
    (7/12, 5/12)
    """
    factor, (point, letters) = rational(ratio), _read(prior, letters, rows)
    law = list(point)
    if factor <= 1:
        raise InvalidInput(
            "At level 0 all posteriors are uniform and determine no output distribution; give a ratio above 1."
        )
    for group in _groups(letters, rows):
        total = sum((law[x] for x in group), ZERO)
        for x in group:
            law[x] = ((factor + letters - 1) * law[x] - total) / (factor - 1)
    return tuple(law)


def histogram(table: str | Path | Sequence[Hashable], column: str | None = None) -> Prior:
    """Return how often each value occurs, as a prior with the values as labels: of a list, or a column of a CSV file.

    It stands for the empirical prior of wang2016's illustration, of which `prior_level` is then epsilon_X. Counts of
    private rows are private: take those of a public table.

    Raises:
        InvalidInput: if the table cannot be read, or has no such column, or no rows.

    >>> histogram(["3", "5", "3", "4"]).probabilities
    (1/2, 1/4, 1/4)
    """
    values = _column(table, column) if isinstance(table, str | Path) else list(table)
    if not values:
        raise InvalidInput("The table has no rows; a histogram needs at least one.")
    counts: dict[Hashable, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return Prior({value: Rational(counts[value], len(values)) for value in sorted(counts, key=str)})


def _column(table: str | Path, column: str | None) -> list[Hashable]:
    import csv

    try:
        with Path(table).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
            names = list(rows[0]) if rows else []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"The table {table} cannot be read: {error}.") from None
    if column is None and len(names) == 1:
        column = names[0]
    if column not in names:
        raise InvalidInput(f"The table has the columns {', '.join(names) or 'none'}; name one of them with column=.")
    return [row[column] for row in rows]


def _groups(letters: int, rows: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of databases that agree in all rows but one."""
    for row in range(rows):
        place = letters ** (rows - 1 - row)
        for first in range(letters**rows):
            if first // place % letters == 0:
                yield tuple(first + step * place for step in range(letters))


def _check_sizes(letters: int, rows: int) -> None:
    whole_number(letters, "The number of categories", 2)
    whole_number(rows, "The number of rows", 1)


def _read(prior: Prior | Sequence[Number], letters: int | None, rows: int) -> tuple[Point, int]:
    """The probabilities of all databases, and the number of categories: all of them where there is one row."""
    law = (prior if isinstance(prior, Prior) else Prior(prior)).probabilities
    if letters is None and rows != 1:
        raise InvalidInput(
            "How many categories a row has does not follow from the prior; give `letters` beside `rows`."
        )
    letters = len(law) if letters is None else letters
    _check_sizes(letters, rows)
    if len(law) != letters**rows:
        raise InvalidInput(
            f"{rows} rows over {letters} categories have {letters**rows} databases, and the prior has {len(law)} "
            "entries; give one for each tuple of categories, in lexicographic order."
        )
    return law, letters
