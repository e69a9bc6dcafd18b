"""A column that hints at a secret: what is protected is the secret, and the column is released as truly as that allows.

Of a table with postcodes and incomes the postcode may be released, and the income be what nobody should infer from it.
How the two go together must be known from elsewhere (a public table, a census): the frequencies p(x) of the released
values, and P(s|x), how often each value of the secret occurs beside them. Every loss is then one of the channel from
the secret to what is released (`epstar.Secret`), and the promise is worth what these frequencies are worth.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Number
from epstar.exact.vectors import sum_of
from epstar.notions.base import Notion
from epstar.probability_vectors import Table, table
from epstar.release.categories import Categories, Label
from epstar.release.column import Column
from epstar.secret import Secret
from epstar.source import Prior


def proxy(
    name: str,
    categories: Categories | Sequence[Label],
    secret: str,
    values: Sequence[Label],
    frequencies: Table,
    *,
    notion: Notion | None = None,
    loss: Number | None = None,
    distortion: Distortion | None = None,
) -> Column:
    """Return a column whose release protects a secret that it hints at, and that is not released itself.

    `frequencies` has a row for each category and a column for each of the `values` of the secret: how often the two
    occur together, as public counts or as probabilities.

    Raises:
        InvalidInput: if the table has another shape, a negative number or nothing but zeros, or the secret depends on
            nothing.

    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import proxy
    >>> together = [[45, 5], [15, 15], [4, 16]]
    >>> districts = ["harbour", "centre", "hill"]
    >>> column = proxy("district", districts, "income", ["low", "high"], together, notion=DifferentialPrivacy(), loss=1)
    >>> column.secret_name, column.secret.universe.labels
    ('income', ('low', 'high'))
    """
    known, hidden = together(frequencies, values)
    return Column(
        name,
        categories,
        notion=notion,
        loss=loss,
        source=known,
        distortion=distortion,
        secret=hidden,
        secret_name=secret,
    )


def together(frequencies: Table, values: Sequence[Label]) -> tuple[Prior, Secret]:
    """Return the distribution of the rows of a table of frequencies, and the secret in its columns.

    Raises:
        InvalidInput: as for `proxy`.
    """
    rows = table(frequencies, "The table of frequencies")
    if any(entry < ZERO for row in rows for entry in row) or len(rows[0]) != len(values):
        raise InvalidInput(
            "The table of frequencies has a row for each category and a column for each value of the secret, and "
            "numbers of at least 0 in them; give it in that shape."
        )
    columns = [sum_of(list(column)) for column in zip(*rows, strict=True)]
    whole = sum_of(columns)
    if whole == ZERO:
        raise InvalidInput("All frequencies are zero, so that nothing is known of the secret; give others.")
    totals = [sum_of(list(row)) for row in rows]
    # What is never seen follows the secret as all others do together, and counts nothing.
    beside = [
        [entry / total for entry in row] if total > ZERO else [column / whole for column in columns]
        for row, total in zip(rows, totals, strict=True)
    ]
    return Prior([total / whole for total in totals]), Secret.given(beside, list(values))
