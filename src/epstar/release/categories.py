"""The public alphabet of a column: declared by a person, never learnt from the data that is protected."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.reading import listed, shown
from epstar.source import Prior, Source

Label: TypeAlias = "str | int | float | bool"


@dataclass(frozen=True, init=False)
class Categories:
    """The values that a column may hold, in order.

    `missing` names the category that stands for a missing value, `other` the one that takes every value that
    is not listed; both must be among the labels. Where they are not given, such values are errors.

    Raises:
        InvalidInput: for labels that are not text or numbers, stand twice, or do not include the two named.

    >>> Categories(["yes", "no", "unknown"], missing="unknown").position("unknown")
    2
    """

    labels: tuple[Label, ...]
    missing: Label | None
    other: Label | None

    def __init__(self, labels: Sequence[Label], missing: Label | None = None, other: Label | None = None) -> None:
        read: list[Label] = []
        for label in listed(labels, "The categories"):
            if not isinstance(label, str | int | float) or label != label:
                raise InvalidInput("A category must be a text or a number; write each of them as one.")
            read.append(label)
        if len(set(map(str, read))) != len(read):
            raise InvalidInput("Two categories look the same when written; make them distinct.")
        for special in (missing, other):
            if special is not None and special not in read:
                raise InvalidInput(
                    f"The category {shown(special)} for missing or other values is not among the categories; "
                    "add it to them."
                )
        object.__setattr__(self, "labels", tuple(read))
        object.__setattr__(self, "missing", missing)
        object.__setattr__(self, "other", other)

    @classmethod
    def read(cls, path: str | Path, missing: Label | None = None, other: Label | None = None) -> Categories:
        """Return the categories in a text file, one in each line; blank lines are passed over."""
        lines = _text_of(path, "categories").splitlines()
        return cls([line.strip() for line in lines if line.strip()], missing, other)

    def position(self, label: Label | None) -> int:
        """Return the position of a label, or -1 for None."""
        return -1 if label is None else self.labels.index(label)


@dataclass(frozen=True)
class PublicCounts:
    """A public table of how often each category occurs: it gives a prior, or a region of priors."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]

    @classmethod
    def read(cls, path: str | Path) -> PublicCounts:
        """Return the counts in a CSV file with a header line and two columns, category and count.

        Raises:
            InvalidInput: if the file cannot be read or has another shape.
        """
        rows = list(csv.reader(_text_of(path, "counts").splitlines()))
        body = [row for row in rows[1:] if row]
        if not body or any(len(row) != 2 or not row[1].strip().isdecimal() for row in body):
            raise InvalidInput(
                f"The public counts in {Path(path).name} are not understood; give a header line and then a "
                "category and a whole number in each line."
            )
        return cls(tuple(row[0] for row in body), tuple(int(row[1]) for row in body))

    def prior(self) -> Prior:
        """Return the counts divided by their sum, taken as the true law."""
        total = sum(self.counts)
        if total == 0:
            raise InvalidInput("All public counts are zero, so they say nothing; use Everything(size).")
        return Prior([Rational(count, total) for count in self.counts])

    def region(self, confidence: object = 0.95) -> Source:
        """Return a box that holds the law the counts were drawn from with the given confidence."""
        return Source.from_counts(self.counts, confidence)


def _text_of(path: str | Path, what: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    raise InvalidInput(f"The file of {what} {Path(path).name} cannot be read ({reason}); check its name.")
