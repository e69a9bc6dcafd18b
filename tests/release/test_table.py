"""CSV and Parquet in and out: what passes through is unchanged, and what is malformed is quoted nowhere."""

import csv
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.mechanism import identity
from epstar.release import Categories, Column, estimate, release
from epstar.universe import Alphabet

KEEP = Column("k", mechanism=identity(Alphabet(["a", "b"])))
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)


def write_csv(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([header, *rows])


def read_csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.reader(handle))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(TEXT, st.sampled_from("ab"), TEXT), min_size=1, max_size=6))
def test_every_text_passes_through_csv_unchanged(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    write_csv(folder / "in.csv", ["x", "k", "y"], [list(row) for row in rows])
    release(folder / "in.csv", folder / "out.csv", KEEP, keep=["x", "y"])
    assert read_csv(folder / "out.csv") == [["x", "k", "y"], *(list(row) for row in rows)]


@settings(deadline=None, max_examples=60)
@given(st.data(), st.lists(TEXT, min_size=1, max_size=5, unique=True), st.integers(1, 2), st.sampled_from(",;\t"))
def test_lines_of_released_categories_are_written_as_any_others(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, labels: list[str], count: int, separator: str
) -> None:
    # They are looked up, several lines at a time; what remains of a batch is looked up one by one.
    folder = tmp_path_factory.mktemp("lines")
    names = ["k", "l"][:count]
    rows = data.draw(st.lists(st.lists(st.sampled_from(labels), min_size=count, max_size=count), max_size=30))
    columns = [Column(name, labels, mechanism=identity(Alphabet(labels))) for name in names]
    table = {name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(names)}
    pq.write_table(pa.table(table), folder / "in.parquet")
    release(folder / "in.parquet", folder / "out.csv", columns, separator=separator)
    with (folder / "out.csv").open(encoding="utf-8", newline="") as handle:
        assert list(csv.reader(handle, delimiter=separator)) == [names, *rows]


def test_digits_are_not_taken_for_numbers_and_quotes_come_only_where_needed(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,k,z\n007,a,1.10\n008,b,\n", encoding="utf-8")
    release(tmp_path / "in.csv", tmp_path / "out.csv", KEEP, keep_others=True)
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "id,k,z\n007,a,1.10\n008,b,\n"


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"\xef\xbb\xbfk,z\na,1\n")
    release(tmp_path / "in.csv", tmp_path / "out.csv", KEEP, keep="z")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "k,z\na,1\n"


def test_a_single_column_keeps_its_empty_fields(tmp_path: Path) -> None:
    mechanism = identity(Alphabet(["", "b"]))
    pq.write_table(pa.table({"k": ["", "b", ""]}), tmp_path / "in.parquet")
    release(tmp_path / "in.parquet", tmp_path / "out.csv", Column("k", mechanism=mechanism))
    assert read_csv(tmp_path / "out.csv") == [["k"], [""], ["b"], [""]]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_without_rows_is_released_without_rows(tmp_path: Path, ending: str) -> None:
    (tmp_path / "in.csv").write_text("k,z\n", encoding="utf-8")
    found = release(tmp_path / "in.csv", tmp_path / f"out.{ending}", KEEP, keep_others=True)
    assert found.rows == 0
    if ending == "parquet":
        assert pq.read_table(tmp_path / "out.parquet").schema.names == ["k", "z"]
    with pytest.raises(InvalidInput, match="no rows"):
        estimate(tmp_path / f"out.{ending}", "k")


def test_types_and_values_pass_through_parquet_unchanged(tmp_path: Path) -> None:
    when = datetime(2024, 1, 2, tzinfo=UTC)
    table = pa.table(
        {
            "k": pa.array(["a", "b", "a"], pa.large_string()),
            "time": pa.array([when, None, when], pa.timestamp("us", "Europe/Paris")),
            "list": [[1, 2], [], None],
            "nested": [{"a": 1}, {"a": None}, None],
            "category": pa.array(["x", None, "y"]).dictionary_encode(),
            "small": pa.array([1, 2, None], pa.int8()),
            "decimal": pa.array([1, 2, 3]).cast(pa.decimal128(21, 2)),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", KEEP, keep_others=True)
    assert pq.read_table(tmp_path / "out.parquet").equals(table)
    with pytest.raises(InvalidInput, match="write Parquet instead"):
        release(tmp_path / "in.parquet", tmp_path / "out.csv", KEEP, keep_others=True)


def test_metadata_does_not_pass_through(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("k", pa.string(), metadata={"secret": "one"})], metadata={"secret": "two"})
    pq.write_table(pa.table({"k": ["a"]}, schema=schema), tmp_path / "in.parquet")
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", KEEP)
    assert b"secret" not in (tmp_path / "out.parquet").read_bytes()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int8(), pa.uint64(), pa.float32(), pa.bool_()])
