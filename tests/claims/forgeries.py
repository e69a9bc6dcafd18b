"""The documents that guards are walked with: true ones, and those that some guard must refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.claims import forged_attained, forged_breakpoints, forged_covers, forged_regions, forged_wider, large
from tests.claims.forged_claims import TRUE, UNTRUE
from tests.claims.forged_readings import MALFORMED, RAW, SOUND
from tests.claims.forged_wholes import UNTRUE as WHOLES
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD, Document
from tests.proofs.forgeries import FORGED
from tests.proofs.guards import Document as Written
from tests.proofs.test_check_proof import FALSE, HOSTILE, WRONG, changed

_SLOW = ("many lists", "many determinants", "common denominator", "lists where nobody looks")


def halves(name: str, document: Document) -> Iterator[tuple[str, Document]]:
    """Yield a document and, where it makes two claims, each of them alone: one that fails hides the other."""
    yield name, document
    both = [claim for claim in ("attained", "excluded") if claim in document]
    for claim in both if len(both) == 2 else ():
        yield f"{name}, {claim}", {key: value for key, value in document.items() if key != claim}


def documents() -> Iterator[Written]:
    """Yield all documents: those that hold, and those that some guard must refuse."""
    true = {
        **HAND_MADE,
        **TRUE,
        **forged_attained.TRUE,
        **forged_regions.TRUE,
        **forged_covers.TRUE,
        **forged_wider.TRUE,
        **forged_breakpoints.TRUE,
        **SOUND,
        **{f"genuine {k}": document for k, document in enumerate(GENUINE)},
    }
    for name, document in [*true.items(), *large.true()]:
        yield Written(name, json.dumps(document).encode(), True)
    forged = forged_attained.UNTRUE | forged_regions.UNTRUE | forged_wider.UNTRUE | forged_breakpoints.UNTRUE
    wrong = {**UNTRUE, **WHOLES, **forged, **forged_covers.UNTRUE, **MALFORMED}
    false = {f"{name}: {path} {value}": changed(HAND_MADE[name], path, value) for name, path, value in FALSE}
    false |= {f"{path} {value}": changed(SPREAD, path, value) for path, value in WRONG}
    false |= FORGED
    for whole, document in [*wrong.items(), *false.items(), *large.false()]:
        for name, part in halves(whole, document):
            if name not in _SLOW:
                yield Written(f"not: {name}", json.dumps(part).encode(), False if name in wrong else None)
    for name, content in [*RAW.items(), *HOSTILE.items()]:
        if name not in _SLOW:
            yield Written(f"raw: {name}", content, None)
