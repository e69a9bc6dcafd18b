"""The audit of a released table: whether its answers can have come from the mechanisms of its release file.

Whatever the private values are, the probability of an answer lies between its smallest and its largest entry in the
mechanism. So the number of rows with it is, but for chance, within a binomial tail of either; what may go wrong is
shared out among all answers and both tails. A table that was never randomised, or by another mechanism, is told where
its frequencies are more extreme than the mechanism allows; a table that lies within may still have been made wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import BlockDesign
from epstar.release.encoding import text_of
from epstar.release.histogram import tally
from epstar.release.released_table import Opened
from epstar.release.tabulation import Side, released_side

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TableAudit:
    """The answer that fits its mechanism worst: in which column, how often it came, and how often it may.

    `probability` bounds that of a table as extreme as this in any of its answers, if it was made as its release file
    says; below 1 - confidence that is `refuted`.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.audit import audit_table
    >>> from epstar.release import Column, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = audit_table(done.frame, done.document)
    >>> found.answer in ("yes", "no"), found.columns
    (True, ('smoker',))
    """

    columns: tuple[str, ...]
    answer: str
    count: int
    rows: int
    least: float
    most: float
    probability: float
    confidence: Rational

    @property
    def refuted(self) -> bool:
        """Whether the table was not made as its release file says."""
        return self.probability < 1 - float(nearest_floats([self.confidence])[0])


def audit_table(
    released: str | Path | Any,
    release_file: str | Path | Mapping[str, Any],
    *,
    confidence: object = "0.999",
    any_table: bool = True,
) -> TableAudit:
    """Return how well a released table, or a DataFrame, fits the mechanisms of its release file.

    Raises:
        InvalidInput: if the table has no rows, lacks a column, or holds something that a mechanism never gives.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.audit import audit_table
    >>> from epstar.release import Column, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = audit_table(done.frame, done.document)
    >>> found.columns, found.rows
    (('smoker',), 2000)
    """
    from scipy.special import bdtr, bdtrc

    level = rational(confidence)
    if not Rational(1, 2) < level < ONE:
        raise InvalidInput("A confidence must be strictly between 1/2 and 1; give one such as 0.999.")
    table = Opened.of(released, release_file, any_table)
    sides = [released_side(column, column.names) for column in table.columns]
    worst, tests = None, 2 * sum(side.axis.size for side in sides)
    for side in sides:
        counts = tally(table.read, [side.axis]).rows
        rows = int(counts.sum())
        if rows == 0:
            raise InvalidInput("The released table has no rows, so there is nothing to audit.")
        least, most = _ends(side)
        # At most so many rows have an answer that is this likely at most, and at least so many the other way round.
        above = np.where(counts > 0, bdtrc(counts - 1, rows, most), 1.0)
        below = np.where(counts < rows, bdtr(counts, rows, least), 1.0)
        tails = np.minimum(above, below)
        place = int(tails.argmin())
        probability = min(1.0, tests * float(tails[place]))
        if worst is None or probability < worst.probability:
            answer = text_of(side.mechanism.outputs[place])
            ends = float(least[place]), float(most[place])
            worst = TableAudit(side.names, answer, int(counts[place]), rows, *ends, probability, level)
    assert worst is not None
    return worst


def _ends(side: Side) -> tuple[Floats, Floats]:
    """The smallest and the largest probability of each answer, whatever the input."""
    mechanism = side.mechanism
    if isinstance(mechanism, BlockDesign):
        entries = nearest_floats([ONE, mechanism.ratio]) / float(
            (mechanism.prime - 1) * (mechanism.chosen * float(mechanism.ratio) + mechanism.prime - mechanism.chosen)
        )
        return np.full(mechanism.shape[1], entries[0]), np.full(mechanism.shape[1], entries[1])
    floats = mechanism.dense().floats
    return floats.min(axis=0), floats.max(axis=0)
