"""Partitioned folders: files in folders that are named after the values of columns, as in town=north/part-0.parquet.

Such a column stands in no file. It is read as text, as it was written before it became a name, and whoever sees the
folder sees it. So it can only pass through: which file a row is in would tell it, whatever is done to the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from epstar.errors import InvalidInput
from epstar.release.place import files_in

# How the programs that write such folders name the one of missing values.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def partition_of(inside: str) -> dict[str, str | None]:
    """Return the columns that a folder inside a partitioned one is named after, with their values.

    >>> partition_of("town=north/street=Old%20Road"), partition_of("")
    ({'town': 'north', 'street': 'Old Road'}, {})
    """
    pairs = (part.partition("=") for part in inside.split("/") if part)
    return {unquote(name): None if value == _MISSING else unquote(value) for name, _, value in pairs}


def is_inside(name: str) -> bool:
    """Whether a text names a file in a folder, or in one of its partitions, and nothing elsewhere.

    >>> is_inside("a.csv"), is_inside("town=north/a.csv"), is_inside("../a.csv"), is_inside("town/a.csv")
    (True, True, False, False)
    """
    *folders, file = name.split("/")
    return Path(file).name == file and all(_is_partition(part) for part in folders)


def partitioned_files(folder: Path) -> list[tuple[Path, str]]:
    """Return the files of a folder in the order of their names, each with the folder inside it that it is in.

    Raises:
        InvalidInput: if folders inside are not named after columns, or not all files after the same ones.
    """
    found = list(_files(folder, folder, ""))
    if len({tuple(partition_of(inside)) for _, inside in found}) > 1:
        raise InvalidInput(
            f"The folder {folder.name} has files at different depths, or in folders that are named after different "
            "columns; release each part by itself."
        )
    return found


def _files(whole: Path, folder: Path, inside: str) -> Iterator[tuple[Path, str]]:
    for path in files_in(folder):
        if not path.is_dir():
            yield path, inside
            continue
        below = f"{inside}/{path.name}".strip("/")
        if not _is_partition(path.name) or len(partition_of(below)) != below.count("/") + 1:
            raise InvalidInput(
                f"The folder {whole.name} has another folder in it whose name is not of the form column=value, and "
                "whose rows would be left out; release each folder by itself, or put all files into one."
            )
        yield from _files(whole, path, below)


def _is_partition(name: str) -> bool:
    return name.find("=") > 0 and Path(name).name == name
