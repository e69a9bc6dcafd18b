"""A process that releases a table whenever it is told to, in a child that can be killed.

Forking after the imports makes a trial short. It reads one line for each trial, with the input, the output, the call
at which to die (0: none) and whether a table may be replaced as JSON, and answers with the number of the child and then
with how the child ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pyarrow.csv
import pyarrow.parquet
import scipy.linalg
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet

# Loaded before the first fork, so that the time of a trial is that of the release; pyarrow looks for pandas itself.
LOADED = (import_module("pandas"), pyarrow.csv, pyarrow.parquet, scipy.linalg, Cipher, algorithms, modes)
COLUMN = Column("x", mechanism=randomised_response(Alphabet(["a", "b", "c", "d"]), 1))


CALLS = ("open", "fsync", "link", "replace", "unlink")


def die_at(last: int) -> None:
    """Let this process be killed just before that one of its calls to the system that create, sync or name files."""
    made = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            nonlocal made
            made += 1
            if made == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return wrapped

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


def main() -> None:
    for line in sys.stdin:
        source, output, last, force = json.loads(line)
        child = os.fork()
        if child == 0:
            if last:
                die_at(last)
            release(source, output, COLUMN, force=force)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
