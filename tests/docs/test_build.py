"""The documentation is built without a warning."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED_FROM_ELSEWHERE = re.compile(r'<(script|link|img|iframe)\b[^>]*\b(src|href)="(https?:)?//')


def check_reference(folder: Path) -> None:
    """Check that a name which takes or returns something says what, whatever its docstring has in words."""
    shown = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.html"))
    named = re.split(r'<dl class="py (?:function|method|class)', shown)[1:]
    takes = [
        one for one in named if re.search(r'<em class="sig-param">(?!<span class="n"><span class="pre">self)', one)
    ]
    assert len(takes) > 300
    # A member of an enumeration is found by its value, which Python declares without a type.
    silent = [
        one for one in takes if "Parameters<span" not in one and not re.search("epstar_papers.(Relation|Verdict)", one)
    ]
    assert [one[:300] for one in silent] == []


def test_sphinx_builds_the_pages_without_a_warning(tmp_path: Path) -> None:
    # The plain theme takes a quarter less time, and no warning comes from a theme; `make docs` uses the real one.
    options = ["-W", "--keep-going", "-q", "-b", "html", "-D", "html_theme=basic", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(tmp_path / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path / "html").as_posix() for path in (tmp_path / "html").rglob("*.html")}
    assert {"index.html", "first-steps.html", "tutorial.html", "papers/errata.html", "reference/frontier.html"} <= pages
    check_reference(tmp_path / "html" / "reference")
    for path in (tmp_path / "html").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert LOADED_FROM_ELSEWHERE.search(text) is None, path.name
        assert "<math" in text or path.name != "proofs.html"
