"""Releases that lie beside a new one and seem to be of the same table: each is another answer of every record.

Whether two releases are of one table can only be guessed, because a release file holds nothing that would tell: a
digest of the private table would confirm anybody's guess of it. What is public must do: the number of rows, and the
names of the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Real
from epstar.release.document import read_release
from epstar.release.pair import description_of

# In a folder of more files than these it is for its owner to keep count.
_MOST_FILES = 1000


@dataclass(frozen=True)
class Earlier:
    """An earlier release, by its release file, and the level of differential privacy of a record in it, if finite.

    `is_replaced` says that it had the name of the new one. `total` is None where there is no limit, or where the
    description of a table that is replaced cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"] * 500}).to_csv(table, index=False)
    ...     first = release(table, Path(folder, "out.csv"), smoker)
    ...     second = release(table, Path(folder, "out.csv"), smoker, force=True)
    >>> [(earlier.total <= 1, earlier.is_replaced) for earlier in second.earlier]
    [(True, True)]
    """

    release_file: Path
    total: float | None
    is_replaced: bool


def earlier_releases(target: Path, document: Mapping[str, Any]) -> tuple[Earlier, ...]:
    """Return the releases in the folder of `target` that seem to be of the table that `document` is about."""
    own = description_of(target)
    found = []
    before = _read(own) if own.exists() else None
    if (target.exists() or own.exists()) and (before is None or not _is_same(before, document)):
        found.append(Earlier(own, _total(_read(own)), True))
    for path in _release_files(target.parent):
        other = None if path == own else _read(path)
        if other is not None and _is_alike(other, document) and not _is_same(other, document):
            found.append(Earlier(path, _total(other), False))
    return tuple(found)


def added_loss(document: Mapping[str, Any], earlier: Iterable[Earlier]) -> Real | None:
    """Return what a record loses that is in a new release and in all of these; None if there is no limit."""
    totals = [_total(document), *(each.total for each in earlier)]
    # A float is exactly itself here, and not the decimal that prints it, which may lie below.
    finite = [Real.of(Fraction(total)) for total in totals if total is not None]
    return sum(finite, Real.of(ZERO)) if len(finite) == len(totals) else None


def _release_files(folder: Path) -> list[Path]:
    # What has a hidden name is not finished.
    folders = [path for path in folder.glob("*/_release.json") if not path.parent.name.startswith(".")]
    files = [path for path in folder.glob("*.release.json") if not path.name.startswith(".")]
    return sorted([*files, *folders])[:_MOST_FILES]


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return read_release(path)
    except InvalidInput:
        return None


def _total(document: Mapping[str, Any] | None) -> float | None:
    upper = None if document is None else document["per_record"]["upper"]
    return None if upper is None or upper == "infinity" else float(upper)


def _is_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two releases have as many rows, and a released column in common."""
    (rows, names), (other_rows, other_names) = _outline(one), _outline(other)
    return rows == other_rows and bool(names & other_names)


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two releases hold the same answers, as those under one key do: then none is a second one."""
    first, second = ([entry["sha256"] for entry in document["tables"]] for document in (one, other))
    return first == second and bool(first)


def _outline(document: Mapping[str, Any]) -> tuple[int, set[str]]:
    rows = sum(entry["rows"] for entry in document["tables"])
    lists = [entry.get("names") for entry in document["columns"]]
    return rows, {str(name) for names in lists if isinstance(names, list) for name in names}
