"""What is the same for every command: help with examples, JSON, citations, pictures, one-sentence errors, silence."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from epstar.cli import progress as bars
from epstar.cli import result
from epstar.cli.main import COMMANDS, Command, main
from epstar.cli.progress import progress
from epstar.schema import schema, schema_names

NAMES = [command.name for command in COMMANDS]
EPSTAR = [sys.executable, "-m", "epstar.cli.main"]
PRIOR = ["--prior", "0.4,0.3,0.2,0.1"]
SOLVE = ["solve", "--notion", "dp", *PRIOR, "--distortion", "0.2"]
OUTPUT = ["-o", "out.csv", "--force"]
# These show what they do by themselves: a server until it is stopped, a script for a shell.
BY_THEMSELVES = ("serve", "completion")


def named(command: Command) -> str:
    return command.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a problem, an answer, a mechanism, a private table and its release."""
    place = tmp_path_factory.mktemp("commands")
    (place / "mechanism.csv").write_text("3/4,1/4\n1/4,3/4\n")
    rows = "".join(f"{'flu' if k % 3 else 'cold'}\n" for k in range(600))
    (place / "table.csv").write_text(f"disease\n{rows}")
    printed = StringIO()
    with redirect_stdout(printed), chdir(place):
        assert main([*SOLVE, "--json"]) == 0
        (place / "answer.json").write_text(printed.getvalue())
        answer = json.loads(printed.getvalue())
        problem = {**answer["proof"]["problem"], "at": answer["at"]}
        (place / "problem.json").write_text(json.dumps(problem))
        job = {"table": "table.csv", "column": ["disease"], "categories": "flu,cold", "loss": 1, "output": "first.csv"}
        job["ledger"] = "releases.ledger"
        (place / "job.json").write_text(json.dumps(job))
        assert main(["release", "job.json"]) == 0
    return place


ASKED: dict[str, list[str]] = {
    "solve": SOLVE,
    "curve": ["curve", "--notion", "dp", *PRIOR, "--points", "4"],
    "audit": ["audit", "mechanism.csv"],
    "refine": ["refine", "mechanism.csv", "mechanism.csv"],
    "check": ["check", "answer.json"],
    "export": ["export", "answer.json", "--to", "coq"],
    "convert": ["convert", "--notion", "dp", "--loss", "1", "--size", "3", "--to", "leakage"],
    "query": ["query", "--name", "count", "--individuals", "3", "--values", "2", "--loss", "log(2)"],
    "plan": ["plan", "--categories", "4", "--rows", "6366", "--within", "0.05"],
    "release": ["release", "table.csv", "--column", "disease", "--categories", "flu,cold", "--loss", "1", *OUTPUT],
    "estimate": ["estimate", "first.csv", "--column", "disease"],
    "ledger": ["ledger", "releases.ledger"],
    "report": ["report", "first.csv.release.json", "-o", "report.html", "--force"],
    "theorem": ["theorem", "kalantari2018:lemma-1"],
    "reproduce": ["reproduce", "kalantari2018", "table1", "-o", "figures"],
    "demo": ["demo"],
    "notions": ["notions"],
    "schema": ["schema"],
}


def test_every_command_is_asked_something() -> None:
    assert set(ASKED) == set(NAMES) - set(BY_THEMSELVES)


def spoken(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(arguments)
    return code, *capsys.readouterr()


@pytest.mark.parametrize("command", COMMANDS, ids=named)
def test_help_has_examples_of_this_command(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command.name, "--help"])
    shown = capsys.readouterr().out
    examples = shown.partition("\nexamples:\n")[2].splitlines()
    assert any(f"epstar {command.name}" in line for line in examples)
    assert "--json" in shown
    assert "--cite" in shown
    assert ("--plot" in shown) == bool(command.load().PICTURE)


