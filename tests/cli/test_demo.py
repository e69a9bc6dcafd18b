"""The finished example: every file is there, true, and agrees with the others."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import check_proof
import pytest

from epstar.cli.example import FILES, write_example
from epstar.cli.main import main
from epstar.errors import InvalidInput, MissingExtra
from epstar.release import read_release
from epstar.release.place import digest_of


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "example"
    write_example(folder)
    return folder


def test_the_folder_holds_what_is_listed(example: Path) -> None:
    assert {path.name for path in example.iterdir()} == set(FILES)
    assert all(path.stat().st_size > 100 for path in example.iterdir())
    assert [path.name for path in example.parent.iterdir()] == ["example"]


def test_the_proof_holds_for_both_checkers(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(example / "answer.json")]) == 0
    assert "The proof holds" in capsys.readouterr().out
    assert check_proof.check((example / "proof.json").read_bytes())
    assert check_proof.check((example / "answer.json").read_bytes())
    answer = json.loads((example / "answer.json").read_text(encoding="utf-8"))
    assert answer["lower"] <= answer["upper"] <= answer["lower"] + 1e-9
    assert answer["proof"] == json.loads((example / "proof.json").read_text(encoding="utf-8"))


def test_the_release_keeps_its_level_and_the_estimate_finds_the_table(example: Path) -> None:
    document = read_release(example / "released.csv.release.json")
    assert document["tables"][0]["sha256"] == digest_of(example / "released.csv")
    assert document["columns"][0]["guarantees"][0]["upper"] <= 1.0
    lines = (example / "private.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].replace('"', "").split(",").index("occupation")
    truth = Counter(line.split(",")[place] for line in lines[1:])
    estimate = json.loads((example / "estimate.json").read_text(encoding="utf-8"))
    assert estimate["rows"] == sum(truth.values()) == 6366
    for cell in estimate["cells"]:
        # Intervals of 95 % miss now and then; eight widths of one are never missed.
        width = cell["upper"] - cell["lower"]
        assert abs(cell["frequency"] - truth[cell["label"]] / 6366) <= 4 * width


def test_the_report_is_about_this_release(example: Path) -> None:
    page = (example / "report.html").read_text(encoding="utf-8")
    assert read_release(example / "released.csv.release.json")["digest"] in page
    assert "found beside the release file and the same" in page


def test_the_command_ends_with_the_folder_and_the_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epstar.cli.demo.write_example", lambda folder: folder.mkdir())
    assert main(["demo", "--output", str(tmp_path / "x")]) == 0
    shown = capsys.readouterr().out
    assert "report.html" in shown
    assert shown.rstrip().endswith("http://127.0.0.1:8765/")


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists already"):
        write_example(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise InvalidInput("broken")

    monkeypatch.setattr("epstar.cli.example.release", broken)
    with pytest.raises(InvalidInput, match="broken"):
        write_example(tmp_path / "example")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epstar.cli.example.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"epstar\[demo\]"):
        write_example(tmp_path / "example")
    assert list(tmp_path.iterdir()) == []
