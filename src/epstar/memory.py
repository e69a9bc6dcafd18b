"""How much memory programs may take. What one needs is estimated before it is built, so that no machine is exhausted.

A limit is on all that the process holds, and is kept by all that runs meanwhile: whatever builds something large says
`keep_memory()` before, and nobody passes a limit on. Where none is kept nothing is ever refused; `epstar check` keeps
one that grows with the document.
"""

from __future__ import annotations

import os
import reprlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from epstar.errors import InvalidInput

MEBIBYTE = 1 << 20
# Of what is free, a program may take this share unless a limit is given.
_SHARE = 0.5
# Less than this is not counted: it is less than what is in use may change by at any moment.
_LITTLE = 8 * MEBIBYTE


class TooLarge(InvalidInput):
    """A program would take more memory than it may, or more time than anybody has."""


class Memory:
    """A bound on the bytes that the process holds; half of what is free on top of what it holds, if none is given."""

    def __init__(self, limit: float | None = None) -> None:
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0):
            raise InvalidInput(f"A memory limit is a positive number of bytes, not {reprlib.repr(limit)}.")
        self.limit = in_use() + _SHARE * free() if limit is None else float(limit)

    def keep(self, needed: float) -> None:
        """Refuse to build what takes as many bytes if the limit has no room for it.

        Raises:
            TooLarge: if it has none.
        """
        if needed > _LITTLE and in_use() + needed > self.limit:
            raise TooLarge(
                f"A program would take about {_shown(needed)}, more than the memory limit of {_shown(self.limit)} for "
                "everything leaves; raise the limit, or merge some categories."
            )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Have this limit kept by all that is called meanwhile, unless one is kept already."""
        before = _kept.set(_kept.get() or self)
        try:
            yield
        finally:
            _kept.reset(before)


_kept: ContextVar[Memory | None] = ContextVar("kept memory", default=None)


def keep_memory(needed: float) -> None:
    """Refuse to build what takes as many bytes if a limit is kept that has no room for it.

    Raises:
        TooLarge: if it has none.
    """
    memory = _kept.get()
    if memory is not None:
        memory.keep(needed)


def in_use() -> int:
    """Return the bytes that the process holds now; where that cannot be told, the most it has held."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def free() -> int:
    """Return the bytes that the machine, the process and the group of processes that it is in have left."""
    found = [part for part in (_free_of_machine(), _free_of_group(), _free_of_process()) if part is not None]
    # Where nothing is told, a small machine is assumed.
    return min(found, default=4 << 30)


def _free_of_machine() -> int | None:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) * 1024
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def _free_of_group() -> int | None:
    """What a container may still take, where it has a limit of its own."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            return max(0, int(Path(limit).read_text()) - int(Path(used).read_text()))
    return None


def _free_of_process() -> int | None:
    """What the process may still take of addresses, where it has a limit of its own."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    with suppress(OSError, ValueError, IndexError):
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return None if most == resource.RLIM_INFINITY else max(0, most - taken)
    return None


def _shown(amount: float) -> str:
    return f"{amount / MEBIBYTE:,.0f} MiB"
