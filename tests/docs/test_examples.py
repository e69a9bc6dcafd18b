"""Every public name has an example in its docstring, which the doctests run."""

import inspect

import pytest

import epstar

# A version is a text, and an alias of types an annotation: neither has a docstring of its own.
WITHOUT = {"__version__", "Number", "INFINITY"}


@pytest.mark.parametrize("name", sorted(set(epstar.__all__) - WITHOUT))
def test_a_public_name_has_an_example(name: str) -> None:
    found = getattr(epstar, name)
    assert ">>>" in (inspect.getdoc(found) or ""), f"epstar.{name} has no example in its docstring"


def test_what_needs_no_example_is_named_rightly() -> None:
    assert set(epstar.__all__) >= WITHOUT
    assert all(not inspect.isclass(getattr(epstar, name)) for name in WITHOUT)
