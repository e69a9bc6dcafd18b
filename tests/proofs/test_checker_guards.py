"""Every guard of the second checker matters: without it, some document that is refused no longer is."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

import check_proof
import pytest
from tests.claims import forged_covers
from tests.proofs import wider_forgeries
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.forgeries import FORGED, LARGE, MEMBERS, large
from tests.proofs.test_check_proof import ANSWER, FALSE, HOSTILE, WRONG, changed, lies
from tests.proofs.test_wider_documents import false_errors

SOURCE = Path(check_proof.__file__).read_text(encoding="utf-8")
STUMBLES = (ArithmeticError, NameError, LookupError, TypeError, ValueError, AttributeError, RecursionError)


def is_refusal(node: ast.AST | None) -> bool:
    """Return whether an expression does nothing but refuse."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("require", "expect", "fail")
    )


def is_statement(node: ast.AST) -> bool:
    """Return whether a statement does nothing but refuse."""
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and is_refusal(node.value))


def conditions(node: ast.AST) -> tuple[ast.AST, type[ast.boolop]] | None:
    """Return the condition of a guard, and how its parts are joined if any of them makes the guard refuse."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and is_refusal(node.value) and node.value.args:
        is_require = isinstance(node.value.func, ast.Name) and node.value.func.id != "fail"
        return (node.value.args[0], ast.And) if is_require else None
    if isinstance(node, ast.If) and len(node.body) == 1 and is_statement(node.body[0]) and not conditions(node.body[0]):
        return node.test, ast.Or
    if isinstance(node, ast.IfExp) and (is_refusal(node.orelse) or is_refusal(node.body)):
        return node.test, ast.And if is_refusal(node.orelse) else ast.Or
    return None


class Guards(ast.NodeVisitor):
    """Lists the guards of a module: (line, part); a refusal without a condition of its own is its part 0."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int]] = []
        self.lines: dict[int, int] = {}  # any line of a guard, and its first

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in ("require", "expect", "fail", "spend"):
            self.generic_visit(node)

    def visit(self, node: ast.AST) -> None:
        found = conditions(node)
        if found is not None and isinstance(node, ast.stmt | ast.expr):
            test, joint = found
            parts = len(test.values) if isinstance(test, ast.BoolOp) and isinstance(test.op, joint) else 1
            self.found += [(node.lineno, part) for part in range(parts)]
            self.lines |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno)
        elif isinstance(node, ast.stmt) and is_statement(node) and node.lineno not in self.lines:
            self.found.append((node.lineno, 0))
            self.lines |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno)
        super().visit(node)


def listed() -> Guards:
    """Return the guards of the checker."""
    found = Guards()
    found.visit(ast.parse(SOURCE))
    return found


class Without(ast.NodeTransformer):
    """Takes one part of a guard out, or all of it (part -1)."""

    def __init__(self, line: int, part: int) -> None:
        self.line, self.part = line, part

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt | ast.expr) or node.lineno != self.line:
            return self.generic_visit(node)
        found = conditions(node)
        if found is None:
            return ast.copy_location(ast.Pass(), node) if is_statement(node) else self.generic_visit(node)
        test, joint = found
        if self.part >= 0 and isinstance(test, ast.BoolOp) and isinstance(test.op, joint):
            neutral = ast.copy_location(ast.Constant(joint is ast.And), test)
            test.values[self.part] = neutral  # leaves the others to decide
            return node
        if isinstance(node, ast.IfExp):
            return node.body if is_refusal(node.orelse) else node.orelse
        return ast.copy_location(ast.Pass(), node)


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
    quick = [content for name, content in HOSTILE.items() if name not in ("many lists", "many determinants", "deep")]
    changes = [*wider_forgeries.FALSE, *wider_forgeries.MALFORMED]
    wider = [changed(wider_forgeries.HAND_MADE[name], path, value) for name, path, value in changes]
    errors = [lie for document in wider_forgeries.STATISTICS.values() for lie in false_errors(document)]
    forged = (*FORGED.values(), *wider_forgeries.FORGED.values(), *forged_covers.UNTRUE.values())
    documents = (*false, *wrong, *hairs, *ends, *wider, *errors, *forged, MEMBERS)
    return [*(json.dumps(document).encode() for document in documents), *quick]


@pytest.mark.parametrize("name", FORGED)
def test_forged_documents_are_refused(name: str) -> None:
    with pytest.raises((check_proof.Refused, check_proof.Unreadable)):
        check_proof.check(json.dumps(FORGED[name]).encode())


@pytest.fixture(scope="module")
def refusals() -> dict[int, list[bytes]]:
    """Return, for each guard, the documents that it refuses."""
    by_line = listed().lines
    found: dict[int, list[bytes]] = {}
    for content in refused_documents():
        try:
            check_proof.check(content)
        except (check_proof.Refused, check_proof.Unreadable) as error:
            guard = [by_line[line] for line in lines_of(error.__traceback__) if line in by_line]
            if guard:
                found.setdefault(guard[-1], []).append(content)
    return found


def compiled(node: ast.stmt) -> CodeType:
    """Return the code of one statement."""
    return compile(ast.Module([node], []), "checker_without_a_guard", "exec")


@cache
def statements() -> list[tuple[ast.stmt, CodeType]]:
    """Return the statements of the checker: to compile all of it for each guard takes minutes."""
    return [(node, compiled(node)) for node in ast.parse(SOURCE).body]


def without(line: int, part: int) -> dict[str, Any]:
    """Return the names of the checker without a part of a guard."""
    module = ModuleType("checker_without_a_guard")
    sys.modules[module.__name__] = module  # where data classes look for the names of their module
    for node, code in statements():
        is_changed = node.lineno <= line <= (node.end_lineno or node.lineno)
        changed = ast.fix_missing_locations(Without(line, part).visit(deepcopy(node))) if is_changed else node
        exec(compiled(changed) if is_changed else code, vars(module))
    return vars(module)


@pytest.mark.parametrize(("line", "part"), listed().found)
def test_without_a_guard_something_is_no_longer_refused(
    line: int, part: int, refusals: dict[int, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = SOURCE.splitlines()[line - 1].strip()
    if "MOST_BYTES" in said and part == 0:  # a document that long is a short one beside a smaller limit
        monkeypatch.setattr(check_proof, "MOST_BYTES", 1000)
        with pytest.raises(check_proof.Unreadable):
            check_proof.check(json.dumps(GENUINE[0]).encode())
        return
    assert line in refusals, f"no document is refused in line {line}: {said}"
    module = without(line, part)
    for content in refusals[line]:
        try:
            module["check"](content)
        except (module["Refused"], module["Unreadable"]):
            continue
        except STUMBLES:
            return  # it goes on
        return
    raise AssertionError(f"what part {part} of line {line} refuses is refused without it: {said}")


@pytest.mark.parametrize("name", large())
def test_a_large_document_needs_the_guard_that_refuses_it(name: str) -> None:
    """Lists of numbers are read at once, and cliques judged by their extremes: nothing is forgotten there."""
    content, lines = json.dumps(large()[name]).encode(), listed().lines
    with pytest.raises((check_proof.Refused, check_proof.Unreadable)) as error:
        check_proof.check(content)
    line = [lines[line] for line in lines_of(error.value.__traceback__) if line in lines][-1]
    module = without(line, -1)
    try:
        module["check"](content)
    except (module["Refused"], module["Unreadable"]):
        raise AssertionError(f"another guard refuses what line {line} does") from None
    except STUMBLES:
        return


def test_large_documents_are_accepted_without_a_fault() -> None:
    assert len(check_proof.check(json.dumps(LARGE).encode())) == 2
