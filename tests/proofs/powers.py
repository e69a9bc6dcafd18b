"""Which lines of a checker are for which power: statements that accepted documents of that kind alone reach.

`python -m tests.proofs.powers` counts those of `check_proof.py`, and those of `claims`, the checker of the package.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import check_proof
from tests.proofs import wider_forgeries
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.test_check_proof import ANSWER

import epstar.claims
from epstar.errors import ProofRejected
from epstar.json_document import parse_json
from epstar.statement import established

Statements = set[tuple[str, int]]
SECOND = [Path(check_proof.__file__)]
PACKAGE = sorted(Path(epstar.claims.__file__).parent.glob("*.py"))
REGIONS = {"hull", "box", "ball", "polytope", "everything"}


def documents() -> Iterator[dict[str, Any]]:
    """Yield documents that are accepted."""
    yield from (*GENUINE, *HAND_MADE.values(), SPREAD, ANSWER)
    yield from (*wider_forgeries.HAND_MADE.values(), *wider_forgeries.STATISTICS.values())
    found = json.loads((Path(__file__).parent / "wider_documents.json").read_text(encoding="utf-8"))
    yield from (*found["answers"].values(), *found["statistics"].values(), *(one["answer"] for one in found["others"]))


def powers(document: dict[str, Any]) -> set[str]:
    """Return what a document asks for beyond a prior, or a list of them, and thirteen notions."""
    proof = document.get("proof", document)
    problem, text = proof["problem"], json.dumps(proof["problem"])
    claims = [proof[name] for name in ("attained", "excluded") if name in proof]
    asked = {
        "the error of a statistic": document.get("schema") == "epstar/statistic/1",
        "independent rows": "rows" in problem["source"] or any("rows" in claim for claim in claims),
        "regions of distributions": not REGIONS.isdisjoint(problem["source"]),
        "Gaussian privacy": "gaussian_" in text,
        "concentrated privacy": "concentrated_" in text,
        "limits on the mechanism": "mechanism" in problem,
        "secrets, gains, further guarantees": "g_leakage" in text or not {"secret", "also"}.isdisjoint(problem),
        "databases by distance": any("symmetry" in c or "distances" in c.get("mechanism", ()) for c in claims),
    }
    return {power for power, is_asked in asked.items() if is_asked}


def reached(files: Collection[str], check: Callable[[bytes], object], document: dict[str, Any]) -> Statements:
    """Return the lines of some files that a checker reaches with a document."""
    lines: Statements = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    content = json.dumps(document).encode()
    sys.settrace(trace)
    try:
        # The package encloses the error of a matrix, and refuses one claim here that is true without any room.
        with suppress(ProofRejected):
            check(content)
    finally:
        sys.settrace(None)
    return lines


def statements(file: Path) -> Statements:
    """Return the lines of a file on which a statement of a function begins."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
    inner = [part for function in functions for part in ast.walk(function) if part is not function]
    texts = {part.lineno for part in inner if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)}
    return {(str(file), part.lineno) for part in inner if isinstance(part, ast.stmt) and part.lineno not in texts}


def count(files: Collection[Path], check: Callable[[bytes], object]) -> None:
    """Print how many statements of some files each power has to itself, and how many all others share."""
    every = set().union(*map(statements, files))
    names = {str(file) for file in files}
    found = [(powers(document), reached(names, check, document)) for document in documents()]
    plain = set().union(*(lines for asked, lines in found if not asked)) & every
    print(f"{len(found)} documents; {len(every)} statements, of which a prior, or a list of them, reaches {len(plain)}")
    for power in sorted({power for asked, _ in found for power in asked}):
        others = set().union(*(lines for asked, lines in found if power not in asked))
        print(f"{power}: {len((set().union(*(lines for asked, lines in found if power in asked)) - others) & every)}")
    print(f"what none of them reaches: {len(every - set().union(*(lines for _, lines in found)))}")


def main() -> None:
    """Print the counts of both checkers."""
    for name, files, check in (
        ("check_proof.py", SECOND, check_proof.check),
        ("claims", PACKAGE, lambda content: established(parse_json(content))),
    ):
        print(f"{name}, {sum(len(file.read_text(encoding='utf-8').splitlines()) for file in files)} lines")
        count(files, check)


if __name__ == "__main__":
    main()
