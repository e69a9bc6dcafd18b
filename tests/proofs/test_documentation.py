"""The worked example of docs/proofs.md is executed."""

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_examples_are_true() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    path = str(ROOT / "docs" / "proofs.md")
    result = doctest.testfile(path, module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted >= 10
    assert result.failed == 0
