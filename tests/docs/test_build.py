"""The documentation is built without a warning."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED_FROM_ELSEWHERE = re.compile(r'<(script|link|img|iframe)\b[^>]*\b(src|href)="(https?:)?//')


def test_sphinx_builds_the_pages_without_a_warning(tmp_path: Path) -> None:
    # The plain theme takes a quarter less time, and no warning comes from a theme; `make docs` uses the real one.
    options = ["-W", "--keep-going", "-q", "-b", "html", "-D", "html_theme=basic", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(tmp_path / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path / "html").as_posix() for path in (tmp_path / "html").rglob("*.html")}
    assert {"index.html", "first-steps.html", "tutorial.html", "papers/errata.html", "reference/frontier.html"} <= pages
    for path in (tmp_path / "html").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert LOADED_FROM_ELSEWHERE.search(text) is None, path.name
        assert "<math" in text or path.name != "proofs.html"
