"""Public files must be others than the private ones: what a public file holds shows in the release file.

The same file is told by the system, under whatever name or link, and a copy by its content. That somebody has made a
public file out of the private table in another way cannot be told.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from epstar.errors import InvalidInput
from epstar.release.place import place_of


def refuse_private(public: str | Path, private: str | Path) -> None:
    """Raise if a public file or folder has a file in common with the private table or folder.

    Raises:
        InvalidInput: in a sentence that says why.
    """
    place = place_of(public, "The public file")
    theirs, ours = _files(place), _files(place_of(private, "The table"))
    sizes = {path.stat().st_size for path in ours}
    digests: set[str] | None = None
    for path in theirs:
        if any(path.samefile(own) for own in ours):
            break
        # Only files of the same length can be copies, so that others are not read.
        if path.stat().st_size not in sizes:
            continue
        digests = {_digest(own) for own in ours} if digests is None else digests
        if _digest(path) in digests:
            break
    else:
        return
    raise InvalidInput(
        f"{place.name} is the private table, or holds a copy of it, and is not public: what is taken from it would "
        "stand in the release file; give a file that was made of other data, or leave it out."
    )


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place] if place.is_file() else []
    # Marks that programs leave, often empty and so all alike, are no tables.
    return [path for path in sorted(place.iterdir()) if path.is_file() and not path.name.startswith((".", "_"))]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError:
        raise InvalidInput(f"{path.name} cannot be read; check that it is yours to read.") from None
