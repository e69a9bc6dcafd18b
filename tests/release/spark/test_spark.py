"""Releases of DataFrames on a cluster of two workers: one answer for each row, whatever fails or is repeated."""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binom

from epstar.errors import InvalidInput
from epstar.mechanism import randomised_response
from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, Ledger, SecretKey, Settings, WriteFailed, estimate, proxy, read_release
from epstar.release import release as local_release
from epstar.release.document import column_of
from epstar.release.place import digest_of
from epstar.release.spark import SparkRelease, keyed, release
from epstar.release.spark.task import applied
from epstar.universe import Alphabet

pytestmark = pytest.mark.xdist_group("spark")

LABELS = ["a", "b", "c", "d"]
ROWS = 40_000
PARTS = 4
COLUMN = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))
# All comparisons of one test together alarm once in a hundred thousand million times.
ALARM = 1e-11

Batches = Iterator[Any]


@pytest.fixture
def table(spark: Any) -> Any:
    """Rows that are numbered, with a private letter and a plain number."""
    letters = "element_at(array('a', 'b', 'c', 'd'), cast(id % 4 as int) + 1)"
    return spark.range(0, ROWS, 1, PARTS).selectExpr("id", f"{letters} as x", "id * 2 as twice")


def disturbed(dataframe: Any, disturbance: Callable[[Batches], Batches]) -> Any:
    """The same rows, passed through a function inside the tasks that write the release."""
    with pytest.warns(FutureWarning, match="pandas"):
        return dataframe.mapInArrow(disturbance, dataframe.schema)


def check_folder(found: SparkRelease, folder: Path) -> dict[int, str]:
    """Check that the folder holds one answer for each row and nothing else, and return the answers."""
    document = read_release(folder / "_release.json")
    assert document == found.document
    parts = {entry["name"]: entry for entry in document["tables"]}
    names = {path.name for path in folder.iterdir()}
    checksums = {f".{name}.crc" for name in (*parts, "_SUCCESS", "_release.json")}
    assert names - checksums == {*parts, "_SUCCESS", "_release.json"}
    assert [path.name for path in folder.parent.iterdir() if path.name.endswith(".part")] == []
    for name, entry in parts.items():
        assert digest_of(folder / name) == entry["sha256"]
        assert pq.read_metadata(folder / name).num_rows == entry["rows"]
    rows = pq.read_table(folder).to_pylist()
    assert len(rows) == found.rows == ROWS
    assert all(row["twice"] == 2 * row["id"] for row in rows)
    answers = {row["id"]: row["x"] for row in rows}
    assert sorted(answers) == list(range(ROWS))
    return answers


