"""Files and folders that appear whole or not at all.

What is written goes to a file without a name in the same folder, reaches the disk, and only then gets its name: a
process that is killed leaves the old file or the complete new one, and no second answer of anybody's. Where a file
must have a name before that (in a folder of files, when another file is replaced, on systems without nameless
files), the name starts with a dot and ends in ".part", and a lock is held on it that ends with the process. So
the next release to the same name can tell what a killed one has left, and removes it.
"""

from __future__ import annotations

import errno
import glob
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from epstar.errors import EpstarError, InvalidInput

# What a system answers that has no nameless files.
_UNKNOWN = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)


class WriteFailed(EpstarError):
    """The output could not be written; nothing appeared under its name.

    >>> from epstar.errors import EpstarError
    >>> from epstar.release import WriteFailed
    >>> issubclass(WriteFailed, EpstarError)
    True
    """


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into one sentence that holds nothing of what was written."""
    reason = None
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "input or output error").lower()
    if reason is not None:
        # Raised here and not above, so that the original error, which may quote data, is not attached.
        raise WriteFailed(
            f"{path.name} could not be written ({reason}), and nothing was released; make room or choose "
            "another folder."
        )


def refuse_existing(path: Path, force: bool, cost: str = "") -> None:
    """Raise unless the name is free, or is that of a file and `force` allows to replace it at this cost."""
    if not path.parent.is_dir():
        raise InvalidInput(f"The folder of {path.name} does not exist; make it first.")
    if path.is_dir():
        raise InvalidInput(f"{path.name} is a folder that exists already; choose another name or remove it.")
    if path.exists() and not force:
        raise InvalidInput(f"{path.name} exists already; choose another name, or replace it with `force`{cost}.")


class StagedFile:
    """A file that has no name yet; `publish` gives it its name, and what has none when the block ends is forgotten.

    `staged` is where it can be read until then.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._named: Path | None = None
        with plain_errors(path):
            remove_abandoned(path)
            descriptor = _nameless(path.parent)
            if descriptor is None:
                self._named = _part_of(path)
                try:
                    descriptor = _make(self._named)
                except BaseException:  # also when it is interrupted
                    self._named.unlink(missing_ok=True)
                    raise
            self.handle: BinaryIO = os.fdopen(descriptor, "w+b")
        self.staged = self._named or Path(f"/proc/self/fd/{descriptor}")

    def finish(self) -> None:
        """Bring everything that was written to the disk."""
        with plain_errors(self.path):
            self.handle.flush()
            os.fsync(self.handle.fileno())

    def wait(self) -> None:
        """Give the finished file its temporary name, under which it outlives this process, until it is published."""
        with plain_errors(self.path):
            self._take_temporary_name()
            sync_folder(self.path.parent)

    def publish(self, force: bool) -> None:
        """Give the finished file its name; without `force` a name that was taken meanwhile is an error."""
        with plain_errors(self.path):
            if not force:
                # A link never replaces, whatever happened since the name was found to be free.
                self._link(self.path)
                if self._named is not None:
                    with suppress(OSError):  # it has its name, and the other one does no harm
                        self._named.unlink()
            else:
                self._take_temporary_name().replace(self.path)
            self._named = None
        # It has its name, and no failure can take it back.
        with suppress(OSError):
            sync_folder(self.path.parent)

    def leave(self) -> Path:
        """Let the file keep the name that it has when the block ends, and return that name."""
        left, self._named = self._named or self.path, None
        return left

    def _take_temporary_name(self) -> Path:
        if self._named is None:
            self._named = _part_of(self.path)
            _lock(self.handle.fileno())
            self._link(self._named)
        return self._named

    def _link(self, name: Path) -> None:
        # Of a nameless file there is only what the system shows of the open descriptor, and that must be followed.
        descriptor = self.handle.fileno()
        os.link(self.staged, name, src_dir_fd=descriptor, follow_symlinks=True)

    def __enter__(self) -> StagedFile:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what could not be written is not wanted any more
            self.handle.close()
        if self._named is not None:
            self._named.unlink(missing_ok=True)


@contextmanager
def staged_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder that takes the name `path` when the block ends without an error."""
    staged = _part_of(path)
    # The name is known before the folder is there: whatever moment a signal chooses, the folder is removed.
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, staged, ignore_errors=True)
        with plain_errors(path):
            remove_abandoned(path)
            stack.callback(os.close, _make(staged, is_folder=True))
        yield staged
        with plain_errors(path):
            for folder in (*(part for part in staged.rglob("*") if part.is_dir()), staged):
                sync_folder(folder)
            staged.rename(path)
        with suppress(OSError):  # it has its name, and no failure can take it back
            sync_folder(path.parent)


def abandoned(path: Path) -> Iterator[Path]:
    """Yield what killed releases to this name have left, each locked while it is looked at.

    What a living one holds is locked by it, and is passed over.
    """
    if os.name != "posix":  # without such locks nothing is taken for abandoned
        return
    for part in parts_of(path):
        with suppress(OSError):  # it is locked, or somebody else was faster
            descriptor = os.open(part, os.O_RDONLY)
            try:
                _lock(descriptor)
                yield part
            finally:
                os.close(descriptor)


def parts_of(path: Path) -> list[Path]:
    """Return everything with a temporary name that was made of this one."""
    return sorted(path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}.part"))


def remove_abandoned(path: Path) -> None:
    """Remove what killed releases to this name have left."""
    for part in abandoned(path):
        with suppress(OSError):  # what cannot be removed does no harm to what is written now
            if part.is_dir():
                shutil.rmtree(part)
            else:
                part.unlink()


def _nameless(folder: Path) -> int | None:
    """A file in the folder that has no name, or None where the system has no such files."""
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").exists():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
    return None


def _part_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")


def _make(part: Path, is_folder: bool = False) -> int:
    """Make the file or folder of this temporary name, and return a descriptor that holds the lock on it."""
    while True:
        if is_folder:
            part.mkdir(exist_ok=True)
        else:
            part.touch()
        # Another release may take it for abandoned in the moment before it is locked; then it is made again.
        with suppress(FileNotFoundError):
            descriptor = os.open(part, os.O_RDONLY if is_folder else os.O_RDWR | getattr(os, "O_BINARY", 0))
            with suppress(BlockingIOError):
                _lock(descriptor)
                if part.exists():
                    return descriptor
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Take the lock, or raise an error of the system if somebody has it."""
    if os.name == "posix":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system has such a call."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
