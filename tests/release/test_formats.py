"""Formats of tables: separators, compression, encodings and Arrow files, each released and read back alike."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.mechanism import identity
from epstar.release import Column, estimate, read_release, release
from epstar.universe import Alphabet

VALUES = ["ja", "nein", "weiß nicht"]
TOWNS = ["Köln; am Rhein", 'die "Stadt"', "a\tb, c", "zwei\nZeilen"]
ROWS = [(VALUES[k % 3], TOWNS[k % 4]) for k in range(24)]
KEPT = Column("x", mechanism=identity(Alphabet(VALUES)))


def lines(separator: str) -> str:
    def field(text: str) -> str:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'

    return "\n".join(separator.join(map(field, row)) for row in [("x", "town"), *ROWS]) + "\n"


def written(folder: Path, name: str, separator: str = ",", encoding: str = "utf-8") -> Path:
    place = folder / name
    text = lines(separator).encode(encoding)
    if name.endswith(".gz"):
        place.write_bytes(gzip.compress(text))
    elif name.endswith(".zst"):
        place.write_bytes(pa.Codec("zstd").compress(text, asbytes=True))
    elif name.endswith((".arrow", ".feather")):
        table = pa.table({"x": [row[0] for row in ROWS], "town": [row[1] for row in ROWS]})
        pf.write_feather(table.set_column(0, "x", table["x"].dictionary_encode()), place, chunksize=7)
    elif name.endswith(".parquet"):
        pq.write_table(pa.table({"x": [row[0] for row in ROWS], "town": [row[1] for row in ROWS]}), place)
    else:
        place.write_bytes(text)
    return place


@pytest.mark.parametrize(
    "given", ["i.csv", "i.tsv", "i.csv.gz", "i.tsv.gz", "i.csv.zst", "i.arrow", "i.feather", "i.parquet"]
)
@pytest.mark.parametrize("output", ["o.csv", "o.tsv.gz", "o.csv.zst", "o.arrow", "o.parquet"])
def test_every_format_leads_to_every_other(given: str, output: str, tmp_path: Path) -> None:
    place = written(tmp_path, given, "\t" if ".tsv" in given else ",")
    release(place, tmp_path / output, KEPT, keep="town")
    found = estimate(tmp_path / output, ["x", "town"])
    counts = {cell.labels: round(24 * (cell.frequency or 0)) for cell in found.cells}
    assert counts == {(x, town): ROWS.count((x, town)) for x in VALUES for town in TOWNS}


@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "utf-8"), ("|", "latin-1"), ("tab", "utf-16"), (",", "cp1252")]
)
def test_separators_and_encodings(separator: str, encoding: str, tmp_path: Path) -> None:
    place = written(tmp_path, "in.csv", "\t" if separator == "tab" else separator, encoding)
    done = release(place, tmp_path / "out.csv", KEPT, keep="town", separator=separator, encoding=encoding)
    assert "Köln" in done.output.read_text(encoding="utf-8")
    entry = read_release(done.release_file)["tables"][0]
    assert entry.get("separator") == {"tab": "\t", ",": None}.get(separator, separator)
    assert estimate(done.output, "town").rows == 24


def test_a_folder_of_several_formats(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.csv.gz", "b.parquet", "c.arrow"):
        written(tmp_path / "in", name)
    release(tmp_path / "in", tmp_path / "out", KEPT, keep="town")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "_release.json",
        "a.csv.gz",
        "b.parquet",
        "c.arrow",
    ]
    assert estimate(tmp_path / "out", "x").rows == 72


def test_bad_formats_are_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "in.csv")
    written(tmp_path, "latin.csv", encoding="latin-1")
    whole = written(tmp_path, "whole.csv.gz").read_bytes()
    Path("half.csv.gz").write_bytes(whole[:-9])
    Path("plain.csv.gz").write_text(lines(","))
    Path("text.arrow").write_text(lines(","))
    Path("table.xlsx").write_text(lines(","))
    Path("table.parquet.gz").write_text(lines(","))
    plain = ["--column", "x", "--categories", ",".join(VALUES), "--loss", "1"]
    for given, options in (
        ("latin.csv", []),
        ("half.csv.gz", []),
        ("plain.csv.gz", []),
        ("text.arrow", []),
        ("table.xlsx", []),
        ("table.parquet.gz", []),
        ("in.csv", ["--separator", ";"]),
        ("in.csv", ["--separator", "ab"]),
        ("in.csv", ["--separator", ""]),
        ("in.csv", ["--separator", "a"]),
        ("in.csv", ["--separator", '"']),
        ("in.csv", ["--encoding", "no-such"]),
        ("in.csv", ["--encoding", "base64"]),
        ("in.csv", ["--encoding", "utf-16"]),
        ("in.csv", ["-o", "out.xlsx"]),
        ("in.csv", ["-o", "out.arrow.gz"]),
    ):
        output = [] if "-o" in options else ["-o", "out.csv"]
        assert main(["release", given, *plain, *options, *output]) == 2, (given, options)
        said = capsys.readouterr().err
        assert said.startswith("epstar: ")
        assert said.count("\n") == 1
        assert not list(tmp_path.glob("out*"))


def test_dictionaries_keep_their_type_in_arrow_files_and_hold_what_rows_hold(tmp_path: Path) -> None:
    kinds = {"k": pa.dictionary(pa.int32(), pa.string()), "z": pa.dictionary(pa.int8(), pa.string())}
    released = pa.array(["a", "b", "a"]).dictionary_encode()
    kept = pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.int8()), ["x", "nobody", "y"])
    table = pa.table({"k": released, "z": kept})
    with pa.OSFile(str(tmp_path / "in.arrow"), "wb") as handle, pa.ipc.new_file(handle, table.schema) as writer:
        writer.write_table(table)
    # Row groups of a Parquet file have dictionaries of their own.
    parts = [table, table.set_column(1, "z", pa.array(["y", "new", None]).dictionary_encode().cast(kinds["z"]))]
    pq.write_table(pa.concat_tables(parts).unify_dictionaries(), tmp_path / "in.parquet", row_group_size=2)
    column = Column("k", ["a", "b"], mechanism=identity(Alphabet(["a", "b"])))
    for name, wanted in (("in.arrow", ["y", None, "x"]), ("in.parquet", ["y", None, "x", "y", "new", None])):
        release(tmp_path / name, tmp_path / "out.arrow", column, keep="z", force=True)
        found = pa.ipc.open_file(str(tmp_path / "out.arrow")).read_all()
        assert found.schema.field("k").type == kinds["k"]
        assert found["z"].to_pylist() == wanted
        assert pa.types.is_dictionary(found.schema.field("z").type)
        assert "nobody" not in found["z"].chunk(0).dictionary.to_pylist()
