"""What is the same for every command: help with examples, JSON, citations, pictures, one-sentence errors, silence."""

from __future__ import annotations

import fcntl
import json
import os
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

from epstar.cli import progress as bars
from epstar.cli import result
from epstar.cli.main import COMMANDS, Command, main
from epstar.cli.progress import progress

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
        (place / "job.json").write_text(json.dumps(job))
        assert main(["release", "job.json"]) == 0
    return place


ASKED: dict[str, list[str]] = {
    "solve": SOLVE,
    "curve": ["curve", "--notion", "dp", *PRIOR, "--points", "4"],
    "audit": ["audit", "mechanism.csv"],
    "check": ["check", "answer.json"],
    "convert": ["convert", "--notion", "dp", "--loss", "1", "--size", "3", "--to", "leakage"],
    "query": ["query", "--name", "count", "--individuals", "3", "--values", "2", "--loss", "log(2)"],
    "release": ["release", "table.csv", "--column", "disease", "--categories", "flu,cold", "--loss", "1", *OUTPUT],
    "estimate": ["estimate", "first.csv", "--column", "disease"],
    "report": ["report", "first.csv.release.json", "-o", "report.html", "--force"],
    "theorem": ["theorem", "kalantari2018:lemma-1"],
    "reproduce": ["reproduce", "kalantari2018", "table1", "-o", "figures"],
    "demo": ["demo"],
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
    assert json.loads(out)


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
        assert name in ("report", "theorem")
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


def test_an_unknown_command_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["slove"], []):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        err = capsys.readouterr().err
        assert err.startswith("epstar: ")
        assert err.count("\n") == 1


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
