"""Every option of the commands about tables with values that nobody should give: a result, or one sentence."""

from __future__ import annotations

import argparse
import os
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from epstar.cli.main import build_parser, main

JUNK = ("", "x=", "-1", "nan", "1e400", "1/0", os.fsdecode(b"caf\xe9"), "n" * 300, "@empty", ",")
BASES: dict[str, list[str]] = {
    "release": ["data.csv", "--column", "x", "--categories", "a,b", "--loss", "1", "-o", "new.csv"],
    "estimate": ["out.csv", "--column", "x"],
    "plan": ["--categories", "4", "--rows", "100", "--loss", "1"],
    "audit": ["out.csv.release.json"],
    "ledger": [],
}
# What a later option of the same name takes the place of.
REPLACED = {"release": ("-o",), "plan": ("--categories", "--rows", "--loss"), "estimate": ("--column",)}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("options")
    (place / "data.csv").write_text("x,y\na,1\nb,2\na,3\n", encoding="utf-8")
    (place / "empty").mkdir()
    before = Path.cwd()
    os.chdir(place)
    try:
        with redirect_stdout(StringIO()):
            assert main(["release", *BASES["release"][:-1], "out.csv", "--keep", "y"]) == 0
    finally:
        os.chdir(before)
    return place


def options_of(command: str) -> list[argparse.Action]:
    """The options of a command that take a value, and its own arguments."""
    found = (action.choices for action in build_parser([command])._actions if isinstance(action.choices, dict))
    return [action for action in next(found)[command]._actions if action.nargs != 0]


def calls(command: str) -> list[list[str]]:
    """The base call, with one value replaced or added."""
    found = []
    for action in options_of(command):
        words = list(BASES[command])
        if not action.option_strings:
            found += [[command, value, *words[1:]] for value in JUNK]
            continue
        for known in REPLACED.get(command, ()):
            if known in action.option_strings:
                at = words.index(known)
                del words[at : at + 2]
        name = next(name for name in action.option_strings if name.startswith("--"))
        found += [[command, *words, f"{name}={value}"] for value in JUNK]
    return found


@pytest.mark.parametrize("command", BASES)
def test_a_hostile_value_gets_a_result_or_one_sentence(
    command: str, prepared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prepared)
    tried = calls(command)
    before = sorted(path.name for path in prepared.iterdir())
    refused = 0
    for words in tried:
        monkeypatch.setattr("sys.stdin", StringIO(""))
        try:
            code: object = main(words)
        except SystemExit as stopped:
            code = stopped.code
        told = capsys.readouterr()
        if code == 2:
            refused += 1
            assert told.err.count("\n") == 1, (words, told.err)
            assert told.err.startswith("epstar: "), words
            assert sorted(path.name for path in prepared.iterdir()) == before, words
        else:
            # An audit may also find that a claim does not hold.
            assert code == 0 or (code, command) == (1, "audit"), (words, code, told.err)
            for path in prepared.iterdir():
                if path.name not in before:
                    path.unlink()
    assert refused > len(tried) / 2
    print(f"{command}: {len(tried)} calls, {refused} refused")
