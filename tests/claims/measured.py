"""How long claims are, and how long it takes to check them, beside the multipliers that they are completed from.

`python -m tests.claims.measured` prints both for the problems of `tests.proofs.cases`, in CPU time, the best of three.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial

from tests.claims.corpus import solved
from tests.proofs.cases import PROBLEMS
from tests.proofs.schema_one import write_proof

from epstar.claims import check
from epstar.completion.schema_one import read_proof
from epstar.frontier import Frontier
from epstar.proof_file.document import read_bracket


def seconds(work: Callable[[], Callable[[], object]]) -> float:
    """Return the CPU time of what `work` prepares, the best of three."""
    best = float("inf")
    for _ in range(3):
        prepared = work()
        start = time.process_time()
        prepared()
        best = min(best, time.process_time() - start)
    return best


def _earlier(document: object) -> Callable[[], object]:
    return read_proof(document).check


def _claims(document: object) -> Callable[[], object]:
    return partial(check, read_bracket(document))


def main() -> None:
    """Print the figures."""
    sizes, times = [0, 0], [0.0, 0.0]
    for number in range(len(PROBLEMS)):
        found = solved(number)
        if found.bracket.attained is None and found.bracket.excluded is None:
            continue
        written = [json.dumps(write_proof(Frontier.answer(found.problem).proof)), json.dumps(found.document)]
        sizes = [size + len(text) for size, text in zip(sizes, written, strict=True)]
        before, after = (json.loads(text) for text in written)
        times[0] += seconds(partial(_earlier, before))
        times[1] += seconds(partial(_claims, after))
    print(f"bytes: {sizes[1]} for {sizes[0]}, {sizes[1] / sizes[0]:.2f} times as many")
    print(f"seconds to check: {times[1]:.3f} for {times[0]:.3f}, {times[1] / times[0]:.2f} times as many")


if __name__ == "__main__":
    main()
