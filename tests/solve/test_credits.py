"""What answers rest on: a theorem that fails as printed is never credited plainly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import epstar
from epstar_papers import Verdict, all_theorems

CREDIT = re.compile(r"(\w+20\d\d), ((?:Theorem|Lemma|Proposition|Corollary|Definition) \d+(?:\(\d+\))?(?:\(\w\))?)")
# Words that say that it is not the printed statement.
CHANGED = ("as corrected", "extended", "exact", "sharpened", "true ", "read ")


def texts(path: Path) -> Iterator[str]:
    """The texts of a module that are no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def test_no_theorem_that_fails_as_printed_is_credited_plainly() -> None:
    failing = {
        (theorem.paper, theorem.label)
        for theorem in all_theorems()
        if theorem.verdict in (Verdict.FAILS, Verdict.ERRATUM)
    }
    assert ("zhong2022", "Theorem 13") in failing
    credited = [
        (text, found)
        for path in sorted(Path(epstar.__file__).parent.rglob("*.py"))
        for text in texts(path)
        for found in CREDIT.finditer(text)
    ]
    assert len(credited) > 40
    plain = [
        text
        for text, found in credited
        if (found[1], found[2]) in failing and not any(word in text for word in CHANGED)
    ]
    assert plain == []
