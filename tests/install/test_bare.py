"""A plain install: every command and every option does its work, or says in one sentence which extra it needs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TypedDict

import pytest
from tests.install.walk import ASKED, requests

from epstar.cli.main import COMMANDS, main
from epstar.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = re.compile(r"epstar: [^\n]* which is not installed; install it with: pip install 'epstar\[(\w+)\]'\.\n")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

pytestmark = pytest.mark.xdist_group("install")


class Outcome(TypedDict):
    """What came of a command."""

    request: list[str]
    code: int
    said: str
    trace: str


def module_names(requirements: list[str]) -> set[str]:
    """The names that packages are imported by, which for all but one of these is their own with underscores."""
    found = [re.match(r"[A-Za-z0-9._-]+", requirement) for requirement in requirements]
    named = {name[0].replace("-", "_").lower() for name in found if name is not None}
    return {"sklearn" if name == "scikit_learn" else name for name in named}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that epstar was installed into, as anybody would, and no extra."""
    # Building writes beside the sources, so what is built is a copy of them.
    copy = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    folder = tmp_path_factory.mktemp("bare") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    interpreter = folder / "bin" / "python"
    # Most of what is installed is never imported here, and need not be compiled.
    install = ["install", "--quiet", "--no-compile", "--disable-pip-version-check", str(copy)]
    install += ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(interpreter), *install], check=True)
    return interpreter


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what commands are asked about: a mechanism, an answer, a private table and its release."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "mechanism.csv").write_text("3/4,1/4\n1/4,3/4\n")
    (folder / "table.csv").write_text("disease\n" + "flu\nflu\ncold\n" * 20)
    printed = StringIO()
    with chdir(folder):
        with redirect_stdout(printed):
            assert main(["solve", *ASKED["solve"], "--json"]) == 0
            assert main(["release", *ASKED["release"][:-1], "first.csv"]) == 0
        (folder / "answer.json").write_text(printed.getvalue().splitlines()[0])
    return folder


@pytest.fixture(scope="module")
def outcomes(python: Path, files: Path) -> list[Outcome]:
    """What came of every command with every option."""
    walk = Path(__file__).with_name("walk.py")
    done = subprocess.run([python, "-I", walk, files], capture_output=True, text=True, check=True)
    found: list[Outcome] = json.loads(done.stdout)
    return found


def test_the_packages_of_the_extras_are_absent(python: Path) -> None:
    program = f"from importlib.util import find_spec\nprint([name for name in {sorted(EXTRAS)} if find_spec(name)])"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_each_is_one_sentence_at_most_and_never_a_traceback(outcomes: list[Outcome]) -> None:
    assert [outcome["request"] for outcome in outcomes] == list(requests())
    assert [outcome for outcome in outcomes if outcome["trace"]] == []
    assert [outcome for outcome in outcomes if outcome["said"].count("\n") > 1] == []
    assert [outcome for outcome in outcomes if outcome["said"] and not outcome["said"].startswith("epstar: ")] == []


def test_what_is_missing_is_named_with_its_extra(outcomes: list[Outcome]) -> None:
    told = [outcome for outcome in outcomes if "installed" in outcome["said"]]
    assert [outcome for outcome in told if not SENTENCE.fullmatch(outcome["said"]) or outcome["code"] != 2] == []
    named: dict[str, set[str]] = {}
    for outcome in told:
        sentence = SENTENCE.fullmatch(outcome["said"])
        assert sentence is not None
        named.setdefault(outcome["request"][0], set()).add(sentence[1])
    pictures = {command.name for command in COMMANDS if command.load().PICTURE}
    assert {name for name, extras in named.items() if "plot" in extras} == pictures
    assert {name: extras - {"plot"} for name, extras in named.items() if extras != {"plot"}} == {
        "release": {"table"},
        "estimate": {"table"},
        "serve": {"web"},
        "demo": {"demo"},
    }


def test_commands_that_need_no_extra_do_their_work(outcomes: list[Outcome]) -> None:
    by_itself = {tuple(outcome["request"]): outcome["code"] for outcome in outcomes}
    plain = ("solve", "curve", "audit", "check", "convert", "query", "report", "theorem", "completion", "demo")
    assert {name: by_itself[name, *ASKED.get(name, [])] for name in plain} == dict.fromkeys(plain, 0)


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        (
            "from epstar.release import *; release('table.csv', 'o.csv', Column('a', Categories(['a'])), loss=1)",
            "table",
        ),
        ("from epstar.release import estimate; estimate('first.csv', 'disease')", "table"),
        ("from epstar.release import Keystream; Keystream()", "table"),
        ("from epstar.plot import check_target; check_target('picture.svg')", "plot"),
        ("from epstar.plot import check_target; check_target('picture.html')", "plot"),
        ("from epstar.release.spark.task import require_pyspark; require_pyspark()", "spark"),
        ("import epstar.release.transformer", "learn"),
        ("import epstar.testing", "dev"),
    ],
)
def test_the_library_says_the_same(python: Path, files: Path, call: str, extra: str) -> None:
    program = (
        f"from epstar.errors import MissingExtra\ntry:\n    {call}\nexcept MissingExtra as error:\n    print(error)"
    )
    done = subprocess.run([python, "-I", "-c", program], cwd=files, capture_output=True, text=True, check=True)
    sentence = SENTENCE.fullmatch(f"epstar: {done.stdout}")
    assert sentence is not None, done.stdout
    assert sentence[1] == extra


def test_every_package_of_an_extra_is_known_by_one_that_brings_it() -> None:
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    core = module_names(PROJECT["dependencies"])
    for extra in ("plot", "table", "frame", "learn", "spark", "web", "demo", "accounting"):
        assert module_names(optional[extra]) - core <= set(EXTRAS)
    for package, extra in EXTRAS.items():
        # FastAPI brings starlette.
        assert {"starlette": "fastapi"}.get(package, package) in module_names(optional[extra])


def test_all_is_every_extra_for_users() -> None:
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    (everything,) = optional["all"]
    named = everything.removeprefix("epstar[").removesuffix("]").split(",")
    assert set(named) == set(optional) - {"all", "docs", "dev"}
