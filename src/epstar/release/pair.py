"""A released table and its description: two files, of which one is named before the other.

When a table is published, its description waits under a temporary name, the table gets its name, and then the
description. A process that is killed in between leaves a new table beside an old description, or beside none; the right
one is still there, and is told by the digest of the table. So at every moment a table has its description.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from epstar.errors import InvalidInput
from epstar.release.atomic_files import StagedFile, WriteFailed, abandoned, parts_of, sync_folder
from epstar.release.document import read_release
from epstar.release.place import digest_of

_ENDING = ".release.json"


def name_beside(table: Path) -> Path:
    """Return the name of the release file of a table or of a folder of tables."""
    return table / "_release.json" if table.is_dir() else Path(f"{table}{_ENDING}")


def description_of(table: Path) -> Path:
    """Return the release file that belongs to a table or a folder, under whatever name it is."""
    beside = name_beside(table)
    waiting = [] if table.is_dir() else parts_of(beside)
    return _describing(table, waiting) or beside


def whole_description(release_file: Path) -> Path:
    """Return the release file that belongs to the table that this one is named after, if it lies beside it."""
    name = release_file.name.removesuffix(_ENDING)
    if not name or name == release_file.name:
        return release_file
    table = release_file.with_name(name)
    return description_of(table) if table.is_file() else release_file


def settle(table: Path) -> None:
    """Finish what a killed release has left to do: to give the description of its table the name."""
    beside = name_beside(table)
    found = _describing(table, abandoned(beside))
    if found is not None:
        found.replace(beside)
        sync_folder(beside.parent)


def publish(table: StagedFile, description: StagedFile, force: bool) -> Path:
    """Give the finished table and its finished description their names, and return that of the description.

    Raises:
        WriteFailed: if the table did not get its name; what had these names before is as it was.
    """
    description.wait()
    try:
        table.publish(force)
    except WriteFailed:
        raise
    except BaseException:
        # Whether the table has its name is not known, so its description stays where it will be found.
        description.leave()
        raise
    try:
        description.publish(force)
    except WriteFailed:
        if force:
            return description.leave()
        table.path.unlink()
        raise
    except BaseException:
        description.leave()
        raise
    return description.path


def _describing(table: Path, waiting: Iterable[Path]) -> Path | None:
    """The first of the descriptions that wait for their name which is of this table; None if the named one is."""
    digest = None
    for part in waiting:
        digest = digest or (digest_of(table) if table.is_file() else "")
        if _is_of(name_beside(table), digest):
            return None
        if _is_of(part, digest):
            return part
    return None


def _is_of(release_file: Path, digest: str) -> bool:
    with suppress(InvalidInput):
        return [entry["sha256"] for entry in read_release(release_file)["tables"]] == [digest]
    return False
