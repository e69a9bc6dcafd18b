"""The files of the page: what it opens with is fetched in one wave, and not one file after the other."""

import re
from pathlib import Path

STATIC = Path(__file__).resolve().parents[2] / "src" / "epstar" / "web" / "static"
IMPORTED = re.compile(r'^(?:import|export) (?:[^"]*? from )?"\./([\w-]+\.js)"', re.MULTILINE)


def modules(name: str, known: set[str]) -> set[str]:
    """A module and all that it imports, each once."""
    if name not in known:
        known.add(name)
        for other in IMPORTED.findall((STATIC / "js" / name).read_text(encoding="utf-8")):
            modules(other, known)
    return known


def test_every_module_that_the_page_opens_with_is_fetched_at_once() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    listed = re.findall(r'<link rel="modulepreload" href="js/([\w-]+\.js)">', page)
    assert listed == sorted(modules("main.js", set()) - {"main.js"})
    assert len(listed) > 20
    assert '<link rel="preload" href="api/explorer" as="fetch" crossorigin>' in page
