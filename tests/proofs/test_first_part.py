"""The first part of the second checker, cut off, is a checker for single records; the second part only adds to it.

What the first part reads, the whole file judges in the same words, and without a line of the second part. What it does
not know, it does not read.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import check_proof
import pytest
from tests.claims import forged_attained, forged_claims, forged_covers
from tests.proofs import wider_forgeries
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD, Document
from tests.proofs.forgeries import FORGED, LARGE
from tests.proofs.powers import powers
from tests.proofs.test_check_proof import ANSWER, FALSE, HOSTILE, WRONG, changed, lies

SOURCE = Path(check_proof.__file__).read_text(encoding="utf-8")
LINES = SOURCE.splitlines()
HEADING = next(number for number, line in enumerate(LINES, 1) if line.startswith("# PART TWO"))
#: Where a section of the second part starts, and so the one before it ends.
SECTIONS = {
    line.strip("# -").partition(":")[0]: k
    for k, line in enumerate(LINES)
    if line.startswith("# -- ") and k > HEADING + 1
}
#: Fields of claims and steps that the second part reads.
ADDED = {
    "cells",
    "cover",
    "covers",
    "diagonal",
    "distances",
    "envelope",
    "further",
    "limits",
    "multipliers",
    "numbers",
    "order",
    "orders",
    "output",
    "shares",
    "slopes",
    "spread",
    "uniform",
}
ORDERED = ("renyi_differential_privacy", "sibson_mutual_information")


@cache
def first_part(lines: int = HEADING - 1) -> ModuleType:
    """Return the checker that is cut off after some lines, with those that start the command line."""
    module = ModuleType(f"first_{lines}_lines_of_the_checker")
    sys.modules[module.__name__] = module  # where data classes look for the names of their module
    exec("\n".join((*LINES[:lines], *LINES[-2:])), vars(module))
    return module


def verdict(checker: ModuleType, content: bytes) -> str | list[str]:
    """Return what is proven, "no" or "?"."""
    try:
        found: list[str] = checker.check(content)
    except checker.Refused:
        return "no"
    except checker.Unreadable:
        return "?"
    return found


def documents() -> Iterator[tuple[str, Any]]:
    """Yield documents, true ones and forged ones."""
    yield from HAND_MADE.items()
    yield from wider_forgeries.HAND_MADE.items()
    yield from wider_forgeries.ANSWERS.items()
    yield from wider_forgeries.STATISTICS.items()
    yield from (("spread", SPREAD), ("an answer", ANSWER), ("large", LARGE))
    yield from ((f"genuine {k}", document) for k, document in enumerate(GENUINE))
    yield from (*forged_claims.TRUE.items(), *forged_claims.UNTRUE.items())
    yield from (*forged_attained.TRUE.items(), *forged_attained.UNTRUE.items())
    yield from (*FORGED.items(), *wider_forgeries.FORGED.items(), *forged_covers.UNTRUE.items())
    yield from ((f"{key} {path} {value}", changed(HAND_MADE[key], path, value)) for key, path, value in FALSE)
    yield from ((f"spread {path} {value}", changed(SPREAD, path, value)) for path, value in WRONG)
    for key, path, value in (*wider_forgeries.FALSE, *wider_forgeries.MALFORMED):
        yield f"{key} {path} {value}", changed(wider_forgeries.HAND_MADE[key], path, value)
    for document in (*HAND_MADE.values(), *GENUINE):
        yield from (("a lie", lie) for lie in lies(document))


def fields(value: object) -> set[str]:
    """Return the names of all fields within a document."""
    if isinstance(value, dict):
        return set(value).union(*map(fields, value.values()))
    return set().union(*map(fields, value)) if isinstance(value, list) else set()


def is_known(document: Document) -> bool:
    """Return whether a document about single records keeps to what the first part says it knows."""
    try:
        proof = document.get("proof", document)
        asked, universe = powers(document), proof["problem"].get("universe", {})
        claims = [proof[name] for name in ("attained", "excluded") if name in proof]
        plain = next(iter(proof["problem"]["source"])) in ("prior", "finite", "hull")
        plain = plain and proof["problem"]["notion"]["name"] not in ORDERED and '"conjugate"' not in json.dumps(claims)
    except (AttributeError, KeyError, TypeError, StopIteration):
        return False
    further = "databases" in universe or not ADDED.isdisjoint(fields(claims)) or "symmetry" in fields(claims)
    return plain and not further and asked <= {"regions of distributions"}


def test_what_the_first_part_knows_it_judges_as_the_whole_file() -> None:
    verdicts = []
    for key, document in documents():
        if is_known(document):
            content = json.dumps(document).encode()
            verdicts.append(verdict(first_part(), content))
            assert verdicts[-1] == verdict(check_proof, content), key
    assert sum(isinstance(found, list) for found in verdicts) > 25
    assert verdicts.count("no") > 120


def test_what_needs_the_second_part_the_first_does_not_read() -> None:
    count = 0
    for key, document in documents():
        content = json.dumps(document).encode()
        if not is_known(document):
            judged = verdict(check_proof, content)
            cut = verdict(first_part(), content)
            assert cut == "?" if isinstance(judged, list) else not isinstance(cut, list), key
            count += isinstance(judged, list)
    assert count > 100


@cache
def judged() -> tuple[tuple[bytes, str | list[str]], ...]:
    """Return documents, and what the whole file says of them."""
    contents = (json.dumps(document).encode() for key, document in documents() if key != "large")
    return tuple((content, verdict(check_proof, content)) for content in contents)


@pytest.mark.parametrize("heading", SECTIONS)
def test_cut_off_before_any_section_it_judges_what_it_reads_as_the_whole_file(heading: str) -> None:
    cut = first_part(SECTIONS[heading])
    found = [(verdict(cut, content), whole) for content, whole in judged()]
    assert [(own, whole) for own, whole in found if own not in ("?", whole)] == []
    assert sum(isinstance(own, list) for own, _ in found) >= sum(
        isinstance(verdict(first_part(), content), list) for content, _ in judged()
    )
    assert any(own == "?" and isinstance(whole, list) for own, whole in found)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_it_does_not_accept(name: str) -> None:
    assert not isinstance(verdict(first_part(), HOSTILE[name]), list)


def test_no_line_of_the_second_part_runs_for_what_the_first_reads() -> None:
    beyond = set[int]()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename == check_proof.__file__ and frame.f_lineno > HEADING:
            beyond.add(frame.f_lineno)
        return trace if event == "call" and frame.f_code.co_filename == check_proof.__file__ else None

    checked = 0
    for key, document in documents():
        content = json.dumps(document).encode()
        if key != "large" and verdict(first_part(), content) != "?":
            sys.settrace(trace)
            try:
                verdict(check_proof, content)
            finally:
                sys.settrace(None)
            checked += 1
            assert beyond == set(), key
    assert checked > 150


def bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds; to add to a table binds nothing."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign | ast.For)
        else []
    )
    inner = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return {part.id for part in inner if isinstance(part.ctx, ast.Store)}


def test_the_second_part_only_adds() -> None:
    """It gives no name of the first part another meaning, and no entry of a table of the first part."""
    body = ast.parse(SOURCE).body
    first = set().union(*(bound(node) for node in body if node.lineno < HEADING))
    second = set().union(*(bound(node) for node in body if node.lineno > HEADING))
    assert first & second == set()
    places = [
        part for node in body if node.lineno > HEADING for part in ast.walk(node) if isinstance(part, ast.Subscript)
    ]
    added = [place for place in places if isinstance(place.ctx, ast.Store) and isinstance(place.value, ast.Name)]
    entries = [(place.value.id, place.slice) for place in added if isinstance(place.value, ast.Name)]
    constants = [(table, key.value) for table, key in entries if isinstance(key, ast.Constant) and table in first]
    assert len(constants) > 15
    assert [entry for entry in constants if entry[1] in vars(first_part())[entry[0]]] == []
