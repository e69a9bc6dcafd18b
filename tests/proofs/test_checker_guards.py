"""Every guard of the second checker matters: without it, some document that is refused no longer is."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import check_proof
import pytest
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.forgeries import FORGED
from tests.proofs.test_check_proof import ANSWER, FALSE, HOSTILE, WRONG, changed, lies

SOURCE = Path(check_proof.__file__).read_text(encoding="utf-8")


def is_guard(node: ast.AST) -> bool:
    """Return whether a statement does nothing but refuse."""
    if isinstance(node, ast.Raise):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    name = (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )
    return name in ("require", "fail")


def guards() -> dict[int, range]:
    """Return the lines of every guard, by its first."""
    inside = {"require", "fail", "spend"}
    found = {}
    for function in ast.walk(ast.parse(SOURCE)):
        if isinstance(function, ast.FunctionDef) and function.name not in inside:
            for node in ast.walk(function):
                if isinstance(node, ast.stmt) and is_guard(node):
                    found[node.lineno] = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return found


class Without(ast.NodeTransformer):
    """Takes one guard out."""

    def __init__(self, line: int) -> None:
        self.line = line

    def visit(self, node: ast.AST) -> Any:
        if is_guard(node) and isinstance(node, ast.stmt) and node.lineno == self.line:
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def lines_of(trace: TracebackType | None) -> Iterator[int]:
    """Yield the lines of the checker in a traceback."""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == check_proof.__file__:
            yield trace.tb_lineno
        trace = trace.tb_next


def refused_documents() -> list[bytes]:
    """Return documents that are refused, each for one reason at least."""
    false = [changed(HAND_MADE[name], path, value) for name, path, value in FALSE]
    wrong = [changed(SPREAD, path, value) for path, value in WRONG]
    hairs = [lie for document in (*HAND_MADE.values(), *GENUINE[:40]) for lie in lies(document)]
    ends = [
        {**ANSWER, "lower": 1.7},
        {**ANSWER, "upper": 1.6},
        {**ANSWER, "at": {"distortion": "1/7"}},
        {**ANSWER, "lower": "x"},
    ]
    quick = [content for name, content in HOSTILE.items() if name not in ("many lists", "many corners", "deep")]
    return [*(json.dumps(document).encode() for document in (*false, *wrong, *hairs, *ends, *FORGED.values())), *quick]


@pytest.mark.parametrize("name", FORGED)
def test_forged_documents_are_refused(name: str) -> None:
    with pytest.raises((check_proof.Refused, check_proof.Unreadable)):
        check_proof.check(json.dumps(FORGED[name]).encode())


@pytest.fixture(scope="module")
def refusals() -> dict[int, list[bytes]]:
    """Return, for each guard, the documents that it refuses."""
    by_line = {line: first for first, lines in guards().items() for line in lines}
    found: dict[int, list[bytes]] = {}
    for content in refused_documents():
        try:
            check_proof.check(content)
        except (check_proof.Refused, check_proof.Unreadable) as error:
            guard = [by_line[line] for line in lines_of(error.__traceback__) if line in by_line]
            if guard:
                found.setdefault(guard[-1], []).append(content)
    return found


@pytest.mark.parametrize("line", guards())
def test_without_a_guard_something_is_no_longer_refused(line: int, refusals: dict[int, list[bytes]]) -> None:
    assert line in refusals, f"no document is refused in line {line}: {SOURCE.splitlines()[line - 1].strip()}"
    tree = ast.fix_missing_locations(Without(line).visit(ast.parse(SOURCE)))
    module: dict[str, Any] = {"__name__": "checker_without_a_guard"}
    exec(compile(tree, "checker_without_a_guard", "exec"), module)
    for content in refusals[line]:
        try:
            module["check"](content)
        except (module["Refused"], module["Unreadable"]):
            continue
        except (ArithmeticError, NameError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return  # it goes on, and stumbles
        return
    raise AssertionError(f"another guard refuses what line {line} does: {SOURCE.splitlines()[line - 1].strip()}")
