"""Files and folders that appear whole or not at all.

What is written goes to a temporary name in the same folder, reaches the disk, and only then takes its name. A
process that is killed at any moment leaves the old file or the complete new one, and at worst a file whose
name starts with a dot and ends in ".part".
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from epstar.errors import EpstarError, InvalidInput


class WriteFailed(EpstarError):
    """The output could not be written; nothing appeared under its name."""


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


def refuse_existing(path: Path, force: bool) -> None:
    """Raise unless the name is free, or is that of a file and `force` allows to replace it."""
    if not path.parent.is_dir():
        raise InvalidInput(f"The folder of {path.name} does not exist; make it first.")
    if path.is_dir():
        raise InvalidInput(f"{path.name} is a folder that exists already; choose another name or remove it.")
    if path.exists() and not force:
        raise InvalidInput(f"{path.name} exists already; choose another name, or allow to replace it.")


class StagedFile:
    """A file under a temporary name beside its own; `publish` gives it its name, `discard` removes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.staged = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
        with plain_errors(path):
            descriptor = os.open(self.staged, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666)
            self.handle: BinaryIO = os.fdopen(descriptor, "wb")

    def finish(self) -> None:
        """Bring everything that was written to the disk, and close."""
        with plain_errors(self.path):
            self.handle.flush()
            os.fsync(self.handle.fileno())
            self.handle.close()

    def publish(self, force: bool) -> None:
        """Give the finished file its name; without `force` a name that was taken meanwhile is an error."""
        with plain_errors(self.path):
            if force:
                self.staged.replace(self.path)
            else:
                # A link never replaces, whatever happened since the name was found to be free.
                os.link(self.staged, self.path)
                self.staged.unlink()
            sync_folder(self.path.parent)

    def discard(self) -> None:
        """Remove what is left under the temporary name."""
        with suppress(OSError):  # what could not be written is not wanted any more
            self.handle.close()
        self.staged.unlink(missing_ok=True)


@contextmanager
def staged_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder that takes the name `path` when the block ends without an error."""
    staged = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    with plain_errors(path):
        staged.mkdir()
    try:
        yield staged
        with plain_errors(path):
            sync_folder(staged)
            staged.rename(path)
            sync_folder(path.parent)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system has such a call."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
