"""Every public name has an example in its docstring, which the doctests run."""

import inspect
from importlib import import_module

import pytest

import epstar

# A version is a text, and an alias of types an annotation: neither has a docstring of its own.
WITHOUT = {"__version__", "Number", "INFINITY"}


@pytest.mark.parametrize("name", sorted(set(epstar.__all__) - WITHOUT))
def test_a_public_name_has_an_example(name: str) -> None:
    found = getattr(epstar, name)
    assert ">>>" in (inspect.getdoc(found) or ""), f"epstar.{name} has no example in its docstring"


# What programs use of modules that are not in the front of the house.
CALLED = {
    "epstar.answer": ("answer",),
    "epstar.answer_file": ("read_answer", "write_answer"),
    "epstar.catalogue": ("needs_table",),
    "epstar.curve_file": ("read_curve", "write_curve"),
    "epstar.json_document": ("check_json", "read_json"),
    "epstar.notebook.explorer": ("Explorer",),
    "epstar.notebook.files": ("load", "save"),
    "epstar.plot": ("Canvas", "check_target", "plot_curves", "plot_intervals", "plot_lines", "plot_mechanism"),
    "epstar.points": ("stream",),
    "epstar.problem_file": ("read_problem", "read_problems", "write_problem"),
}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in CALLED.items() for name in names])
def test_a_name_of_a_module_has_an_example(module: str, name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(import_module(module), name)) or ""), f"{module}.{name} has no example"


def test_what_needs_no_example_is_named_rightly() -> None:
    assert set(epstar.__all__) >= WITHOUT
    assert all(not inspect.isclass(getattr(epstar, name)) for name in WITHOUT)