def check_law(answers: dict[int, str]) -> None:
    """Check the number of each answer to each letter against the mechanism."""
    assert COLUMN.mechanism is not None
    table = COLUMN.mechanism.dense().floats
    counts = Counter((number % 4, LABELS.index(answer)) for number, answer in answers.items())
    for x in range(4):
        for y in range(4):
            low, high = binom.ppf(ALARM / 32, ROWS // 4, table[x, y]), binom.isf(ALARM / 32, ROWS // 4, table[x, y])
            assert low <= counts[x, y] <= high


def test_a_dataframe_is_released_as_a_file_would_be(table: Any, tmp_path: Path) -> None:
    found = release(table, tmp_path / "out", COLUMN, keep_others=True)
    answers = check_folder(found, tmp_path / "out")
    check_law(answers)
    pq.write_table(pa.table({"id": [0], "x": ["a"], "twice": [0]}), tmp_path / "in.parquet")
    alone = local_release(tmp_path / "in.parquet", tmp_path / "alone.parquet", COLUMN, keep_others=True)
    differing = {"tables", "digest"}
    assert {k: v for k, v in found.document.items() if k not in differing} == {
        k: v for k, v in alone.document.items() if k not in differing
    }
    assert [part.type for part in pq.read_schema(tmp_path / "out" / found.document["tables"][0]["name"])] == [
        pa.int64(),
        pa.string(),
        pa.int64(),
    ]
    for cell in estimate(tmp_path / "out", "x", confidence="0.999999999999").cells:
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= 0.25 <= cell.upper


@pytest.mark.full
def test_two_releases_are_independent_and_so_are_partitions(table: Any, tmp_path: Path) -> None:
    first = check_folder(release(table, tmp_path / "first", COLUMN, keep_others=True), tmp_path / "first")
    second = check_folder(release(table, tmp_path / "second", COLUMN, keep_others=True), tmp_path / "second")
    assert COLUMN.mechanism is not None
    law = COLUMN.mechanism.dense().floats
    same = float((law[0] ** 2).sum())
    low, high = binom.ppf(ALARM / 4, ROWS, same), binom.isf(ALARM / 4, ROWS, same)
    assert low <= sum(first[row] == second[row] for row in first) <= high
    # The rows of two partitions have the same letters in the same order.
    half = ROWS // 2
    low, high = binom.ppf(ALARM / 4, half, same), binom.isf(ALARM / 4, half, same)
    assert low <= sum(first[row] == first[row + half] for row in range(half)) <= high


def test_a_worker_that_is_killed_leaves_no_second_answer(table: Any, tmp_path: Path) -> None:
    marks = tmp_path

    def killed(batches: Batches) -> Batches:
        import os
        import signal

        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        for number, batch in enumerate(batches):
            yield batch
            if task.partitionId() in (1, 2) and task.attemptNumber() == 0 and number == 4:
                (marks / f"killed-{task.partitionId()}").touch()
                # In one partition the process of Python, in the other the executor above it and its launcher.
                victim = os.getpid()
                if task.partitionId() == 2:
                    status = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8")
                    victim = int(status.rsplit(")", 1)[1].split()[1])
                os.kill(victim, signal.SIGKILL)

    found = release(disturbed(table, killed), tmp_path / "out", COLUMN, keep_others=True)
    assert {path.name for path in tmp_path.glob("killed-*")} == {"killed-1", "killed-2"}
    check_law(check_folder(found, tmp_path / "out"))


def test_a_speculative_attempt_leaves_no_second_answer(table: Any, tmp_path: Path) -> None:
    marks = tmp_path

    def straggling(batches: Batches) -> Batches:
        import time

        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        (marks / f"attempt-{task.partitionId()}-{task.attemptNumber()}").touch()
        for number, batch in enumerate(batches):
            yield batch
            if task.partitionId() == 0 and task.attemptNumber() == 0 and number == 4:
                time.sleep(120)

    found = release(disturbed(table, straggling), tmp_path / "out", COLUMN, keep_others=True)
    assert (tmp_path / "attempt-0-1").exists()
    check_law(check_folder(found, tmp_path / "out"))


def test_a_keyed_release_gives_the_same_answer_whenever_it_is_evaluated(table: Any, tmp_path: Path) -> None:
    key = SecretKey.fresh()
    found = keyed(table, COLUMN, identifier="id", key=key, keep=["id", "twice"])
    first = {row["id"]: row["x"] for row in found.dataframe.collect()}
    check_law(first)
    # Again, in other partitions and another order, from texts of another length of batch, and written to files.
    again = keyed(table.repartition(3, "twice"), COLUMN, identifier="id", key=key, keep="id")
    assert {row["id"]: row["x"] for row in again.dataframe.collect()} == first
    assert check_folder(found.write(tmp_path / "out"), tmp_path / "out") == first
    unrelated = keyed(table, COLUMN, identifier="id", key=SecretKey.fresh(), keep="id")
    other = {row["id"]: row["x"] for row in unrelated.dataframe.collect()}
    check_law(other)
    assert other != first
    assert found.document["randomness"] == {"kind": "keyed", "identifier": "id"}
    assert found.document["tables"] == []
    for form in (key.secret.hex(), repr(key.secret)[2:-1]):
        assert form not in json.dumps(found.document) + repr(found) + repr(key)


def test_other_columns_are_dropped_unless_they_are_named(table: Any, tmp_path: Path) -> None:
    found = release(table.limit(50), tmp_path / "out", COLUMN)
    assert found.document["passed_through"] == []
    assert pq.read_schema(tmp_path / "out" / found.document["tables"][0]["name"]).names == ["x"]
    # The identifier does not get out either, and rows are told apart all the same.
    silent = keyed(table.limit(50), COLUMN, identifier="id", key=SecretKey.fresh())
    assert silent.dataframe.columns == ["x"]
    with pytest.raises(InvalidInput, match="not both"):
        release(table, tmp_path / "both", COLUMN, keep="id", keep_others=True)


@pytest.mark.full
def test_an_identifier_may_be_a_text_and_need_not_be_released(table: Any) -> None:
    named = table.selectExpr("concat('person ', id) as `a.name`", "x", "id")
    found = keyed(named, COLUMN, identifier="a.name", key=SecretKey.fresh(), keep=["id"])
    assert found.dataframe.columns == ["x", "id"]
    first, second = ({row["id"]: row["x"] for row in found.dataframe.collect()} for _ in range(2))
    assert first == second
    check_law(first)


@pytest.mark.parametrize(
    ("identifier", "fragment"),
    [
        ("letter", "missing in a row or the same in several"),
        ("some", "missing in a row or the same in several"),
        ("x", "that is not released"),
        ("nowhere", "has no column"),
        ("half", "cannot be keyed"),
    ],
)
def test_identifiers_that_do_not_tell_rows_apart_are_refused(table: Any, identifier: str, fragment: str) -> None:
    wide = table.limit(50).selectExpr(
        "*", "x as letter", "case when id % 7 > 0 then id end as some", "cast(id as double) / 2 as half"
    )
    with pytest.raises(InvalidInput, match=fragment):
        keyed(wide, COLUMN, identifier=identifier, key=SecretKey.fresh())


def test_what_does_not_fit_is_said_in_one_sentence_and_nothing_of_the_table(
    table: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="epstar")
    (tmp_path / "taken").mkdir()
    canary = table.selectExpr("id", "if(id = 39999, 'CANARY-7319', x) as x")
    cases: list[tuple[Any, str, Column | list[Column], str]] = [
        (canary, "out", COLUMN, "not among its declared categories"),
        (table.selectExpr("id", "if(id = 39999, null, x) as x"), "out", COLUMN, "has a missing value"),
        (table, "taken", COLUMN, "exists already"),
        (table, "nowhere/out", COLUMN, "does not exist"),
        (table, "out", Column("y", LABELS), "no column 'y'"),
        (table, "out", Column("id", ["0", "1"], mechanism=randomised_response(Alphabet(["0", "1"]), 1)), "cannot hold"),
        (table, "out", [], "at least one"),
        (table.select("id", "x", "x"), "out", COLUMN, "same name"),
    ]
    for dataframe, name, columns, fragment in cases:
        with pytest.raises(InvalidInput, match=fragment) as caught:
            release(dataframe, tmp_path / name, columns)
        error = caught.value
        assert error.__cause__ is None
        assert error.__context__ is None
        assert "CANARY" not in str(error)
        assert "\n" not in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert "CANARY" not in "".join(capfd.readouterr()) + caplog.text


@pytest.mark.full
def test_an_error_of_spark_itself_is_one_sentence_too(table: Any, tmp_path: Path) -> None:
    broken = table.selectExpr("id", "if(id = 39999, raise_error(concat('CANARY ', x)), x) as x")
    with pytest.raises(WriteFailed, match="could not finish") as caught:
        release(broken, tmp_path / "out", COLUMN)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__context__ is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.full
def test_the_optimal_mechanism_of_several_columns_and_a_joint_alphabet(table: Any, tmp_path: Path) -> None:
    wide = table.selectExpr("id", "x", "cast(id % 2 as int) as bit", "if(id % 5 = 0, null, x) as gap", "twice")
    columns = [
        Column(("x", "bit"), [Categories(LABELS), Categories([0, 1])]),
        Column("gap", Categories([*LABELS, "none"], missing="none")),
    ]
    found = release(wide, tmp_path / "out", columns, notion=DifferentialPrivacy(), loss=2, keep=["id", "twice"])
    check_folder(found, tmp_path / "out")
    assert 3.999 < found.document["per_record"]["upper"] <= 4
    assert [column_of(entry).names for entry in found.document["columns"]] == [("x", "bit"), ("gap",)]
    rows = pq.read_table(tmp_path / "out")
    assert rows.schema.field("bit").type == pa.int32()
    assert set(rows["gap"].to_pylist()) == {*LABELS, "none"}


@pytest.mark.full
def test_a_dataframe_with_fresh_bits_would_answer_twice(table: Any) -> None:
    # What is never handed out: the check that the tests above would notice it.
    from epstar.release.spark.frame import _Frame

    frame = _Frame.of(table, Settings(COLUMN, keep_others=True))
    lazy = applied(frame.kernel, table)
    first, second = ({row["id"]: row["x"] for row in lazy.collect()} for _ in range(2))
    assert np.mean([first[row] != second[row] for row in first]) > 0.3


def test_a_stream_is_refused_and_its_batches_are_released_once(spark: Any, table: Any, tmp_path: Path) -> None:
    key, source = SecretKey.fresh(), tmp_path / "source"
    table.limit(300).coalesce(1).write.parquet(str(source))
    stream = spark.readStream.schema(table.schema).parquet(str(source))
    with pytest.raises(InvalidInput, match="foreachBatch"):
        keyed(stream, COLUMN, identifier="id", key=key)
    with pytest.raises(InvalidInput, match="foreachBatch"):
        release(stream, tmp_path / "out", COLUMN)
    batches: list[dict[int, str]] = []

    def release_batch(batch: Any, _: int) -> None:
        # As if the first attempt had failed after it was written.
        for _ in range(2):
            found = keyed(batch, COLUMN, identifier="id", key=key, keep="id")
            batches.append({row["id"]: row["x"] for row in found.dataframe.collect()})

    query = stream.writeStream.foreachBatch(release_batch).option("checkpointLocation", str(tmp_path / "marks"))
    query.trigger(availableNow=True).start().awaitTermination()
    assert len(batches) == 2
    assert batches[0] == batches[1]
    assert len(batches[0]) == 300
    found = keyed(table, COLUMN, identifier="id", key=key)
    counts = found.dataframe.groupBy("x").count().toArrow()
    assert estimate(counts, "x", release_file=found.document, any_table=True, count="count").rows == ROWS


def test_a_ledger_counts_once_and_knows_the_same_rows_again(table: Any, tmp_path: Path) -> None:
    few, book, key = table.where("id < 6").coalesce(1), tmp_path / "book", SecretKey.fresh()
    found = release(few, tmp_path / "out", COLUMN, keep=["id", "twice"], ledger=book, partition_by=["twice"])
    assert len(found.document["tables"]) == 6
    assert all(entry["name"].startswith("twice=") for entry in found.document["tables"])
    assert estimate(tmp_path / "out", ["x", "twice"], where={"twice": "4"}).rows == 1
    # The same rows in another order are the same table, and other rows another.
    again = few.repartition(2, "id").sortWithinPartitions("x")
    with pytest.raises(InvalidInput, match="knows a release of this table"):
        release(again, tmp_path / "second", COLUMN, ledger=book)
    with pytest.raises(InvalidInput, match="pass through"):
        release(few, tmp_path / "third", COLUMN, partition_by="x")
    answers = []
    for _ in range(2):
        permanent = keyed(again, COLUMN, key=key, identifier="id", keep="id", ledger=book, again=True)
        answers.append({row["id"]: row["x"] for row in permanent.dataframe.collect()})
    assert answers[0] == answers[1]
    entries = Ledger.at(book).account().entries
    assert [entry.output for entry in entries] == ["out", "The DataFrame", "The DataFrame"]
    assert entries[0].loss == entries[1].loss
    assert entries[2].loss == 0
    # A job that fails is no release, and is not counted.
    with pytest.raises(InvalidInput, match="declared categories"):
        release(few.selectExpr("id", "concat(x, 'y') as x"), tmp_path / "fourth", COLUMN, ledger=book)
    assert len(Ledger.at(book).account().entries) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"out", "book"}


def test_a_secret_behind_a_column_is_protected_by_the_same_kernel(table: Any, tmp_path: Path) -> None:
    counts = [[9, 1], [6, 4], [4, 6], [1, 9]]
    column = proxy("x", LABELS, "income", ["low", "high"], counts, notion=DifferentialPrivacy(), loss="1/2")
    found = release(table, tmp_path / "out", column, keep=["id", "twice"])
    answers = check_folder(found, tmp_path / "out")
    (entry,) = found.document["columns"]
    assert found.document["per_secret"][0]["upper"] <= 0.5
    assert entry["secret"]["proof"] is not None
    mechanism = column_of(entry).mechanism
    assert mechanism is not None
    drawn = Counter((number % 4, answers[number]) for number in range(ROWS))
    for x, row in enumerate(mechanism.dense().floats):
        for label, chance in zip(LABELS, row, strict=True):
            low, high = binom.interval(1 - ALARM, ROWS // 4, chance)
            assert low <= drawn[x, label] <= high
