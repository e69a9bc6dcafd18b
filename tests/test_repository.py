"""What may not be in the repository: traces of a machine, silenced checks, overlong files, loose pins."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import epstar

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 450

# Written in pieces, so that this file does not contain what it looks for.
FORBIDDEN = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.])/" + r"work/",
        r"(?<![\w.])/" + r"work\b(?=[\s`'\":)]|$)",
        r"/opt" + r"/(venv|wheels|pypi)",
        r"(?<![\w.])/" + r"root/",
        r"(?<![\w.])/" + r"home/\w",
        r"(?<![\w.])/" + r"Users/\w",
        r"bash" + r"_jobs",
        r"\.\." + r"/shared\b",
        r"pypi" + r"\.org",
        r"python" + r"hosted\.org",
        r"\bissues? " + r"#\d",
        r"\bsub-?" + r"agents?\b",
    )
]
SILENCERS = [
    re.compile(pattern)
    for pattern in (
        r"#\s*type:\s*" + r"ignore",
        r"#\s*" + r"noqa",
        r"#\s*mypy:\s*" + r"(ignore|disable)",
        r"\bskip" + r"(if)?\(",
        r"mark\.skip" + r"(if)?\b",
        r"\bx" + r"fail\b",
    )
]
UNTRACKED_FOLDERS = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis"}


def repository_files() -> list[Path]:
    """Files that are tracked or could be; every file outside build folders where git cannot tell."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [
            path
            for path in ROOT.rglob("*")
            if not any(
                part in UNTRACKED_FOLDERS or part.endswith(("_cache", ".egg-info"))
                for part in path.relative_to(ROOT).parts
            )
        ]
    return sorted(path for path in paths if path.is_file())


def matches(paths: list[Path], patterns: list[re.Pattern[str]]) -> list[str]:
    """Where a pattern occurs: file, line and what was found; files that are not text are passed over."""
    found = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, start=1):
            found += [f"{path.name}:{number}: {hit[0]}" for pattern in patterns if (hit := pattern.search(line))]
    return found


def requirement_name(requirement: str) -> str:
    """The normal form of the project a requirement names."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_the_repository_is_seen() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in repository_files()}
    assert {"pyproject.toml", "src/epstar/__init__.py", "tests/test_repository.py"} <= names


def test_no_trace_of_a_machine_or_a_workplace() -> None:
    assert matches(repository_files(), FORBIDDEN) == []


def test_no_check_is_silenced() -> None:
    assert matches([path for path in repository_files() if path.suffix == ".py"], SILENCERS) == []


def test_the_patterns_find_what_they_are_for(tmp_path: Path) -> None:
    planted = tmp_path / "planted.txt"
    traces = ["/" + "work/main", "see /" + "work", "/opt" + "/venv/bin", '"/' + 'home/me"', ".." + "/shared"]
    silencers = [
        "x = 1  # no" + "qa",
        "x = 1  # type: " + "ignore[misc]",
        "@pytest.mark.x" + "fail",
        "skip" + "()",
    ]
    for patterns, lines in ((FORBIDDEN, traces), (SILENCERS, silencers)):
        for line in lines:
            planted.write_text(line, encoding="utf-8")
            assert matches([planted], patterns), line


def test_innocent_lines_pass(tmp_path: Path) -> None:
    planted = tmp_path / "planted.txt"
    planted.write_text("docs/works/first.md\nframework\nhttps://example.com/home/page\nskipping\n", encoding="utf-8")
    assert matches([planted], FORBIDDEN + SILENCERS) == []


def test_no_source_file_is_too_long() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "src").rglob("*.py")
    }
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def test_constraints_pin_exactly_and_cover_what_make_installs() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", pin)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {requirement_name(item) for item in wanted} <= {requirement_name(pin) for pin in pins}


def test_the_citation_names_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {epstar.__version__}\n" in citation


@pytest.mark.xdist_group("together")
def test_workers_keep_the_tests_of_a_group_together(request: pytest.FixtureRequest) -> None:
    # Servers, clusters and environments are started once for a group; versions of the runner that do not know it start
    # them in every worker, and nothing fails.
    is_grouped = bool(getattr(request.config.option, "loadgroup", False))
    assert request.node.nodeid.endswith("@together") == is_grouped