@pytest.mark.parametrize("name", ASKED)
def test_json_is_one_document_on_standard_output(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = spoken([*ASKED[name], "--json"], capsys)
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    document = json.loads(out)
    # A plain validator, without any other document.
    Draft202012Validator(schema(document["schema"])).validate(document)


@pytest.mark.parametrize("name", sorted(set(ASKED) - {"demo"}))
def test_a_table_or_a_sentence_is_shown_unless_asked_otherwise(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = spoken(ASKED[name], capsys)
    assert (code, err) == (0, "")
    assert len(out) > 20
    assert not out.startswith(("{", "["))


@pytest.mark.parametrize("name", sorted(set(ASKED) - {"demo"}))
def test_cite_prints_bibtex(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = spoken([*ASKED[name], "--cite"], capsys)
    assert (code, err) == (0, "")
    assert out.startswith("@software{epstar,")
    assert out.count("{") == out.count("}")
    wanted = {"solve": "zhong2022", "convert": "alvim2011", "query": "alvim2011", "theorem": "kalantari2018"}
    assert wanted.get(name, "") in out


def test_epstar_alone_can_be_cited(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--cite"])
    assert capsys.readouterr().out.startswith("@software{epstar,")


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
@pytest.mark.parametrize("name", [name for name in ASKED if name != "demo"])
def test_plots_are_written_in_every_format_where_there_is_something_to_draw(
    name: str, ending: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = next(command for command in COMMANDS if command.name == name)
    if not command.load().PICTURE:
        assert name in ("refine", "export", "ledger", "report", "theorem", "notions", "schema")
        return
    monkeypatch.chdir(folder)
    file = folder / f"{name}.{ending}"
    code, _, err = spoken([*ASKED[name], "--plot", str(file)], capsys)
    assert (code, err) == (0, "")
    content = file.read_bytes()
    assert content.startswith({"svg": b"<?xml", "png": b"\x89PNG", "html": b"<!doctype html>"}[ending])
    if ending == "html":
        # The page brings its library and asks no other host for anything.
        assert b"<script src=" not in content
        assert b"<link" not in content[:2000]
        assert b"Plotly.newPlot" in content


@pytest.mark.parametrize("command", COMMANDS, ids=named)
@pytest.mark.parametrize("option", ["--nonsense", "--json=yes"])
def test_a_wrong_option_gets_one_sentence(command: Command, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*ASKED.get(command.name, [command.name]), option])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("epstar: ")
    assert err.endswith("--help`.\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["slove"], "did you mean solve?"),
        (["solve", "--dist", "0.2"], "did you mean --distortion?"),
        (["convert", "--notion", "dp", "more"], "'more' stands where nothing more is expected"),
    ],
)
def test_an_unknown_word_gets_one_sentence_that_says_what_may_have_been_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments[-1] == "more":
        arguments = [*arguments[:1], "problem.json", *arguments[1:]]
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    err = capsys.readouterr().err
    assert err.startswith("epstar: ")
    assert meant in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "--notion", "diffpriv", *PRIOR, "--loss", "1"], "did you mean differential_privacy?"),
        (["solve", "--notion", "dp", *PRIOR, "--loss", "1", "--cost", "hammin"], "did you mean hamming?"),
        (["solve", "--notion", "dp", "0.5", "--prior", "0.5", "--loss", "1"], "separate numbers by commas"),
        (["curve", "--notion", "dp", *PRIOR, "--points", "1000000000"], "not between 2 and 10000"),
        (["solve", "--notion", "dp", *PRIOR, "--size", "4", "--loss", "1"], "give --prior or --size, not both"),
        (["solve", "--notion", "dp", *PRIOR, "--source", "[]", "--loss", "1"], "give --prior or --source, not both"),
        (["solve", "--notion", "dp", "--source", "[]", "--loss", "1"], "--source takes an object"),
        (["solve", "--notion", "dp", "--source", "{", "--loss", "1"], "--source is not valid JSON"),
        (["solve", "--notion", "dp", *PRIOR, "--labels", "a,b", "--universe", "{}", "--loss", "1"], "not both"),
        (["notions", "lekage"], "did you mean leakage?"),
        (["schema", "answr"], "did you mean answer?"),
    ],
)
def test_bad_options_get_one_sentence_that_names_them_as_typed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = spoken(arguments, capsys)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_epstar_alone_greets(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = spoken([], capsys)
    assert (code, err) == (0, "")
    assert "epstar solve" in out
    assert "epstar --help" in out


BOX = '{"box": {"lower": ["0.3", "0.5"], "upper": ["0.5", "0.7"]}}'


def test_sets_costs_and_labels_are_options_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "box.json").write_text(BOX)
    (folder / "cost.csv").write_text("0,1\n2,0\n")
    asked = ["--notion", "dp", "--labels", "yes,no", "--distortion", "1/10", "--json"]
    inline = spoken(["solve", "--source", BOX, "--cost", "[[0, 1], [2, 0]]", *asked], capsys)
    files = ["--source", str(folder / "box.json"), "--cost", str(folder / "cost.csv")]
    assert inline == spoken(["solve", *files, *asked], capsys)
    assert inline[0] == 0
    document = json.loads(inline[1])
    assert document["proof"]["problem"]["universe"] == {"alphabet": ["yes", "no"]}
    assert document["upper_exact"] == "log(16)"
    line = '{"graph": {"nodes": [0, 1, 2], "edges": [[0, 1], [1, 2]]}}'
    code, out, _ = spoken(["convert", "--notion", "dp", "--loss", "ln 2", "--universe", line, "--json"], capsys)
    assert code == 0
    assert json.loads(out)["conversions"]
    names = ["audit", str(folder / "mechanism.csv"), "--labels", "yes,no", "--source", '{"prior": ["1/2", "1/2"]}']
    code, out, _ = spoken([*names, "--cost", "[[0, 1], [2, 0]]", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["guarantees"][0]["attained_at"]["inputs"] == ["yes", "no"]


@pytest.mark.parametrize("written", ["ln(3)", "log(3)", "ln 3", " log( 3 ) "])
def test_logarithms_are_numbers(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = spoken(["solve", "--notion", "dp", "--prior", "1/2,1/2", "--loss", written, "--json"], capsys)
    assert code == 0
    assert json.loads(out)["upper_exact"] == "1/4"


def test_nothing_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = spoken(["convert", "--notion", "dp", "--loss", "ln(248088744/2480887)", "--size", "4"], capsys)
    assert code == 0
    assert "…" not in out
    assert "log(248088744/2480887)" in out


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_stands_alone(name: str) -> None:
    document = schema(name)
    Draft202012Validator.check_schema(document)
    assert "urn:" not in json.dumps({key: value for key, value in document.items() if key != "$id"})
    # Every reference leads somewhere within the document.
    for reference in re.findall(r'"\$ref": "(.*?)"', json.dumps(document)):
        part = document
        for step in reference.split("/")[1:]:
            part = part[step]


def test_an_interrupt_while_parts_are_loaded_is_one_sentence(tmp_path: Path) -> None:
    # Whatever is loaded after the entry point is interrupted at once.
    (tmp_path / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    found = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "epstar", "notions"],
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        check=False,
    )
    assert done.returncode == result.INTERRUPTED
    assert done.stderr == b"epstar: Stopped; nothing unfinished was written.\n"


def test_a_plot_in_no_known_format_is_refused_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = spoken([*SOLVE, "--plot", "curve.gif"], capsys)
    assert (code, out) == (2, "")
    assert "no format" in err


def test_exit_codes_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    listed = capsys.readouterr().out.partition("exit codes:\n")[2].splitlines()
    codes = {int(line.split()[0]) for line in listed if line.strip()}
    known = (result.REFUTED, result.BAD_INPUT, result.NO_SOLUTION, result.LIMIT, result.UNDECIDED)
    assert codes == {0, *known, result.INTERRUPTED}


def test_help_is_quick_because_it_loads_nothing_else() -> None:
    # Python names on standard error what it loads; how long that takes is for no test to say.
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "epstar.cli.main", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert {name for name in loaded if name.startswith("epstar")} <= {"epstar", "epstar.cli"}
    assert "argparse" in loaded
    heavy = {"numpy", "scipy", "flint", "rich", "pyarrow", "importlib.metadata", "asyncio", "multiprocessing"}
    assert loaded & heavy == set()


@pytest.mark.parametrize("name", ["solve", "curve", "convert", "query"])
def test_problems_come_from_files_and_from_standard_input(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = json.loads((folder / "problem.json").read_text())
    if name == "convert":
        problem = {"notion": {"name": "differential_privacy"}, "universe": {"size": 3}, "at": {"loss": "log(3)"}}
        problem["to"] = {"name": "maximal_leakage"}
    if name == "query":
        query = {"name": "count", "individuals": 3, "values": 2}
        problem = {"universe": {"query": query}, "source": {"prior": ["1/4"] * 4}, "at": {"loss": "log(2)"}}
        problem["distortion"] = {"gain": [[1, 0], [1, 0], [0, 1], [0, 1]]}
    if name == "curve":
        problem["at"] = {"curve": ["1/5", "3/10"]}
    file = folder / f"{name}-problem.json"
    file.write_text(json.dumps(problem))
    by_file = spoken([name, str(file), "--json"], capsys)
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(file.read_bytes())))
    piped = spoken([name, "-", "--json"], capsys)
    assert by_file == piped
    assert (by_file[0], by_file[2]) == (0, "")
    assert json.loads(by_file[1])


def test_commands_pipe_into_each_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("check", "audit"):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO((folder / "answer.json").read_bytes())))
        code, out, err = spoken([name, "-", "--json"], capsys)
        assert (code, err) == (0, "")
        assert json.loads(out)


