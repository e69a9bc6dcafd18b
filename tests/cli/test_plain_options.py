"""What the command line says about options: as they are typed, in plain words; and those that every question takes."""

import argparse
import json
from pathlib import Path

import pytest

from epstar.cli.main import build_parser, main

QUERY = '{"query": {"name": "count", "individuals": 2, "values": 2}}'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["curve", "--points", "abc"], "--points takes a whole number, such as 3, not 'abc'; see"),
        (["solve", "--time-limit", "x"], "--time-limit takes a number, such as 0.5, not 'x'"),
        (["solve", "--loss"], "--loss needs a value after it"),
        (["solve", "--json", "--cite"], "--cite and --json cannot be given together"),
        (["export", "answer.json"], "Nothing was given for --to"),
        (["check"], "Nothing was given for answer"),
        (["export", "answer.json", "--to", "cog"], "--to cannot be 'cog' (did you mean coq?); choose from coq, vipr,"),
        (["slove", "--help"], "There is no command 'slove' (did you mean solve?)"),
    ],
)  # fmt: skip
def test_a_slip_gets_one_plain_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("epstar: ")
    assert err.endswith("--help`.\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["solve", "curve", "audit", "convert", "query"])
def test_every_command_that_takes_a_question_takes_its_parts(command: str) -> None:
    parser = build_parser([command])
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    options = {name for action in commands.choices[command]._actions for name in action.option_strings}
    # A conversion is about all mechanisms with a guarantee, whatever their errors cost.
    asked = {"--source", "--labels", "--universe", "--prior"} | ({"--cost"} if command != "convert" else set())
    assert asked <= options


def test_a_query_is_named_as_a_problem_file_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "--universe", QUERY, "--labels", "none,one,both", "--loss", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    parts = ["--name", "count", "--individuals", "2", "--values", "2"]
    assert main(["query", *parts, "--loss", "1", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert found["optimum"]["lower"] == plain["optimum"]["lower"]
    assert found["query"] == plain["query"]
    assert main(["query", "--universe", QUERY, "--labels", "none,one,both", "--loss", "1"]) == 0
    assert "│ both │" in capsys.readouterr().out
    for wrong, sentence in (
        (["--universe", QUERY, "--name", "sum"], "give --universe or --name, not both"),
        ([*parts, "--loss", "1", "--labels", "a,b"], "--labels names 2 answers and there are 3; name each one"),
        (["--universe", "[]"], "--universe takes an object of JSON in braces"),
    ):
        assert main(["query", *wrong]) == 2
        assert sentence in capsys.readouterr().err


def test_a_table_is_no_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "private.csv"
    table.write_text("sex\nf\nm\nf\n", encoding="utf-8")
    asked = ["--column", "sex", "--categories", "f,m", "--loss", "1", "-o", str(tmp_path / "out.csv")]
    for arguments in (["release", str(table), *asked, "--ledger", str(table)], ["ledger", str(table)]):
        assert main(arguments) == 2
        assert "named as ledger is no ledger, and is left as it is" in capsys.readouterr().err
    assert table.read_text(encoding="utf-8") == "sex\nf\nm\nf\n"
    assert not (tmp_path / "out.csv").exists()


def test_what_is_exported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"schema": "epstar/notions/1"}', encoding="utf-8")
    assert main(["export", str(other), "--to", "coq"]) == 2
    said = capsys.readouterr().err
    assert "An answer, breakpoints or a proof is exported" in said
    assert all(f'"epstar/{kind}/2"' in said for kind in ("answer", "proof"))
    assert '"epstar/breakpoints/1"' in said


ASKED = ["solve", "--notion", "dp", "--prior", "0.4,0.3,0.2,0.1", "--distortion", "0.2", "--json"]


@pytest.mark.parametrize(
    ("written", "same"),
    [
        (["--secret", '["a", "a", "b", "b"]'], ["--secret", "a,a,b,b"]),
        (["--secret", "[[1, 0], [1, 0], [0, 1], [0, 1]]"], ["--secret", '{"of": [0, 0, 1, 1]}']),
        (["--also", '[{"notion": {"name": "capacity"}, "loss": 2}]'], ["--also", "capacity:2"]),
    ],
)
def test_lists_in_json_say_what_words_say(
    written: list[str], same: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for options in (written, same):
        assert main([*ASKED, *options]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["lower"] == answers[1]["lower"]
    assert answers[0]["upper"] == answers[1]["upper"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--unbiased", "1,2,3,4"], "'1,2,3,4' does not say which means are kept; give --unbiased the values of"),
        (["--unbiased", "[1, 2]"], "does not say which means are kept"),
        (["--gain", "[[1, 0], [0, 1]]"], "--gain is for g_leakage"),
    ],
)
def test_a_value_that_means_something_else_is_told_so(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ASKED, *options]) == 2
    assert said in capsys.readouterr().err
