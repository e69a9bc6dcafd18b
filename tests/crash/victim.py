"""A process that releases a table whenever it is told to, in a child that can be killed.

Forking after the imports makes a trial take milliseconds. It reads one line for each trial, with the input and
the output as JSON, and answers with the process number of the child and then with how the child ended.
"""

from __future__ import annotations

import json
import os
import sys

import pyarrow.csv
import pyarrow.parquet
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet

# Loaded before the first fork, so that the time of a trial is that of the release.
LOADED = (pyarrow.csv, pyarrow.parquet, Cipher, algorithms, modes)
COLUMN = Column("x", mechanism=randomised_response(Alphabet(["a", "b", "c", "d"]), 1))


def main() -> None:
    for line in sys.stdin:
        source, output = json.loads(line)
        child = os.fork()
        if child == 0:
            release(source, output, COLUMN, force=True)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