@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "table"])
def test_a_reader_that_goes_away_is_no_error(form: list[str]) -> None:
    process = subprocess.Popen(
        [*EPSTAR, "curve", "--notion", "dp", *PRIOR, *form], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(600) == 0


def test_an_interrupt_is_one_sentence() -> None:
    process = subprocess.Popen(
        [*EPSTAR, "solve", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    # A pipe takes no more than it has room for, until somebody reads: then the command waits for the rest.
    os.write(process.stdin.fileno(), b" " * (fcntl.fcntl(process.stdin, fcntl.F_GETPIPE_SZ) + 1))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == result.INTERRUPTED
    assert out == b""
    assert err == b"epstar: Stopped; nothing unfinished was written.\n"


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("working") as step:
        assert step is None
    assert capsys.readouterr() == ("", "")


class Terminal:
    """A terminal in place of standard error."""

    def __init__(self, shown: int) -> None:
        self._shown = shown

    def wait_for(self, wanted: str) -> str:
        """Return what it has shown once something wanted is among it."""
        seen = ""
        while wanted not in seen:
            assert select.select([self._shown], [], [], 600)[0], seen
            seen += os.read(self._shown, 1 << 16).decode()
        return seen

    def is_empty(self) -> bool:
        """Whether it shows nothing that was not read."""
        return not select.select([self._shown], [], [], 0)[0]


@contextmanager
def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A block whose standard error is a terminal."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as written:
        monkeypatch.setattr(sys, "stderr", written)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        yield Terminal(ours)
        os.close(ours)


def test_progress_on_a_terminal_is_shown_where_work_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars, "_PATIENCE", 0.05)
    with on_a_terminal(monkeypatch) as terminal, progress("working", "rows") as step:
        assert step is not None
        step(3, 7)
        assert "working" in terminal.wait_for("3/7")


def test_progress_on_a_terminal_is_silent_where_work_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars, "_PATIENCE", 3600.0)
    with on_a_terminal(monkeypatch) as terminal:
        with progress("working", "rows") as step:
            assert step is not None
            step(3, 7)
            time.sleep(0.2)
        assert terminal.is_empty()
