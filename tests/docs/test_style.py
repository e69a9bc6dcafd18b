"""Everything that a user reads keeps to the words of docs/style.md."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest
from tests.docs.test_examples import PUBLIC

ROOT = Path(__file__).resolve().parents[2]
BANNED = re.compile(
    r"""
    \blaws?\b (?!\sof\slarge\snumbers) | \bletters?\b | \b(in|out)put\ssymbols? | \bsymbols\sof\san?\salphabet
    | \bclass(es)?\sof\s(priors|distributions) | \b(forced|extremal|saturating)\smechanisms?
    | \b(rest|rests|rested|resting|hinge|hinges)\son\b | \bmany\san?\b | \bhesitates?\sbetween | \bnow\sand\sthen\b
    | (?<![\w.+/])(?<!\+\s)1\s(nats|bits|categories|rows|points|outputs|records)\b
    | \bnothing\sis\s(said|answered|told)\b
    | \b(frames?|series|numbers?|DataFrames?)\sof\s(pandas|numpy|polars|Spark|Arrow)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Names of the format and of the code may be what they are.
CODE = re.compile(r"``?[^`]*``?|\"\w+\":|\w+( :)?=|>>> .*|\.\.\. .*")
SCRIPT = re.compile(r'//.*|/\*[\s\S]*?\*/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
Passage = tuple[str, str]


def lines_of(place: str, text: str) -> Iterator[Passage]:
    """Each line of a text, with where it stands."""
    for number, line in enumerate(text.splitlines(), 1):
        yield f"{place}:{number}", line


def pages() -> Iterator[Passage]:
    """The files at the root and the pages of the documentation; of the changelog, what is new."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        if page.name == "CHANGELOG.md":
            text = "".join(re.split(r"(?m)^## ", text)[:2])
        if page.name != "style.md":
            yield from lines_of(page.relative_to(ROOT).as_posix(), text)


def notebooks() -> Iterator[Passage]:
    """The cells of the notebooks."""
    for page in (ROOT / "docs").rglob("*.ipynb"):
        for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
            yield from lines_of(page.name, "".join(cell["source"]))


class Strings(ast.NodeVisitor):
    """The strings of a module that hold words and stand in no docstring: messages, help, statements of papers."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def found(self) -> list[Passage]:
        """All of them."""
        self._found: list[Passage] = []
        self.visit(ast.parse(self.path.read_text(encoding="utf-8")))
        return self._found

    def visit_Expr(self, node: ast.Expr) -> None:
        """Pass over strings that stand alone."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Keep a string with a space in it."""
        if isinstance(node.value, str) and " " in node.value.strip():
            self._found.append((f"{self.path.relative_to(ROOT).as_posix()}:{node.lineno}", node.value))


def messages() -> Iterator[Passage]:
    """What the package says: errors, help, tables, the papers' statements."""
    for path in [*(ROOT / "src").rglob("*.py"), ROOT / "check_proof.py"]:
        yield from Strings(path).found


def docstrings() -> Iterator[Passage]:
    """The docstrings of public names, and of their public methods."""
    for module, name in PUBLIC:
        value = getattr(import_module(module), name)
        yield from lines_of(f"{module}.{name}", inspect.getdoc(value) or "")
        for method, found in vars(value).items() if inspect.isclass(value) else ():
            if not method.startswith("_") and not isinstance(found, type):
                yield from lines_of(f"{module}.{name}.{method}", getattr(found, "__doc__", None) or "")


def schemas() -> Iterator[Passage]:
    """The titles and descriptions of the schemas."""
    for path in (ROOT / "src" / "epstar" / "schemas").glob("*.json"):
        for text in re.findall(r'"(?:title|description)": "((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")):
            yield path.name, text


def explorers() -> Iterator[Passage]:
    """The texts of the page and of the notebook's explorer."""
    for path in (ROOT / "src" / "epstar").rglob("static/**/*"):
        if path.suffix == ".js":
            for found in SCRIPT.finditer(path.read_text(encoding="utf-8")):
                if found[0][0] in '"`' and " " in found[0]:
                    yield path.name, re.sub(r"\$\{[^}]*\}", "", found[0])
        elif path.suffix == ".html":
            yield from lines_of(path.name, re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8")))


def banned(texts: Iterable[Passage]) -> list[str]:
    """Where a word stands that should not."""
    return [f"{place}: {hit[0]}" for place, text in texts if (hit := BANNED.search(CODE.sub(" ", text)))]


@pytest.mark.parametrize(
    "texts", [pages, notebooks, messages, docstrings, schemas, explorers], ids=lambda texts: texts.__name__
)
def test_everything_that_is_read_keeps_to_the_style(texts: Callable[[], Iterator[Passage]]) -> None:
    found = list(texts())
    assert len(found) > 80
    assert banned(found) == []


@pytest.mark.parametrize(
    "line",
    [
        "The uniform law is possible.",
        "Add a letter",
        "a loss of 1 nats",
        "the verdict rests on 18 cases",
        "an attacker who hesitates between two values",
        "frames of pandas",
        "the class of priors",
        "Without a token nothing is answered.",
    ],
)
def test_a_banned_word_is_found(line: str) -> None:
    assert banned([("here", line)])


def test_what_the_code_is_called_may_be_named() -> None:
    plain = [
        "an entry of `laws`",
        '"laws": [["1"]]',
        "the law of large numbers",
        "0.1 nats",
        "flaws",
        "e^loss + 1 rows",
    ]
    assert banned([("here", line) for line in plain]) == []
