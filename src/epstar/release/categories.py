"""The public alphabet of a column: declared by a person, never learnt from the data that is protected."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import Number, Rational
from epstar.probability_vectors import listed
from epstar.release.bins import Bins
from epstar.release.place import is_text, place_of
from epstar.release.public_files import refuse_private
from epstar.source import Prior, Source

Label: TypeAlias = "str | int | float | bool"

# Nobody has counted further, and Python reads no number of thousands of digits.
_COUNT = re.compile(r"\s*[0-9]{1,18}\s*", re.ASCII)
# A word in quotation marks, or whatever stands in a line.
_LINE = re.compile(r'[ \t]*"((?:[^"]|"")*)"[ \t]*(?:\r\n|\r|\n|\Z)|([^\r\n]+)')


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
    bins: Bins | None = None

    def __init__(
        self,
        labels: Sequence[Label],
        missing: Label | None = None,
        other: Label | None = None,
        bins: Bins | None = None,
    ) -> None:
        read: list[Label] = []
        for label in listed(labels, "The categories"):
            if not isinstance(label, str | int | float) or label != label:
                raise InvalidInput("A category must be a text or a number; write each of them as one.")
            if isinstance(label, str) and not is_text(label):
                raise InvalidInput("A category is not text in UTF-8; write it in that encoding.")
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
        object.__setattr__(self, "bins", bins)

    @classmethod
    def of_numbers(cls, bins: Bins, missing: Label | None = None, other: Label | None = None) -> Categories:
        """Return the categories of a column of numbers: its bins, and one for missing and for all other values.

        >>> Categories.of_numbers(Bins([0, 10, 30]), missing="unknown").labels
        (5, 20, 'unknown')
        """
        extra = [label for label in dict.fromkeys((missing, other)) if label is not None and label not in bins.labels]
        return cls([*bins.labels, *extra], missing, other, bins)

    @classmethod
    def read(
        cls,
        path: str | Path,
        missing: Label | None = None,
        other: Label | None = None,
        *,
        private: str | Path | None = None,
    ) -> Categories:
        """Return the categories in a text file, one in each line; blank lines are passed over.

        A category that has spaces at its ends or a line break in it stands in quotation marks, doubled within it. A
        file that is also (a part of) the table `private` is refused.
        """
        if private is not None:
            refuse_private(path, private)
        return cls(_lines(text_of_file(path, "categories")), missing, other)

    def position(self, label: Label | None) -> int:
        """Return the position of a label, or -1 for None."""
        return -1 if label is None else self.labels.index(label)


@dataclass(frozen=True)
class PublicCounts:
    """A public table of how often each category occurs: it gives a prior, or a region of priors.

    >>> from epstar.release import PublicCounts
    >>> print(*PublicCounts(("yes", "no"), (30, 70)).prior().probabilities)
    3/10 7/10
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]

    @classmethod
    def read(cls, path: str | Path, *, private: str | Path | None) -> PublicCounts:
        """Return the counts in a CSV file with a header line and two columns, category and count.

        `private` is the table or folder that will be released, None if that is no file: the counts must be others than
        its own, because they show in the mechanism and stand in the release file.

        Raises:
            InvalidInput: if the file cannot be read or has another shape, or is the private table or a copy of it.
        """
        if private is not None:
            refuse_private(path, private)
        written = text_of_file(path, "counts")
        body = None
        with suppress(csv.Error):
            body = [row for row in list(csv.reader(io.StringIO(written, newline="")))[1:] if row]
        if not body or any(len(row) != 2 or not _COUNT.fullmatch(row[1]) for row in body):
            raise InvalidInput(
                f"The public counts in {Path(path).name} are not understood; give a header line and then a "
                "category and a whole number of at most 18 digits in each line."
            )
        return cls(tuple(row[0] for row in body), tuple(int(row[1]) for row in body))

    def prior(self) -> Prior:
        """Return the counts divided by their sum, taken as the true distribution."""
        total = sum(self.counts)
        if total == 0:
            raise InvalidInput("All public counts are zero, so they say nothing; use Everything(size).")
        return Prior([Rational(count, total) for count in self.counts])

    def region(self, confidence: Number = 0.95) -> Source:
        """Return a box that holds the distribution the counts were drawn from with the given confidence."""
        return Source.from_counts(self.counts, confidence)


def _lines(written: str) -> list[str]:
    """The words in the lines of a text; one in quotation marks is taken as it is, and may go over several lines.

    >>> _lines("flu  " + chr(10) + '" x "' + chr(10) + "cold, dry")
    ['flu', ' x ', 'cold, dry']
    """
    found = (match.groups() for match in _LINE.finditer(written))
    return [
        plain.strip() if quoted is None else quoted.replace('""', '"')
        for quoted, plain in found
        if quoted is not None or plain.strip()
    ]


def text_of_file(path: str | Path, what: str) -> str:
    """Return the text in a file of `what`.

    Raises:
        InvalidInput: if it cannot be read.
    """
    place = place_of(path, f"The file of {what}")
    try:
        return place.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    raise InvalidInput(f"The file of {what} {place.name} cannot be read ({reason}); check its name.")
