"""Releases from end to end: what is written, what is refused, and what the release file says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.distortion import Absolute
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Number, Rational, Real
from epstar.mechanism import Mechanism, identity, randomised_response
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, MaximalLeakage
from epstar.release import Categories, Column, PublicCounts, by_position, public_counts, read_release, release
from epstar.release.document import column_of, sealed
from epstar.release.place import digest_of
from epstar.source import Box, Everything, Prior
from epstar.statement import established
from epstar.universe import Alphabet

LABELS = ["a", "b", "c", "d"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    rows = 5000
    content = pa.table(
        {
            "id": pa.array(range(rows)),
            "x": pa.array(np.array(LABELS)[rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])]),
            "n": pa.array(rng.integers(0, 3, rows)),
        }
    )
    pq.write_table(content, tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


def test_the_optimal_mechanism_is_found_proven_and_written_down(table: Path) -> None:
    prior = Prior(["4/10", "3/10", "2/10", "1/10"])
    output = table.with_name("out.parquet")
    found = release(table, output, Column("x", LABELS), notion=DifferentialPrivacy(), loss="log(12)", source=prior)
    document = read_release(found.release_file)
    assert document == found.document
    assert document["schema"] == "epstar/release/1"
    assert document["tables"] == [
        {"name": "out.parquet", "format": "parquet", "rows": 5000, "sha256": digest_of(output)}
    ]
    (column,) = document["columns"]
    mechanism = column_of(column).mechanism
    assert mechanism is not None
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None
    assert loss <= Real.of("log(12)")
    # epsilon*(1/5) = log 12 for this prior: the rounded mechanism is as good but for a millionth.
    worst = Rational(*map(int, column["distortion"]["worst_case"]["exact"].split("/")))
    assert Rational(1, 5) <= worst < Rational(1, 5) + Rational(1, 500_000)
    assert column["mechanism"]["kind"] == "tickets"
    assert all(sum(row) == 1 << column["mechanism"]["bits"] for row in column["mechanism"]["tickets"])
    assert column["budget"] == {"notion": {"name": "differential_privacy"}, "loss": "log(12)"}
    assert column["source"] == {"prior": ["2/5", "3/10", "1/5", "1/10"]}
    assert column["method"] != "given"
    assert "zhong2022" in column["citations"] or "kalantari2018" in column["citations"]
    names = [entry["notion"] for entry in column["guarantees"]]
    assert len(names) == len(set(names)) == 12
    for entry in column["guarantees"]:
        upper = float("inf") if entry["upper"] == "infinity" else entry["upper"]
        assert entry["lower"] == entry["upper"] or entry["lower"] <= upper


def test_several_columns_add_up_per_record(table: Path) -> None:
    columns = [
        Column("x", mechanism=randomised_response(Alphabet(LABELS), ratio=3)),
        Column("n", mechanism=randomised_response(Alphabet(3), ratio=2)),
    ]
    found = release(table, table.with_name("out.parquet"), columns)
    total = found.document["per_record"]["upper"]
    parts = [column_of(entry).mechanism for entry in found.document["columns"]]
    losses = [DifferentialPrivacy().loss(part).upper for part in parts if part is not None]
    assert sum(float(loss) for loss in losses if loss is not None) == pytest.approx(total)
    assert np.log(6) - 1e-5 < total < np.log(6) + 1e-5
    # A column that tells nothing adds nothing, alone and beside another.
    silent = Column("x", LABELS, notion=DifferentialPrivacy(), loss=0)
    alone = release(table, table.with_name("alone.parquet"), silent)
    assert alone.document["per_record"]["upper"] == 0
    beside = release(table, table.with_name("beside.parquet"), [silent, columns[1]])
    assert np.log(2) - 1e-5 < beside.document["per_record"]["upper"] < np.log(2) + 1e-5


def test_a_column_that_gives_itself_away_makes_the_total_infinite(table: Path) -> None:
    column = Column("x", mechanism=identity(Alphabet(LABELS)))
    found = release(table, table.with_name("out.parquet"), column, keep_others=True)
    assert found.document["per_record"]["upper"] == "infinity"
    assert pq.read_table(table.with_name("out.parquet")).equals(pq.read_table(table))


def test_a_joint_mechanism_permutes_both_columns_together(table: Path) -> None:
    parts = [Categories(LABELS), Categories([0, 1, 2])]
    labels = [(letter, number) for letter in LABELS for number in range(3)]
    size = len(labels)
    shift = Mechanism([[1 if y == (x + 5) % size else 0 for y in range(size)] for x in range(size)], Alphabet(labels))
    release(table, table.with_name("out.parquet"), Column(("x", "n"), parts, mechanism=shift), keep="id")
    before, after = pq.read_table(table).to_pylist(), pq.read_table(table.with_name("out.parquet")).to_pylist()
    for old, new in zip(before, after, strict=True):
        assert (new["x"], new["n"]) == labels[(labels.index((old["x"], old["n"])) + 5) % size]
        assert new["id"] == old["id"]


def test_other_columns_are_kept_or_dropped(table: Path) -> None:
    column = Column("x", mechanism=identity(Alphabet(LABELS)))
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["x"]),
        ({"keep": ["n"]}, ["x", "n"]),
        ({"keep": "n"}, ["x", "n"]),
        ({"keep_others": True}, ["id", "x", "n"]),
    ]
    for number, (options, names) in enumerate(cases):
        output = table.with_name(f"out-{number}.parquet")
        found = release(table, output, column, **options)
        assert pq.read_table(output).column_names == names
        assert found.document["passed_through"] == [name for name in names if name != "x"]
        assert found.dropped == tuple(name for name in ("id", "n") if name not in names)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"columns": []}, "at least one"),
        ({"columns": "x"}, "at least one Column"),
        ({"columns": 5}, "at least one Column"),
        ({"columns": Column("x", LABELS), "keep": 5}, "by their names"),
        ({"columns": Column("x", LABELS), "keep": [5]}, "by their names"),
        ({"columns": Column("x", LABELS), "force": "no"}, "true or false"),
        ({"columns": Column("x", LABELS), "keep_others": "no"}, "true or false"),
        ({"columns": Column("x", LABELS), "table": 5}, "must be named"),
        ({"columns": Column("x", LABELS)}, "give a notion and a loss"),
        ({"columns": Column("y", LABELS)}, "no column 'y'"),
        ({"columns": [Column("x", LABELS)] * 2, "loss": 1, "notion": DifferentialPrivacy()}, "twice"),
        ({"columns": Column("x", LABELS), "keep": ["x"]}, "both released and kept"),
        ({"columns": Column("x", LABELS), "keep": ["zz"]}, "no column 'zz'"),
        ({"columns": Column("x", LABELS), "keep": ["n"], "keep_others": True}, "not both"),
        ({"columns": Column("x", LABELS), "source": Everything(3)}, "has 3 inputs"),
        ({"columns": Column("n", ["0", "1", "2"]), "loss": 1, "notion": DifferentialPrivacy()}, "cannot hold"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(
    table: Path, arguments: dict[str, object], fragment: str
) -> None:
    call: Any = release
    with pytest.raises(InvalidInput, match=fragment):
        call(**{"table": table, "output": table.with_name("out.parquet"), **arguments})
    assert sorted(path.name for path in table.parent.iterdir()) == ["in.parquet"]


def test_a_given_mechanism_must_keep_a_given_budget(table: Path) -> None:
    column = Column("x", mechanism=randomised_response(Alphabet(LABELS), 2))
    with pytest.raises(InvalidInput, match="loses more than 1"):
        release(table, table.with_name("out.parquet"), column, notion=DifferentialPrivacy(), loss=1)


def test_nothing_is_replaced_without_force_and_the_private_table_never(table: Path) -> None:
    column = Column("x", mechanism=identity(Alphabet(LABELS)))
    output = table.with_name("out.parquet")
    output.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists already"):
        release(table, output, column)
    assert output.read_text(encoding="utf-8") == "old"
    release(table, output, column, force=True)
    assert pq.read_table(output).num_rows == 5000
    output.unlink()
    with pytest.raises(InvalidInput, match=r"out.parquet.release.json exists already"):
        release(table, output, column)
    with pytest.raises(InvalidInput, match="replace the private table"):
        release(table, table, column, force=True)


def test_missing_and_other_values_go_where_it_was_declared(tmp_path: Path) -> None:
    values = ["a", None, "surprise", "b"]
    pq.write_table(pa.table({"x": values}), tmp_path / "in.parquet")
    pq.write_table(pa.table({"x": pa.array(values).dictionary_encode()}), tmp_path / "coded.parquet")
    (tmp_path / "in.csv").write_text("x,y\na,1\n,1\nsurprise,1\nb,1\n", encoding="utf-8")
    labels = ["a", "b", "none", "rest"]
    parts = Categories(labels, missing="none", other="rest")
    for name in ("in.parquet", "coded.parquet", "in.csv"):
        output = tmp_path / f"out-{name}"
        release(tmp_path / name, output, Column("x", parts, mechanism=identity(Alphabet(labels))))
        if name == "in.csv":
            found = [line.split(",")[0] for line in output.read_text(encoding="utf-8").splitlines()[1:]]
        else:
            found = pq.read_table(output)["x"].to_pylist()
        assert found == ["a", "none", "rest", "b"]
    for wrong, fragment in (
        (Categories(labels, missing="none"), "not among its declared"),
        (Categories(labels, other="rest"), "missing value"),
    ):
        for name in ("in.parquet", "coded.parquet", "in.csv"):
            with pytest.raises(InvalidInput, match=fragment):
                release(tmp_path / name, tmp_path / "no.csv", Column("x", wrong, mechanism=identity(Alphabet(labels))))


def test_public_counts_give_categories_a_prior_and_a_region(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("label,count\na,40\nb,30\nc,20\nd,10\n", encoding="utf-8")
    (tmp_path / "labels.txt").write_text("a\nb\n\nc\nd\n", encoding="utf-8")
    counts = PublicCounts.read(tmp_path / "counts.csv", private=None)
    assert counts.labels == Categories.read(tmp_path / "labels.txt").labels == ("a", "b", "c", "d")
    assert counts.prior() == Prior(["2/5", "3/10", "1/5", "1/10"])
    region = counts.region("99/100")
    assert isinstance(region, Box)
    assert region.contains(counts.prior().probabilities)
    with pytest.raises(InvalidInput, match="cannot be read"):
        Categories.read(tmp_path / "none.txt")
    with pytest.raises(InvalidInput, match="not understood"):
        PublicCounts.read(tmp_path / "labels.txt", private=None)


@pytest.mark.parametrize(
    ("notion", "loss"),
    [(MaximalLeakage(), "log(2)"), (ApproximateDifferentialPrivacy("1/100"), 1), (DifferentialPrivacy(), "1/2")],
)
@pytest.mark.parametrize("source", [None, Prior(["4/10", "3/10", "2/10", "1/10"]), Box([0] * 4, ["1/2"] * 4)])
def test_every_notion_and_source_keeps_its_budget(
    table: Path, notion: DifferentialPrivacy, loss: Number, source: Prior | Box | None
) -> None:
    column = Column("n", [0, 1, 2]) if source is None else Column("x", LABELS)
    distortion = Absolute() if source is None else by_position(Absolute())
    found = release(
        table, table.with_name("out.parquet"), column, notion=notion, loss=loss, source=source, distortion=distortion
    )
    mechanism = column_of(found.document["columns"][0]).mechanism
    assert mechanism is not None
    upper = notion.loss(mechanism, source).upper
    assert upper is not None
    assert upper <= Real.of(loss)


def test_a_release_file_that_was_changed_is_refused(table: Path) -> None:
    found = release(table, table.with_name("out.parquet"), Column("x", mechanism=identity(Alphabet(LABELS))))
    document = json.loads(found.release_file.read_text(encoding="utf-8"))
    document["columns"][0]["method"] = "better"
    found.release_file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InvalidInput, match="was changed"):
        read_release(found.release_file)
    found.release_file.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInput, match="not a release file"):
        read_release(found.release_file)


def test_wide_tickets_are_written_as_text_and_read_back(table: Path) -> None:
    tiny = Rational(1, 1 << 60)
    mechanism = Mechanism([[1 - tiny, tiny], [tiny, 1 - tiny], [tiny, 1 - tiny]], outputs=[0, 2])
    column = Column("n", mechanism=mechanism, notion=DifferentialPrivacy(), loss=40)
    found = release(table, table.with_name("out.parquet"), column)
    entry = found.document["columns"][0]
    again = column_of(json.loads(json.dumps(entry))).mechanism
    assert again is not None
    assert again.shape == (3, 2)
    assert entry["mechanism"]["bits"] == 16 or isinstance(entry["mechanism"]["tickets"][0][0], int | str)


def test_the_release_file_depends_on_the_data_by_the_number_of_rows_alone(table: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [0] * 5000, "x": ["d"] * 5000, "n": [1] * 5000}), tmp_path / "other.parquet")
    column = Column("x", mechanism=randomised_response(Alphabet(LABELS), 1))
    documents = []
    for given in (table, tmp_path / "other.parquet"):
        found = release(given, tmp_path / f"out-{given.name}", column)
        document = {key: value for key, value in found.document.items() if key != "digest"}
        for entry in document["tables"]:
            del entry["sha256"], entry["name"]
        documents.append(document)
    assert documents[0] == documents[1]


def test_the_release_file_proves_that_no_mechanism_distorts_less(table: Path) -> None:
    prior = Prior(["4/10", "3/10", "2/10", "1/10"])
    found = release(
        table, table.with_name("out.parquet"), Column("x", LABELS, source=prior), notion=MaximalLeakage(), loss=1
    )
    document = json.loads(found.release_file.read_text(encoding="utf-8"))
    (column,) = document["columns"]
    about, *proven, sampled = established(document).sentences
    assert about.startswith("Column x: It is about 4 inputs; every wrong answer costs 1.")
    assert len(proven) == 2
    assert sampled == "Column x: The mechanism that was sampled, which is rounded, keeps this loss as well."
    lower, upper = column["least_distortion"]["lower"], column["least_distortion"]["upper"]
    # What is sampled distorts more only by what the rounding to tickets costs.
    assert lower <= column["distortion"]["worst_case"]["upper"] <= upper + 1e-6
    column["least_distortion"]["lower"] = lower + 1e-6
    with pytest.raises(ProofRejected, match="does not follow"):
        established(sealed(document))
    given = release(table, table.with_name("given.parquet"), Column("x", mechanism=identity(Alphabet(LABELS))))
    assert "least_distortion" not in given.document["columns"][0]


def test_witnesses_in_the_release_file_attain_the_loss(table: Path) -> None:
    mechanism = Mechanism([["1/2", "1/2"], ["1/4", "3/4"], ["1/8", "7/8"]], outputs=[0, 2])
    found = release(table, table.with_name("out.parquet"), Column("n", mechanism=mechanism))
    entry = next(
        part for part in found.document["columns"][0]["guarantees"] if part["notion"] == "differential_privacy"
    )
    (first, second), (output,) = entry["attained_at"]["inputs"], entry["attained_at"]["outputs"]
    rows = mechanism.rows
    assert max(rows[first][output] / rows[second][output], rows[second][output] / rows[first][output]) == 4
    assert entry["exact"] == "log(4)"


def test_a_public_table_is_counted_in_any_format_and_jointly(tmp_path: Path) -> None:
    content = {"x": ["a", "b", "a", None], "n": [0, 1, 1, 1]}
    pq.write_table(pa.table(content), tmp_path / "public.parquet")
    (tmp_path / "public.csv").write_text("x,n\na,0\nb,1\na,1\n,1\n", encoding="utf-8")
    letters = Categories(["a", "b", "none"], missing="none")
    for name in ("public.parquet", "public.csv"):
        assert public_counts(tmp_path / name, "x", letters, private=None).counts == (2, 1, 1)
    joint = public_counts(tmp_path / "public.parquet", ["x", "n"], [letters, Categories([0, 1])], private=None)
    assert joint.counts == (1, 1, 0, 1, 0, 1)
    assert joint.prior() == Prior(["1/4", "1/4", 0, "1/4", 0, "1/4"])
    with pytest.raises(InvalidInput, match="not among its declared"):
        public_counts(tmp_path / "public.parquet", "x", Categories(["b", "none"], missing="none"), private=None)
    with pytest.raises(InvalidInput, match="no column 'y'"):
        public_counts(tmp_path / "public.csv", "y", letters, private=None)
