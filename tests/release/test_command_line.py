"""Everything that can be declared of a column, on the command line and in a job file."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.release import read_release
from epstar.release.document import column_of

DISEASES = ["flu", "cold", "none"]
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a private table in both formats, and public files of every kind."""
    monkeypatch.chdir(tmp_path)
    rows = 600
    content = {
        "disease": [DISEASES[k % 3] for k in range(rows)],
        "sex": ["f" if k % 2 else "m" for k in range(rows)],
        "age": [20 + 10 * (k % 4) for k in range(rows)],
        "town": [f"town {k % 5}" for k in range(rows)],
    }
    pq.write_table(pa.table(content), tmp_path / "data.parquet")
    with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(content)
        writer.writerows(zip(*content.values(), strict=True))
    (tmp_path / "many").mkdir()
    pq.write_table(pa.table(content), tmp_path / "many" / "1.parquet")
    (tmp_path / "many" / "2.csv").write_bytes((tmp_path / "data.csv").read_bytes())
    (tmp_path / "labels.txt").write_text("flu\ncold\nnone\n", encoding="utf-8")
    (tmp_path / "counts.csv").write_text("disease,count\nflu,50\ncold,30\nnone,20\n", encoding="utf-8")
    public = {"disease": ["flu"] * 5 + ["cold"] * 3 + ["none"] * 2, "sex": ["f", "m"] * 5}
    pq.write_table(pa.table(public), tmp_path / "public.parquet")
    (tmp_path / "hull.json").write_text('{"hull": [["1/2", "3/10", "1/5"], ["1/3", "1/3", "1/3"]]}', encoding="utf-8")
    return tmp_path


