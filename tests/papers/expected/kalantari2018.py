"""What the tests expect of kalantari2018: its numbered results, errors to plant, and wider sets of cases."""

from collections.abc import Callable, Iterable
from functools import partial

from tests.papers.expected.planting import planted, swapped

from epstar.exact import Real
from epstar_papers import Case, Relation, Theorem, Verdict
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.beyond import least_ratio
from epstar_papers.kalantari2018.programs import symmetric_loss, threshold
from epstar_papers.kalantari2018.truth import least_loss

PAPER = "kalantari2018"
COUNT = 113
NUMBERED = {
    *(f"lemma-{k}" for k in range(1, 10)),
    *(f"remark-{k}" for k in range(1, 10)),
    *("def-1", "def-2", "def-4", "def-5", "def-7"),
    *("thm-1", "thm-2a", "thm-2b", "thm-3-lower", "thm-3-upper", "cor-1"),
    *(f"claim-{k}" for k in range(1, 6)),
}


def with_size(change: int) -> Callable[[Case], Real]:
    """The symmetric leakage with a wrong number of categories."""
    return lambda case: symmetric_loss(len(case["points"][0]) + change, case["distortion"])


SWAPPED = (
    "lemma-1",
    "thm-2b",
    "eq-10",
    "thm-3-upper",
    "thm-3-lower",
    "cor-1",
    "lemma-3",
    "eq-48",
    "text-subset",
    "eq-4",
)
PLANTED: dict[str, Callable[[], Theorem]] = {f"{key} swapped": partial(swapped, PAPER, key) for key in SWAPPED} | {
    "thm-1 with M categories": lambda: planted(PAPER, "thm-1", printed=with_size(1)),
    "thm-2b-high-utility with M-2 categories": lambda: planted(PAPER, "thm-2b-high-utility", printed=with_size(-1)),
    "lemma-5 one category short": lambda: planted(
        PAPER, "lemma-5", printed=lambda case: threshold(case["points"], len(case["points"][0]) - 2)
    ),
    "thm-2a one category too many": lambda: planted(
        PAPER, "thm-2a", printed=lambda case: threshold(case["points"], case["count"] + 1)
    ),
    "eq-29 turned round": lambda: planted(PAPER, "eq-29", relation=Relation.AT_MOST),
    "text-comparison turned round": lambda: planted(PAPER, "text-comparison", relation=Relation.AT_LEAST),
    "remark-4 at another distortion": lambda: planted(
        PAPER, "remark-4", printed=lambda case: least_loss(case["points"], case["distortion"] / 2)
    ),
    "beyond-one-distribution from two categories on": lambda: planted(
        PAPER,
        "beyond-one-distribution",
        printed=lambda case: Real.log(least_ratio(case["points"][0], case["distortion"], kept=2)),
    ),
    "a failure declared true": lambda: planted(PAPER, "lemma-1", verdict=Verdict.HOLDS),
    "a truth declared false": lambda: planted(PAPER, "thm-1", verdict=Verdict.FAILS),
    "nothing examined": lambda: planted(PAPER, "thm-1", cases=tuple),
}
WIDER: dict[str, Callable[[], Iterable[Case]]] = {
    "thm-1": lambda: cases.class_one(150, 101),
    "thm-2b": lambda: cases.class_two(120, 102),
    "lemma-5": lambda: cases.class_two(120, 103),
    "remark-4": lambda: cases.any_class(60, 104),
    "thm-3-upper": lambda: cases.copies(120, 105),
    "thm-3-lower": lambda: cases.copies(120, 106),
    "beyond-least-favourable": lambda: cases.any_class(150, 107),
    "beyond-symmetric-range": lambda: cases.any_class(150, 108),
    "beyond-pieces": lambda: (case for case in cases.any_class(80, 109) if len(case["points"][0]) < 5),
    "beyond-orbit-bound": lambda: cases.copies(120, 110),
    "text-comparison": lambda: cases.any_class(40, 111),
}