@pytest.mark.parametrize("as_dictionary", [False, True])
def test_a_released_column_keeps_its_type(tmp_path: Path, kind: pa.DataType, as_dictionary: bool) -> None:
    labels: list[str] | list[int] | list[bool] = [0, 1]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        labels = ["a", "b"]
    if pa.types.is_boolean(kind):
        labels = [False, True]
    values = pa.array([labels[1], labels[0], labels[1]], kind)
    given = values.dictionary_encode() if as_dictionary else values
    pq.write_table(pa.table({"k": given}), tmp_path / "in.parquet")
    column = Column("k", labels, mechanism=identity(Alphabet(labels)))
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", column)
    found = pq.read_table(tmp_path / "out.parquet")["k"]
    # Parquet itself forgets that the values of a dictionary were large, and has no dictionaries of numbers.
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    assert found.type == (pa.dictionary(pa.int32(), pa.string()) if as_dictionary and is_text else kind)
    assert found.to_pylist() == values.to_pylist()


def test_many_batches_and_row_groups_keep_their_order(tmp_path: Path) -> None:
    rows = 700_000
    table = pa.table({"k": pa.array(["a", "b"] * (rows // 2)), "n": pa.array(range(rows))})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=100_000)
    done: list[int] = []
    found = release(tmp_path / "in.parquet", tmp_path / "out.parquet", KEEP, keep="n", progress=done.append)
    assert found.rows == done[-1] == rows
    assert done == sorted(set(done))
    assert pq.read_table(tmp_path / "out.parquet").equals(table)


@pytest.mark.parametrize(
    ("name", "content", "fragment"),
    [
        ("in.csv", b"k,z\na,1\nb,SECRET,2\n", "cannot be read as csv"),
        ("in.csv", b"k,z\na,SECRET\xff\n", "cannot be read as csv"),
        ("in.csv", b"", "no header"),
        ("in.csv", b"k,k\na,SECRET\n", "same name"),
        ("in.csv", b"z\nSECRET\n", "no column 'k'"),
        ("in.parquet", b"SECRET", "cannot be read as parquet"),
        ("in.parquet", b"PAR1SECRETPAR1", "cannot be read as parquet"),
        ("in.txt", b"SECRET", "unknown"),
    ],
)
def test_malformed_tables_are_refused_in_one_sentence(tmp_path: Path, name: str, content: bytes, fragment: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=fragment) as caught:
        release(tmp_path / name, tmp_path / "out.parquet", KEEP)
    assert "SECRET" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_is_released_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        pq.write_table(pa.table({"k": ["a", "b"] * (number + 1)}), tmp_path / "in" / f"part-{number}.parquet")
    (tmp_path / "in" / "more.csv").write_text("k\na\n", encoding="utf-8")
    found = release(tmp_path / "in", tmp_path / "out", KEEP)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["_release.json", "more.csv", "part-0.parquet", "part-1.parquet", "part-2.parquet"]
    assert found.rows == 13
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    assert estimate(tmp_path / "out", "k").frequency("a") == pytest.approx(7 / 13)
    with pytest.raises(InvalidInput, match="exists already"):
        release(tmp_path / "in", tmp_path / "out", KEEP, force=True)
    (tmp_path / "in" / "_hidden").mkdir()
    assert release(tmp_path / "in", tmp_path / "again", KEEP).rows == 13
    (tmp_path / "in" / "deeper").mkdir()
    with pytest.raises(InvalidInput, match="would be left out"):
        release(tmp_path / "in", tmp_path / "third", KEEP)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (pa.date32(), ["2026-01-31", "2026-02-01"]),
        (pa.decimal128(5, 2), ["0.50", "12.00"]),
        (pa.string_view(), ["a", "b"]),
    ],
)
def test_dates_decimals_and_views_are_declared_as_texts(tmp_path: Path, kind: pa.DataType, labels: list[str]) -> None:
    values = pa.array(labels[::-1]).cast(kind)
    pq.write_table(pa.table({"k": values}), tmp_path / "in.parquet")
    column = Column("k", labels, mechanism=identity(Alphabet(labels)))
    for name in ("out.parquet", "out.csv"):
        release(tmp_path / "in.parquet", tmp_path / name, column)
        assert [cell.labels for cell in estimate(tmp_path / name, "k").cells] == [(label,) for label in labels]
    found = pq.read_table(tmp_path / "out.parquet")["k"]
    assert found.type == (pa.string() if pa.types.is_string_view(kind) else kind)
    assert found.cast(pa.string()).to_pylist() == labels[::-1]


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (pa.date32(), ["2026-1-31"]),
        (pa.date32(), ["today"]),
        (pa.decimal128(5, 2), ["0.5"]),
        (pa.timestamp("us"), ["2026-01-31"]),
        (pa.int8(), ["1"]),
        (pa.int8(), [1000]),
        (pa.binary(), ["a"]),
    ],
)
def test_categories_that_a_type_does_not_write_so_are_refused(
    tmp_path: Path, kind: pa.DataType, labels: list[str]
) -> None:
    pq.write_table(pa.table({"k": pa.array([], kind)}), tmp_path / "in.parquet")
    column = Column("k", labels, mechanism=identity(Alphabet(labels)))
    with pytest.raises(InvalidInput, match="cannot hold its declared categories"):
        release(tmp_path / "in.parquet", tmp_path / "out.parquet", column)


