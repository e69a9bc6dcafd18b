"""The registry finds every claim and figure by its key and imports the papers only when asked."""

import subprocess
import sys

import pytest

from epstar.errors import InvalidInput
from epstar_papers import Figure, Theorem, all_figures, all_theorems, find


def test_keys_are_unique_and_found() -> None:
    theorems, figures = all_theorems(), all_figures()
    keys = [theorem.key for theorem in theorems] + list(figures)
    assert len(keys) == len(set(keys))
    assert isinstance(find("kalantari2018:thm-1"), Theorem)
    assert isinstance(find("kalantari2018:fig-4"), Figure)


def test_an_unknown_key_names_its_neighbours() -> None:
    with pytest.raises(InvalidInput, match=r"did you mean .*kalantari2018:thm-1"):
        find("kalantari2018:thm-11")
    with pytest.raises(InvalidInput, match="keys look like"):
        find("?")


def test_importing_the_registry_imports_no_paper() -> None:
    program = "import sys, epstar_papers; print([m for m in sys.modules if m.startswith('epstar_papers.kal')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
