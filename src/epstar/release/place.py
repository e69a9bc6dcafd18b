"""Places on disk that a caller names: every name is looked at here before the system is asked to open it."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from epstar.errors import InvalidInput

# The longest name that is ever made of the name of an output, while its description is written.
_LONGEST = ".{}.release.json.0123456789abcdef.part"
# That nothing is there is for the caller to judge.
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


def place_of(given: object, what: str) -> Path:
    """Return the path that was given for `what`, such as "The table".

    Raises:
        InvalidInput: if it is no text or path, cannot be a name on this system, or cannot be looked at.
    """
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise InvalidInput(f"{what} must be named by a text or a path that is not empty.")
    written = os.fspath(given)
    if not isinstance(written, str) or "\0" in written or not is_text(written):
        raise InvalidInput(f"{what} has a name that is not text in UTF-8; rename it.")
    path = Path(written)
    # The folder that one is in has no name of its own until it is looked up.
    path = path if path.name else path.absolute()
    _look_at(path, what)
    return path


def output_place(given: object, what: str = "The output") -> Path:
    """Return the path that was given for something that is to be written.

    Raises:
        InvalidInput: as for `place_of`, or if the names that are made of it would be too long.
    """
    path = place_of(given, what)
    if not path.name:
        raise InvalidInput(f"{what} needs a name of its own; give one, for instance out.csv.")
    _look_at(path.with_name(_LONGEST.format(path.name)), what)
    return path


def files_in(folder: Path) -> list[Path]:
    """Return what is in a folder, in the order of names; marks that programs leave are passed over.

    Raises:
        InvalidInput: if it cannot be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    except OSError:
        raise InvalidInput(f"The folder {folder.name} cannot be read; check that it is yours to read.") from None


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        InvalidInput: if it cannot be read.
    """
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError:
        raise InvalidInput(f"{path.name} cannot be read; check that it is yours to read.") from None


def is_text(value: str) -> bool:
    """Whether a text can be written in UTF-8; bytes of another encoding come as characters that cannot.

    >>> is_text("Zürich"), is_text("Z\\udcfcrich")
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _look_at(path: Path, what: str) -> None:
    try:
        path.stat()
    except OSError as error:
        if error.errno not in _ABSENT:
            reason = (error.strerror or "input or output error").lower()
            raise InvalidInput(f"{what} cannot be looked at ({reason}); choose another name or folder.") from None
