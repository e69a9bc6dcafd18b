"""Partitioned folders: released partition by partition, estimated back, and refused where they would tell too much."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.mechanism import randomised_response
from epstar.release import Column, Ledger, Release, estimate, estimate_by, read_release, release
from epstar.release.partition import partitioned_files
from epstar.universe import Alphabet

SEX = Column("sex", mechanism=randomised_response(Alphabet(["f", "m"]), 1))
TOWNS = {"town=north/year=2024": 40, "town=old%20town/year=2024": 60, "town=__HIVE_DEFAULT_PARTITION__/year=2025": 20}
TABLE = pa.table({"sex": ["f", "m", "f", "f"] * 5, "age": list(range(20))})


@pytest.fixture(params=["parquet", "csv"])
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "people"
    for inside, rows in TOWNS.items():
        (folder / inside).mkdir(parents=True)
        write = pq.write_table if request.param == "parquet" else arrow_csv.write_csv
        write(pa.concat_tables([TABLE] * (rows // 20)), folder / inside / f"part-0.{request.param}")
    (folder / "_SUCCESS").touch()
    return folder


def released(people: Path, **more: object) -> Release:
    keep = more.pop("keep", ["town", "year"])
    assert isinstance(keep, list | str)
    ledger = more.pop("ledger", None)
    assert ledger is None or isinstance(ledger, Path)
    return release(people, people.parent / "out", SEX, keep=keep, ledger=ledger)


def test_the_partitions_come_back_and_no_file_holds_their_columns(people: Path) -> None:
    done = released(people)
    folder = people.parent / "out"
    assert [inside for _, inside in partitioned_files(folder)] == sorted(TOWNS)
    names = [entry["name"].rpartition("/")[0] for entry in done.document["tables"]]
    assert names == sorted(TOWNS)
    assert done.document["passed_through"] == ["town", "year"]
    assert done.dropped == ("age",)
    assert done.rows == sum(TOWNS.values())
    for path, _ in partitioned_files(folder):
        read = pq.read_table(path, partitioning=None) if path.suffix == ".parquet" else arrow_csv.read_csv(path)
        assert read.column_names == ["sex"]
    assert read_release(folder / "_release.json") == done.document


def test_columns_of_partitions_are_columns_of_an_estimate(people: Path) -> None:
    released(people)
    folder = people.parent / "out"
    found = estimate_by(folder, "sex", ["year"])
    assert [(one.group[0][1], one.rows) for one in found] == [("2024", 100), ("2025", 20)]
    # A missing value is none to tabulate by, as everywhere.
    with pytest.raises(InvalidInput, match="missing values"):
        estimate_by(folder, "sex", "town")
    assert estimate(folder, "year").frequency("2025") == pytest.approx(1 / 6)
    assert estimate(folder, ["sex", "year"], where={"year": "2025"}).rows == 20
    assert estimate(folder, "sex", any_table=True, where={"year": "2024"}).rows == 100
    shutil.rmtree(folder / "town=__HIVE_DEFAULT_PARTITION__")
    assert {one.group[0][1]: one.rows for one in estimate_by(folder, "sex", "town", any_table=True)} == {
        "north": 40,
        "old town": 60,
    }


def test_a_partitioned_folder_is_counted_and_known_again(people: Path) -> None:
    book = people.parent / "book"
    released(people, ledger=book)
    (people / "town=north").rename(people / "town=south")
    with pytest.raises(InvalidInput, match="knows a release of this table"):
        release(people, people.parent / "again", SEX, keep=["town", "year"], ledger=book)
    assert len(Ledger.at(book).account().entries) == 1


@pytest.mark.parametrize(
    ("column", "keep", "sentence"),
    [
        (SEX, [], "named after column 'town'"),
        (SEX, ["town"], "named after column 'year'"),
        (Column("town", mechanism=randomised_response(Alphabet(["north", "south"]), 1)), ["year"], "column 'town'"),
    ],
)
def test_a_column_that_folders_tell_must_pass_through(
    people: Path, column: Column, keep: list[str], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        release(people, people.parent / "out", column, keep=keep)
    assert not (people.parent / "out").exists()


@pytest.mark.parametrize(
    "inside", ["other", "=x", "town=north/deeper", "town=a/town=b/year=1", "year=1/town=a", "town=b"]
)
def test_other_folders_inside_are_refused(people: Path, inside: str) -> None:
    (people / inside).mkdir(parents=True)
    pq.write_table(TABLE, people / inside / "part-1.parquet")
    with pytest.raises(InvalidInput, match=r"release each|same name"):
        released(people)
    assert not (people.parent / "out").exists()


def test_a_loop_and_a_column_that_is_in_the_files_as_well_are_refused(people: Path) -> None:
    (people / "loop=1").symlink_to(people)
    with pytest.raises(InvalidInput, match="release each"):
        released(people)
    (people / "loop=1").unlink()
    twice = people.parent / "twice"
    (twice / "age=3").mkdir(parents=True)
    pq.write_table(TABLE, twice / "age=3" / "part-0.parquet")
    with pytest.raises(InvalidInput, match="same name"):
        release(twice, people.parent / "out", SEX, keep_others=True)


def test_the_command_line_releases_and_estimates_partitions(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["release", str(people), "--column", "sex", "--categories", "f,m", "--loss", "1"]
    out = str(people.parent / "out")
    assert main([*words, "-o", out]) == 2
    assert "`--keep`" in capsys.readouterr().err
    assert main([*words, "--keep", "town,year", "-o", out]) == 0
    assert "town, year" in capsys.readouterr().out
    assert main(["estimate", out, "--column", "sex", "--by", "year", "--json"]) == 0
    assert main(["report", f"{out}/_release.json", "-o", f"{out}.html"]) == 0
    assert main(["audit", f"{out}/_release.json", "--table", out]) == 0