@pytest.fixture
def release(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Release, expecting success, and return the release file."""

    def run(*words: str) -> dict[str, Any]:
        code = main(["release", *words, "--json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return read_release(json.loads(captured.out)["release_file"])

    return run


PLAIN = ["data.parquet", "--column", "disease", "--loss", "1", "-o", "out.parquet"]
PRIOR = {"prior": ["1/2", "3/10", "1/5"]}


@pytest.mark.parametrize(
    ("declared", "source"),
    [
        (["--categories", "flu,cold,none"], {"everything": 3}),
        (["--categories", "disease=flu,cold,none"], {"everything": 3}),
        (["--categories", "@labels.txt"], {"everything": 3}),
        (["--categories", "@labels.txt", "--prior", "0.5,0.3,0.2"], PRIOR),
        (["--categories", "@labels.txt", "--prior", "disease=1/2,3/10,1/5"], PRIOR),
        (["--categories", "@labels.txt", "--prior", "@hull.json"], "hull"),
        (["--categories", "@labels.txt", "--public", "public.parquet"], PRIOR),
        (["--categories", "@labels.txt", "--public", "public.parquet", "--confidence", "0.9"], "box"),
        (["--counts", "counts.csv"], PRIOR),
        (["--counts", "disease=counts.csv", "--confidence", "0.99"], "box"),
    ],
)
def test_what_is_known_may_be_declared_in_every_way(release: Run, declared: list[str], source: object) -> None:
    document = release(*PLAIN, *declared)
    (column,) = document["columns"]
    assert column["categories"][0]["labels"] == DISEASES
    assert column["source"] == source or source in column["source"]
    assert document["passed_through"] == []


def test_several_columns_each_with_its_own_categories(release: Run, folder: Path) -> None:
    declared = ["--categories", "disease=flu,cold,none", "--categories", "sex=f,m", "--categories", "age=20,30,40,50"]
    columns = ["--column", "disease", "--column", "sex", "--column", "age"]
    for name in ("data.csv", "data.parquet"):
        words = [*columns, *declared, "--loss", "1", "--keep", "town", "-o", f"out-{name}"]
        document = release(name, *words, "--cost", "absolute", "--by-position")
        assert [entry["names"] for entry in document["columns"]] == [["disease"], ["sex"], ["age"]]
        assert document["passed_through"] == ["town"]
        assert 2.99 < document["per_record"]["upper"] <= 3
        assert document["columns"][2]["distortion"]["name"] == "absolute"
    ages = pq.read_table(folder / "out-data.parquet")["age"]
    assert ages.type == pa.int64()
    assert set(ages.to_pylist()) <= {20, 30, 40, 50}
    assert document["columns"][2]["categories"][0]["labels"] == [20, 30, 40, 50]


def test_columns_that_go_through_one_mechanism_together(release: Run, folder: Path) -> None:
    declared = ["--joint", "disease,sex", "--categories", "disease=@labels.txt", "--categories", "sex=f,m"]
    words = ["--loss", "1", "-o", "out.csv"]
    document = release("data.csv", *declared, *words, "--public", "public.parquet")
    (column,) = document["columns"]
    assert column["names"] == ["disease", "sex"]
    assert column["source"] == {"prior": ["3/10", "1/5", "1/10", "1/5", "1/10", "1/10"]}
    assert document["passed_through"] == []
    mechanism = column_of(column).mechanism
    assert mechanism is not None
    assert mechanism.shape[0] == 6
    assert (folder / "out.csv").read_text(encoding="utf-8").startswith("disease,sex\n")
    prior = ",".join(["1/6"] * 6)
    assert release("data.csv", *declared, *words, "--force", "--prior", f"disease,sex={prior}")["columns"][0][
        "source"
    ] == {"prior": ["1/6"] * 6}


def test_a_folder_of_files_of_both_formats(release: Run, folder: Path) -> None:
    document = release("many", "--column", "disease", "--categories", "@labels.txt", "--loss", "1", "-o", "shared")
    assert [entry["name"] for entry in document["tables"]] == ["1.parquet", "2.csv"]
    assert [entry["rows"] for entry in document["tables"]] == [600, 600]
    assert (folder / "shared" / "_release.json").exists()


def test_buckets_for_other_and_for_missing_values(release: Run, folder: Path) -> None:
    values = ["flu", None, "cold", "typhoid"] * 100
    pq.write_table(pa.table({"disease": values, "sex": ["f", "m"] * 200}), folder / "rare.parquet")
    words = ["rare.parquet", "--column", "disease", "--column", "sex", "--loss", "1", "-o", "out.parquet"]
    declared = ["--categories", "disease=flu,cold,unknown,rest", "--categories", "sex=f,m"]
    document = release(*words, *declared, "--missing", "disease=unknown", "--other", "disease=rest")
    assert document["columns"][0]["categories"] == [
        {"labels": ["flu", "cold", "unknown", "rest"], "missing": "unknown", "other": "rest"}
    ]
    assert document["columns"][1]["categories"] == [{"labels": ["f", "m"], "missing": None, "other": None}]


def test_a_job_file_holds_the_same_options(release: Run, folder: Path) -> None:
    job = {
        "table": "data.csv",
        "column": ["disease", "sex"],
        "categories": {"disease": DISEASES, "sex": ["f", "m"]},
        "prior": {"sex": "1/2,1/2"},
        "loss": 1,
        "output": "out.parquet",
        "keep": ["town"],
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    document = release("job.json")
    assert [entry["source"] for entry in document["columns"]] == [{"everything": 3}, {"prior": ["1/2", "1/2"]}]


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ([], "not declared"),
        (["--categories", "flu,cold"], "not among its declared categories"),
        (["--categories", "@nothing.txt"], "cannot be read"),
        (["--categories", "@labels.txt", "--prior", "1/2,1/2"], "has 2 inputs"),
        (["--categories", "@labels.txt", "--prior", "x,y"], "is not a number"),
        (["--categories", "@labels.txt", "--prior", "1/2,1/4,1/4", "--public", "public.parquet"], "not both"),
        (["--categories", "@labels.txt", "--public", "nothing.csv"], "There is no file"),
        (["--categories", "flu,cold,none", "--column", "age"], "cannot hold"),
        (["--categories", "@labels.txt", "--missing", "lost"], "not among the categories"),
        (["--categories", "@labels.txt", "--notion", "nonsense"], "nonsense"),
        (["--categories", "@labels.txt", "--keep", "nowhere"], "no column 'nowhere'"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    folder: Path, words: list[str], fragment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", *PLAIN, *words]) == 2
    captured = capsys.readouterr()
    assert fragment in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""
    assert not list(folder.glob("out*"))


def test_an_estimate_without_a_column_is_of_all_that_were_released(
    release: Run, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = ["--categories", "disease=@labels.txt", "--categories", "sex=f,m", "--loss", "3"]
    release("data.parquet", "--column", "disease", "--column", "sex", *declared, "-o", "out.parquet")
    (folder / "out.parquet.release.json").rename(folder / "elsewhere.json")
    asked = ["estimate", "out.parquet", "--release", "elsewhere.json", "--confidence", "0.999999999999"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["estimates"]
    assert [part["columns"] for part in found] == [["disease"], ["sex"]]
    for part, share in zip(found, (1 / 3, 1 / 2), strict=True):
        assert all(cell["lower"] <= share <= cell["upper"] for cell in part["cells"])
        assert part["not_estimable"] == part["combinations"] == []
    assert main(asked) == 0
    assert "disease" in capsys.readouterr().out


def test_a_release_says_what_is_never_released(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["release", "data.csv", "--column", "disease", "--categories", "flu,cold,none"]
    assert main([*words, "--loss", "1", "-o", "all.csv"]) == 0
    assert "never released" not in capsys.readouterr().out
    assert main([*words, "--loss", "1/10", "--prior", "0.9,0.05,0.05", "-o", "one.csv"]) == 0
    assert "2 of the 3 categories of disease are never released" in " ".join(capsys.readouterr().out.split())


def test_an_estimate_says_what_cannot_be_told(release: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # By the law that is known a third value is too rare to be worth an answer of its own.
    law = ["--categories", "@labels.txt", "--prior", "0.6,0.39,0.01"]
    release("data.parquet", "--column", "disease", *law, "--loss", "1", "-o", "out.parquet")
    assert main(["estimate", "out.parquet", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["not_estimable"] == [["flu"], ["cold"], ["none"]]
    assert [len(part["weights"]) for part in found["combinations"]] == [2, 2]
    assert main(["estimate", "out.parquet"]) == 0
    shown = capsys.readouterr().out
    assert "3 of 3 frequencies cannot be told" in " ".join(shown.split())
    assert "cannot be told" in shown
