"""After a table was released no exit code says otherwise, and whatever can fail is tried before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from epstar.cli import main as command_line
from epstar.cli import release as command
from epstar.cli.main import main
from epstar.release import Entry, Release, estimate, pair
from epstar.release.atomic_files import StagedFile

EPSTAR = [sys.executable, "-m", "epstar.cli.main"]
WORDS = ["release", "in.csv", "--column", "x", "--categories", "a,b", "--loss", "1", "-o", "out.csv"]
FORMS = [[], ["--json"], ["--cite"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("x\n" + "a\nb\n" * 300, encoding="utf-8")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


WHOLE = ["in.csv", "out.csv", "out.csv.release.json"]


@pytest.mark.parametrize("picture", ["nowhere/x.png", "in.csv/x.svg", "folder.svg", "x.gif"])
def test_a_picture_that_cannot_be_drawn_is_found_before(
    picture: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "folder.svg").mkdir()
    assert main([*WORDS, "--plot", picture]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert names(folder) == ["folder.svg", "in.csv"]


def test_a_picture_that_fails_to_be_drawn_ends_the_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fails_with_a_full_disk)
    assert main([*WORDS, "--plot", "x.svg"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert names(folder) == ["in.csv"]


def fails_with_a_full_disk(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("form", FORMS, ids=["table", "json", "cite"])
def test_a_full_standard_output_is_found_before(form: list[str], folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*EPSTAR, *WORDS, *form], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no space left on device" in done.stderr
    assert names(folder) == ["in.csv"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("form", FORMS[:2], ids=["table", "json"])
def test_streams_that_are_closed_are_not_written_to(form: list[str], closed: str, folder: Path) -> None:
    script = f'"$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *EPSTAR, *WORDS, *form], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert names(folder) == WHOLE
    # No file took the place of a stream that was closed.
    assert (folder / "out.csv").read_text(encoding="utf-8").splitlines()[0] == "x"
    assert estimate("out.csv", "x").rows == 600


@pytest.mark.parametrize("closed", [">&-", "> /dev/full"])
def test_other_commands_do_not_fail_with_a_traceback_either(closed: str, folder: Path) -> None:
    for words in (["solve", "--notion", "dp", "--size", "3", "--loss", "1"], ["completion", "bash"]):
        done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *EPSTAR, *words], capture_output=True, check=False)
        assert done.returncode == (0 if closed == ">&-" else 2)
        assert done.stderr.count(b"\n") == (0 if closed == ">&-" else 1)


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "stop"])
@pytest.mark.parametrize("form", FORMS, ids=["table", "json", "cite"])
def test_what_fails_after_the_release_does_not_change_the_exit_code(
    form: list[str],
    failure: BaseException,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: object) -> None:
        raise failure

    monkeypatch.setattr("epstar.cli.result.print_result", fails)
    monkeypatch.setattr(command_line, "_silence", lambda: None)
    assert main([*WORDS, *form]) == 0
    said = capsys.readouterr().err
    assert "The table WAS released to out.csv." in said
    assert "do not run it again" in said
    assert said.count("\n") == 1
    assert names(folder) == WHOLE


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["before the table", "before the description", "after both"])
def test_a_signal_while_names_are_given_comes_too_late(
    stop: signal.Signals,
    moment: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    publish = StagedFile.publish

    def stopped(self: StagedFile, force: bool) -> None:
        is_table = self.path.name == "out.csv"
        if is_table == (moment == "before the table") and moment != "after both":
            os.kill(os.getpid(), stop)
        publish(self, force)
        if not is_table and moment == "after both":
            os.kill(os.getpid(), stop)

    before = signal.getsignal(stop)
    monkeypatch.setattr(StagedFile, "publish", stopped)
    assert main(WORDS) == 0
    assert "600 rows released" in capsys.readouterr().out
    assert names(folder) == WHOLE
    assert signal.getsignal(stop) == before


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_names_are_given_ends_the_release(
    stop: signal.Signals, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = command._result

    def stopped(done: Release, counted: Sequence[Entry]) -> object:
        os.kill(os.getpid(), stop)
        return result(done, counted)

    monkeypatch.setattr(command, "_result", stopped)
    try:
        code: object = main(WORDS)
    except SystemExit as ended:
        code = ended.code
    assert code == 128 + stop
    assert "nothing unfinished was written" in capsys.readouterr().err
    assert names(folder) == ["in.csv"]


def test_a_description_that_cannot_get_its_name_is_found_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(WORDS) == 0
    replace = Path.replace

    def fails(self: Path, target: Path) -> Path:
        if Path(target).name == "out.csv.release.json":
            fails_with_a_full_disk()
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fails)
        assert main([*WORDS, "--force", "--json"]) == 0
    assert len(names(folder)) == 4
    assert estimate("out.csv", "x").rows == 600
    assert pair.description_of(Path("out.csv")).name.startswith(".out.csv.release.json.")
    capsys.readouterr()
    # The next one puts everything in order.
    assert main([*WORDS, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["release_file"] == "out.csv.release.json"
    assert names(folder) == WHOLE
