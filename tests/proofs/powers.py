"""Which lines of `check_proof.py` are for which power: statements that accepted documents of that kind alone reach.

python -m tests.proofs.powers
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import check_proof
from tests.proofs import wider_forgeries
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.test_check_proof import ANSWER

FILE = Path(check_proof.__file__)
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


def reached(document: dict[str, Any]) -> set[int]:
    """Return the lines of the checker that a document reaches."""
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != str(FILE):
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        check_proof.check(json.dumps(document).encode())
    finally:
        sys.settrace(None)
    return lines


def statements() -> set[int]:
    """Return the lines on which a statement of a function begins."""
    nodes = ast.walk(ast.parse(FILE.read_text(encoding="utf-8")))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
    inner = [part for function in functions for part in ast.walk(function) if part is not function]
    texts = {part.lineno for part in inner if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)}
    return {part.lineno for part in inner if isinstance(part, ast.stmt)} - texts


def main() -> None:
    """Print how many statements each power has to itself, and how many all others share."""
    every, found = statements(), [(powers(document), reached(document)) for document in documents()]
    plain = set().union(*(lines for asked, lines in found if not asked)) & every
    print(f"{len(found)} documents; {len(every)} statements, of which a prior, or a list of them, reaches {len(plain)}")
    for power in sorted({power for asked, _ in found for power in asked}):
        others = set().union(*(lines for asked, lines in found if power not in asked))
        print(f"{power}: {len((set().union(*(lines for asked, lines in found if power in asked)) - others) & every)}")
    print(f"refusals, and the command line: {len(every - set().union(*(lines for _, lines in found)))}")


if __name__ == "__main__":
    main()
