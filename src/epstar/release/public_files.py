"""Public files must be others than the private ones: what a public file holds shows in the release file.

The same file is told by the system, under whatever name or link, and a copy by its content. That somebody has made a
public file out of the private table in another way cannot be told.
"""

from __future__ import annotations

from pathlib import Path

from epstar.errors import InvalidInput
from epstar.release.partition import partitioned_files
from epstar.release.place import digest_of, place_of


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
        digests = {digest_of(own) for own in ours} if digests is None else digests
        if digest_of(path) in digests:
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
    return [path for path, _ in partitioned_files(place) if path.is_file()]
