"""The container file, step by step without a container: what it copies, installs, starts and asks for its health."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
STEPS = [(line.split()[0], line.split(None, 1)[1]) for line in TEXT.splitlines() if line and not line.startswith("#")]
PATIENCE_SECONDS = 120

pytestmark = pytest.mark.xdist_group("install")


def step(name: str) -> str:
    """The only step of a kind."""
    (found,) = (words for kind, words in STEPS if kind == name)
    return found


def runs() -> list[list[str]]:
    """The commands that install, in their order, each as a list of words."""
    found = [words.split(" && ") for kind, words in STEPS if kind == "RUN" and words.startswith("pip ")]
    return [shlex.split(command) for commands in found for command in commands if command.startswith("pip ")]


def pinned(name: str) -> dict[str, str]:
    """The version of each package in a file of requirements."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(package): version for package, version in pairs}


def needed(requirements: Iterable[str], extras: frozenset[str] = frozenset()) -> set[str]:
    """The packages that requirements name, and those that these need."""
    found: set[str] = set()
    waiting = [(Requirement(line), extras) for line in requirements]
    while waiting:
        one, asked = waiting.pop()
        if one.marker is not None and not any(one.marker.evaluate({"extra": extra}) for extra in {"", *asked}):
            continue
        if canonicalize_name(one.name) not in found:
            found.add(canonicalize_name(one.name))
            inner = distribution(one.name).requires or []
            waiting += [(Requirement(line), frozenset(one.extras)) for line in inner]
    return found


def test_the_requirements_are_all_that_the_explorer_needs_at_the_tested_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (project["optional-dependencies"][extra] for extra in ("web", "table", "plot"))
    asked = [*project["dependencies"], *(line for extra in extras for line in extra)]
    found, tested = pinned("deploy/requirements.txt"), pinned("constraints.txt")
    assert found == {package: tested[package] for package in needed(asked)}
    assert all(found[canonicalize_name(one.name)] in one.specifier for one in map(Requirement, asked))


def test_only_known_steps_are_taken() -> None:
    kinds = " ".join(kind for kind, _ in STEPS)
    assert kinds == "FROM RUN COPY RUN COPY COPY RUN USER EXPOSE ENTRYPOINT HEALTHCHECK"
    assert [words for kind, words in STEPS if kind == "RUN"][-1].endswith(" && pip check && rm -r /source")
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert step("FROM") == f"python:{oldest.removeprefix('>=')}-slim"


def test_the_user_has_no_rights() -> None:
    made = next(words for kind, words in STEPS if kind == "RUN")
    assert made == f"useradd --create-home --uid 10001 {step('USER')}"


def test_one_port_is_meant_everywhere() -> None:
    entry = json.loads(step("ENTRYPOINT"))
    assert entry[entry.index("--port") + 1] == step("EXPOSE")
    assert f"http://127.0.0.1:{step('EXPOSE')}/api/health" in step("HEALTHCHECK")


@pytest.fixture(params=["this", pytest.param("fresh", marks=pytest.mark.full)])
def programs(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where the programs of an environment are: this one, or a new one made by the steps of the file."""
    if request.param == "this":
        return Path(sys.executable).parent
    source, folder = tmp_path / "source", tmp_path / "environment"
    for words in (words for kind, words in STEPS if kind == "COPY"):
        *names, place = words.split()
        for name in names:
            target = source / Path(place).relative_to("/source")
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
            else:
                target.mkdir(exist_ok=True, parents=True)
                shutil.copy(ROOT / name, target)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for pip, *rest in runs():
        here = [word.replace("/source", str(source)) for word in rest]
        subprocess.run([folder / "bin" / pip, *here, "--quiet", "--disable-pip-version-check"], check=True)
    return folder / "bin"


def test_it_starts_and_is_healthy_until_it_ends(programs: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program, *options = (word.replace(step("EXPOSE"), port) for word in json.loads(step("ENTRYPOINT")))
    asked = re.search(r"CMD (\[.*\])", step("HEALTHCHECK"))
    assert asked is not None
    python, *question = (word.replace(step("EXPOSE"), port) for word in json.loads(asked[1]))

    def is_healthy() -> bool:
        return subprocess.run([programs / python, *question], capture_output=True, check=False).returncode == 0

    assert not is_healthy()
    served = subprocess.Popen([programs / program, *options], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert served.stdout is not None
    try:
        assert f"http://127.0.0.1:{port}/?token=" in served.stdout.readline()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_healthy():
            assert time.monotonic() < deadline
    finally:
        served.terminate()
        served.wait(PATIENCE_SECONDS)
        served.stdout.close()
    assert not is_healthy()
