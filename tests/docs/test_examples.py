"""Every public name has an example in its docstring, which the doctests run.

Public are the names of `epstar` and those that the API reference shows.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import epstar

DOCS = Path(__file__).parents[2] / "docs"
DIRECTIVE = re.compile(r"^\.\. auto(module|class|function):: (\S+)\n((?:   :.*\n)*)", re.MULTILINE)
# A session of Spark takes longer to start than all other examples together: its page shows these names, and the
# engineer's notebook and tests/release run them.
ON_A_PAGE = {"epstar.release.spark": "spark.md"}


def listed(options: str, name: str) -> set[str] | None:
    """The names in an option of a directive, None where it is not given."""
    found = re.search(rf":{name}: (.*)", options)
    return None if found is None else {entry.strip() for entry in found[1].split(",")}


def shown(module: str, options: str) -> Iterator[str]:
    """The names that the reference shows of a module."""
    found = import_module(module)
    own = [name for name, value in vars(found).items() if getattr(value, "__module__", None) == module]
    names = listed(options, "members") or set(getattr(found, "__all__", own))
    yield from sorted(names - (listed(options, "exclude-members") or set()))


def public() -> Iterator[tuple[str, str]]:
    """The public names that are classes or functions, by module."""
    found = {("epstar", name) for name in epstar.__all__}
    for page in (DOCS / "reference").glob("*.md"):
        for kind, target, options in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            if kind == "module":
                found |= {(target, name) for name in shown(target, options)}
            else:
                found.add(tuple(target.rsplit(".", 1)))
    for module, name in sorted(found):
        value = getattr(import_module(module), name)
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isroutine(value)):
            yield module, name


PUBLIC = list(public())


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=[".".join(place) for place in PUBLIC])
def test_a_public_name_has_an_example(module: str, name: str) -> None:
    if module in ON_A_PAGE:
        assert name in (DOCS / ON_A_PAGE[module]).read_text(encoding="utf-8")
    else:
        found = getattr(import_module(module), name)
        assert ">>>" in (inspect.getdoc(found) or ""), f"{module}.{name} has no example in its docstring"


def test_the_reference_shows_what_there_is() -> None:
    """None of this could be seen if the directives were read wrongly."""
    assert len(PUBLIC) > 350
    assert {("epstar", "Frontier"), ("epstar.release", "estimate"), ("epstar.plot", "plot_curves")} <= set(PUBLIC)
