"""Permanent answers in files: the same whenever they are asked for, free in a ledger, and refused where rows meet."""

from __future__ import annotations

import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, Ledger, Release, SecretKey, estimate, read_release, release
from epstar.release.report.summary import summary

SEX, AGE = Column("sex", ["f", "m"]), Column("age", ["young", "old"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    place = tmp_path / "private.csv"
    rows = [f"p{k},{'fm'[k % 2]},{('young', 'old')[k // 3 % 2]}" for k in range(300)]
    place.write_text("\n".join(["person,sex,age", *rows]) + "\n")
    return place


def released(table: Path, name: str, *columns: Column, loss: str = "1", again: bool = False) -> Release:
    return release(
        table,
        table.parent / name,
        columns or (SEX,),
        notion=DifferentialPrivacy(),
        loss=loss,
        key=table.parent / "secret.key",
        identifier="person",
        ledger=table.parent / "book",
        again=again,
    )


def test_the_same_answers_come_again_and_cost_nothing(table: Path) -> None:
    first = released(table, "one.csv")
    second = released(table, "two.csv")
    assert first.output.read_bytes() == second.output.read_bytes()
    assert stat.S_IMODE((table.parent / "secret.key").stat().st_mode) == 0o600
    assert read_release(first.release_file)["randomness"] == {"kind": "keyed", "identifier": "person"}
    assert "person" not in first.output.read_text()
    assert not summary(second).earlier
    account = Ledger.at(table.parent / "book").account()
    assert [float(entry.loss or 0) for entry in account.entries] == pytest.approx([1, 0])
    # Of several columns only the new one counts, and only when that is asked for.
    with pytest.raises(InvalidInput, match="knows a release"):
        released(table, "three.csv", SEX, AGE)
    third = released(table, "three.csv", SEX, AGE, again=True)
    assert estimate(third.output, ["sex", "age"]).rows == 300
    assert [line.split(",")[0] for line in third.output.read_text().splitlines()] == first.output.read_text().split()
    account = Ledger.at(table.parent / "book").account()
    assert float(account.total or 0) == pytest.approx(2)
    # Another loss is another answer.
    with pytest.raises(InvalidInput, match="knows a release"):
        released(table, "four.csv", loss="2")
    # A changed table is another table; what it shares with the first keeps its answers.
    changed = table.with_name("changed.csv")
    changed.write_text(table.read_text().replace("p7,m", "p7,f") + "p300,f,old\n")
    fourth = released(changed, "changed-out.csv", again=True).output.read_text().split()
    same = [a == b for a, b in zip(fourth, first.output.read_text().split(), strict=False)]
    assert sum(same) >= 300
    assert len(fourth) == 302


def test_the_order_of_rows_and_the_folder_do_not_matter(table: Path, tmp_path: Path) -> None:
    numbers = list(range(2000))
    whole = pa.table({"id": numbers, "sex": ["f" if k % 3 else "m" for k in numbers]})
    pq.write_table(whole, tmp_path / "whole.parquet")
    (tmp_path / "parts").mkdir()
    pq.write_table(whole.slice(1200), tmp_path / "parts" / "a.parquet")
    pq.write_table(whole.slice(0, 1200), tmp_path / "parts" / "b.parquet")
    key, notion = SecretKey.fresh(), DifferentialPrivacy()
    release(tmp_path / "whole.parquet", tmp_path / "o.parquet", SEX, notion=notion, loss=1, key=key, identifier="id")
    release(tmp_path / "parts", tmp_path / "o", SEX, notion=notion, loss=1, key=key, identifier="id")
    found = [pq.read_table(tmp_path / name)["sex"].to_pylist() for name in ("o.parquet", "o/b.parquet", "o/a.parquet")]
    assert found[0] == found[1] + found[2]
    pq.write_table(whole.slice(0, 1), tmp_path / "parts" / "c.parquet")
    with pytest.raises(InvalidInput, match="same in several rows"):
        release(tmp_path / "parts", tmp_path / "p", SEX, notion=notion, loss=1, key=key, identifier="id")
    assert not (tmp_path / "p").exists()


def test_bad_keys_and_identifiers_are_refused_in_a_sentence(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    Path("open.key").write_text("0" * 64)
    Path("open.key").chmod(0o644)
    Path("short.key").write_text("12")
    Path("short.key").chmod(0o600)
    Path("link.key").symlink_to("short.key")
    table.with_name("twice.csv").write_text("person,sex\na,f\na,m\n")
    plain = ["--column", "sex", "--categories", "f,m", "--loss", "1", "-o", "out.csv"]
    for given, options in (
        ("private.csv", ["--key", "k"]),
        ("private.csv", ["--identifier", "person"]),
        ("private.csv", ["--key", "open.key", "--identifier", "person"]),
        ("private.csv", ["--key", "short.key", "--identifier", "person"]),
        ("private.csv", ["--key", "link.key", "--identifier", "person"]),
        ("private.csv", ["--key", ".", "--identifier", "person"]),
        ("private.csv", ["--key", "nodir/k", "--identifier", "person"]),
        ("private.csv", ["--key", "k", "--identifier", "sex"]),
        ("private.csv", ["--key", "k", "--identifier", "nobody"]),
        ("twice.csv", ["--key", "other.key", "--identifier", "person"]),
    ):
        assert main(["release", given, *plain, *options]) == 2, options
        said = capsys.readouterr().err
        assert said.startswith("epstar: ")
        assert said.count("\n") == 1
        assert not Path("out.csv").exists()
        assert not Path("k").exists()
