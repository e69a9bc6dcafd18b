"""The files of the page: what it opens with is fetched in one wave, and not one file after the other."""

import gzip
import re
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from epstar.web.static_files import StaticFile

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


@pytest.mark.parametrize(
    "path", sorted(path for path in STATIC.rglob("*") if path.is_file()), ids=lambda path: path.name
)
def test_a_file_is_the_same_compressed_and_not_sent_to_who_has_it(path: Path) -> None:
    file = StaticFile(path)
    plain = file.response(Headers({}), {})
    packed = file.response(Headers({"accept-encoding": "br, gzip"}), {})
    assert plain.body == gzip.decompress(bytes(packed.body)) == path.read_bytes()
    assert (plain.headers.get("content-encoding"), packed.headers["content-encoding"]) == (None, "gzip")
    again = file.response(Headers({"if-none-match": f"W/{plain.headers['etag']}"}), {"cache-control": "max-age=1"})
    assert (again.status_code, again.body, again.headers["cache-control"]) == (304, b"", "max-age=1")
