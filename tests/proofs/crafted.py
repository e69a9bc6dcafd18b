"""Documents made by hand, each with one fault: without one of its guards a checker believes it, or trips over it.

They are variants of small true proofs about two letters. Where a fault is of a kind that a program can plant, it is in
`tests/proofs/corpus.py` instead.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.proofs.crafted_curves import curves, texts
from tests.proofs.crafted_lower import by_rows, converses
from tests.proofs.crafted_upper import mechanisms, problems
from tests.proofs.guards import Document
from tests.proofs.parts import true_halves
from tests.proofs.test_attacks import ATTACKS

# What is true although it looks odd, or is beyond what one of the checkers holds.
OPEN = ("a ball of ten letters", "a product of an order", "information prices at a law that is nearly nothing")
FORGED = Path(__file__).parent / "forged"


def crafted() -> list[Document]:
    """Return all of them, with the attacks and the documents that once deceived a checker."""
    found = [Document(name, json.dumps(document).encode(), True) for name, document in true_halves()]
    found += [Document(name, json.dumps(document).encode()) for name, document in ATTACKS.items()]
    found += [Document(path.stem, path.read_bytes()) for path in sorted(FORGED.glob("*.json"))]
    for part in (problems, mechanisms, converses, by_rows, curves):
        for name, document in part():
            accepted = None if part is curves or name in OPEN else False
            written = json.dumps(document).replace('{"raw": "10000000000000003.0"}', "10000000000000003.0")
            found.append(Document(name, written.replace('{"raw": "1e400"}', "1e400").encode(), accepted))
    return [*found, *(Document(name, content) for name, content in texts())]