def test_an_empty_line_of_a_single_column_is_a_missing_value_and_no_row_is_lost(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("k\na\n\nb\n\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="missing"):
        release(tmp_path / "in.csv", tmp_path / "out.csv", KEEP)
    declared = Column("k", Categories(["a", "b"], missing="b"), mechanism=identity(Alphabet(["a", "b"])))
    assert release(tmp_path / "in.csv", tmp_path / "out.csv", declared).rows == 4
    assert read_csv(tmp_path / "out.csv") == [["k"], ["a"], ["b"], ["b"], ["b"]]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (pa.timestamp("ms"), "2026-01-31 00:00:00.000"),
        (pa.timestamp("us"), "2026-01-31 00:00:00.000000"),
        (pa.timestamp("ms", "UTC"), "2026-01-31 00:00:00.000Z"),
        (pa.date32(), "2026-01-31"),
    ],
)
def test_a_refused_date_is_followed_by_one_that_can_be_declared(
    kind: pa.DataType, written: str, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"k": pa.array([None, None], kind)}), tmp_path / "in.parquet")
    wrong = Column("k", mechanism=identity(Alphabet(["today", "tomorrow"])))
    with pytest.raises(InvalidInput, match="cannot hold") as caught:
        release(tmp_path / "in.parquet", tmp_path / "out.parquet", wrong)
    assert f"dates as {written}," in str(caught.value)
    right = Column("k", Categories([written], missing=written), mechanism=identity(Alphabet([written])))
    assert release(tmp_path / "in.parquet", tmp_path / "out.parquet", right).rows == 2


def test_a_field_that_is_too_long_is_said_to_be_possible(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("k,z\na,1\na," + "z" * (9 << 20) + "\na,1\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no field is longer than 4 MiB"):
        release(tmp_path / "in.csv", tmp_path / "out.csv", KEEP)


def test_reading_ahead_ends_also_where_the_garbage_collector_ends_it(tmp_path: Path) -> None:
    """An error leaves a batch under way; its thread must not be waited for in the middle of the start of another."""
    code = """
import gc, sys
from pathlib import Path
from epstar.errors import InvalidInput
from epstar.mechanism import randomised_response
from epstar.release import Column, release
from epstar.universe import Alphabet
gc.set_threshold(5, 2, 2)
column = Column("x", mechanism=randomised_response(Alphabet(["a", "b"]), 1))
table, refused = Path(sys.argv[1]), []
table.write_text("x\\na\\nb\\nc\\n")
for number in range(150):
    try:
        release(table, table.with_name("out.csv"), column)
    except InvalidInput as error:
        refused = [*refused[-2:], error]
print(len(refused))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "in.csv")], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "3\n"
