"""No private value and no random number gets out by a message, a log, a traceback or a file that is left."""

import logging
import os
import traceback
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from epstar.errors import EpstarError
from epstar.mechanism import randomised_response
from epstar.release import Categories, Column, NoEntropy, release
from epstar.release.keystream import Keystream
from epstar.universe import Alphabet

CANARY = "CANARY-7319"
LABELS = ["a", "b"]
COLUMN = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))


def everything_said(error: BaseException) -> str:
    """The message, the traceback, and the same of every error that is attached."""
    said, waiting, seen = "", [error], set()
    while waiting:
        found = waiting.pop()
        if id(found) not in seen:
            seen.add(id(found))
            said += "".join(traceback.format_exception(found)) + repr(found) + repr(vars(found))
            waiting += [part for part in (found.__cause__, found.__context__) if part is not None]
    return said


TABLES = {
    "an unknown text": ("in.parquet", pa.table({"x": ["a", CANARY]}), COLUMN),
    "an unknown text in a dictionary": (
        "in.parquet",
        pa.table({"x": pa.array(["a", CANARY]).dictionary_encode()}),
        COLUMN,
    ),
    "an unknown number": (
        "in.parquet",
        pa.table({"x": [0, 7319]}),
        Column("x", mechanism=randomised_response(Alphabet(2), 1)),
    ),
    "a missing value beside one": ("in.parquet", pa.table({"x": ["a", None], "y": [CANARY, CANARY]}), COLUMN),
    "a wrong type": ("in.parquet", pa.table({"x": [[CANARY]]}), COLUMN),
    "bytes": ("in.parquet", pa.table({"x": [CANARY.encode()]}), COLUMN),
    "an unknown text in CSV": ("in.csv", f"x,y\na,1\n{CANARY},2\n", COLUMN),
    "a long row in CSV": ("in.csv", f"x,y\na,1\na,{CANARY},2\n", COLUMN),
    "a short row in CSV": ("in.csv", f"x,y\na,1\n{CANARY}\n", COLUMN),
    "bytes that are no text in CSV": ("in.csv", f"x,y\na,{CANARY}".encode() + b"\xff\xfe\n", COLUMN),
    "a joint column": (
        "in.parquet",
        pa.table({"x": ["a", "a"], "y": ["a", CANARY]}),
        Column(
            ("x", "y"),
            [Categories(LABELS), Categories(LABELS)],
            mechanism=randomised_response(Alphabet([(p, q) for p in LABELS for q in LABELS]), 1),
        ),
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_no_error_quotes_the_table(
    tmp_path: Path, case: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    name, content, column = TABLES[case]
    path = tmp_path / name
    if isinstance(content, str | bytes):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    else:
        pq.write_table(content, path)
    with pytest.raises(EpstarError) as caught:
        release(path, tmp_path / "out.parquet", column)
    said = everything_said(caught.value) + "".join(capfd.readouterr()) + caplog.text
    assert CANARY not in said
    assert "7319" not in said
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_a_value_that_does_not_fit_the_output_is_not_quoted(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": ["a"], "y": [[CANARY]]}), tmp_path / "in.parquet")
    with pytest.raises(EpstarError) as caught:
        release(tmp_path / "in.parquet", tmp_path / "out.csv", COLUMN, keep="y")
    assert CANARY not in everything_said(caught.value)


def test_neither_key_nor_keystream_is_said_or_logged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    keys, filled = [], []
    urandom, fill = os.urandom, Keystream.fill

    def watched_urandom(size: int) -> bytes:
        keys.append(urandom(size))
        return keys[-1]

    def watched_fill(self: Keystream, into: NDArray[np.uint8]) -> None:
        fill(self, into)
        filled.append(into.tobytes())
        if len(filled) == 2:
            raise NoEntropy("The operating system gave no random key; nothing was released.")

    monkeypatch.setattr(os, "urandom", watched_urandom)
    monkeypatch.setattr(Keystream, "fill", watched_fill)
    pq.write_table(pa.table({"x": ["a"] * 300_000}), tmp_path / "in.parquet")
    with pytest.raises(NoEntropy) as caught:
        release(tmp_path / "in.parquet", tmp_path / "out.parquet", COLUMN)
    said = everything_said(caught.value) + "".join(capfd.readouterr()) + caplog.text
    for secret in [*keys, *(part[:16] for part in filled)]:
        assert secret.hex() not in said
        assert repr(secret)[2:-1] not in said
    assert [item.name for item in tmp_path.iterdir()] == ["in.parquet"]


def test_a_private_column_that_is_not_named_is_not_even_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": ["a", "b"], "secret": [CANARY, CANARY]}), tmp_path / "in.parquet")
    found = release(tmp_path / "in.parquet", tmp_path / "out.parquet", COLUMN)
    assert CANARY.encode() not in (tmp_path / "out.parquet").read_bytes()
    assert CANARY not in found.release_file.read_text(encoding="utf-8")


def test_the_dictionary_of_the_private_table_does_not_pass_into_the_released_one(tmp_path: Path) -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b", CANARY]))
    pq.write_table(pa.table({"x": values}), tmp_path / "in.parquet")
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", COLUMN)
    assert CANARY.encode() not in (tmp_path / "out.parquet").read_bytes()


def test_the_watch_hears_what_it_listens_for() -> None:
    def clumsy() -> None:
        try:
            raise ValueError(CANARY)
        except ValueError:
            raise EpstarError("quiet") from None

    with pytest.raises(EpstarError) as caught:
        clumsy()
    assert CANARY in everything_said(caught.value)
