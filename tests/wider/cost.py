"""What secrets, limits and further guarantees cost: the seconds of questions with them, and of the same without.

    python -m tests.wider.cost 6 12 mutual_information renyi_differential_privacy

prints a line for each question, for all notions unless some are named, and then for each size and notion the smallest
and the largest ratio of both kinds.
The least distortion is asked at the same loss, the least loss each at the distortion of that loss and a twentieth more:
at the same distortion the plain question often has the answer zero, which takes a millisecond.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tests.wider.test_numbers import CASES, question

from epstar.answer import answer
from epstar.problem_file import read_problem

Document = dict[str, Any]


def plain(document: Document) -> Document:
    """Return a question without what was added to it."""
    kept = {key: value for key, value in document.items() if key not in ("secret", "mechanism", "also")}
    if "secret" in document and "gain" in document["notion"]:
        gain = document["notion"]["gain"]
        missing = document["universe"]["size"] - len(gain)
        kept["notion"] = {**document["notion"], "gain": [*gain, *[[1] * len(gain[0])] * missing]}
    return kept


def timed(document: Document, times: int = 2) -> tuple[float, float]:
    """Return the least CPU seconds of an answer, and its upper end."""
    seconds = []
    for _ in range(times):
        problem, start = read_problem(document), time.process_time()
        found = answer(problem)
        seconds.append(time.process_time() - start)
    return min(seconds), found.upper


def main(sizes: list[int], names: list[str]) -> None:
    """Print both costs of every notion with every addition, and the ends of their ratios."""
    for size in sizes:
        found: dict[str, list[tuple[float, float]]] = {}
        for name, kind in CASES:
            if names and name not in names:
                continue
            wider = question(name, kind, size, size)
            both = [(document, *timed(document)) for document in (wider, plain(wider))]
            losses = [timed({**document, "at": {"distortion": str(1.05 * end)}})[0] for document, _, end in both]
            costs = [both[0][1], both[1][1], *losses]
            ratios = costs[0] / costs[1], costs[2] / costs[3]
            found.setdefault(name, []).append(ratios)
            line = (f"{cost:.3f}" for cost in costs), (f"{ratio:.1f}" for ratio in ratios)
            print(size, name, kind, *line[0], *line[1], flush=True)
        for name, listed in found.items():
            ends = (f"{min(column):.1f} to {max(column):.1f}" for column in zip(*listed, strict=True))
            print(size, name, "distortion {}, loss {}".format(*ends))


if __name__ == "__main__":
    given = sys.argv[1:]
    main([int(size) for size in given if size.isdigit()], [name for name in given if not name.isdigit()])
