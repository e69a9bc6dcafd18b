"""What the tests expect of wang2016: its numbered results, errors to plant, and wider sets of cases."""

from collections.abc import Callable, Iterable
from functools import partial

from tests.papers.expected.planting import planted, swapped

from epstar.exact import Rational, Real
from epstar_papers import Case, Relation, Theorem, Verdict
from epstar_papers.wang2016 import cases, h, h_inverse, mechanism_i, prior_level
from epstar_papers.wang2016.theorem_one import inverse
from epstar_papers.wang2016.truth import information_of, privacy_level

PAPER = "wang2016"
COUNT = 106
NUMBERED = {
    *("def-2-informed", "def-3-relative", "def-4-independent", "def-4-entropy"),
    *("example-1-level", "example-1-guess", "example-1-floor", "example-2-level", "example-2-posterior"),
    *("thm-1-equality", "thm-1-lower", "thm-1-privacy-lower", "thm-1-privacy-upper"),
    *("thm-2", "cor-1-lower", "cor-1-upper", "lemma-1", "lemma-2-identifiability", "lemma-2-privacy"),
    *("lemma-3", "lemma-4-level", "lemma-4-distortion", "lemma-5-level", "lemma-5-distortion"),
}


def with_categories(change: int) -> Callable[[Case], Real]:
    """The inverse of h with a wrong number of categories."""
    return lambda case: h_inverse(case["distortion"], case["database"].categories + change, case["database"].rows)


def many(seed: int) -> Iterable[Case]:
    """Random databases on both sides of the threshold."""
    shapes = ((2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3))
    return cases.everywhere(tuple(cases.small_databases(30, seed, shapes)))


SWAPPED = (
    "text-threshold-finite",
    "text-netflix-threshold",
    "text-netflix-distribution",
    "lemma-1-first-bound",
    "lemma-1-display",
    "lemma-1-triangle",
)
PLANTED: dict[str, Callable[[], Theorem]] = {f"{key} swapped": partial(swapped, PAPER, key) for key in SWAPPED} | {
    "thm-1 with m+1 categories": lambda: planted(PAPER, "thm-1-equality", printed=with_categories(1)),
    "thm-1 beyond its range": lambda: planted(
        PAPER,
        "thm-1-equality",
        cases=lambda: cases.beyond((cases.THREE,), "0.1"),
        hypotheses=lambda case: True,
    ),
    "thm-1-lower turned round": lambda: planted(PAPER, "thm-1-lower", relation=Relation.AT_MOST),
    "thm-1-privacy-lower without epsilon_X": lambda: planted(PAPER, "thm-1-privacy-lower", printed=inverse),
    "thm-2 in bits": lambda: planted(
        PAPER,
        "thm-2",
        printed=lambda case: (
            information_of(mechanism_i(case["database"], case["ratio"]), case["database"]) / Real.log(Rational(2))
        ),
    ),
    "cor-1-level with the other sign": lambda: planted(
        PAPER, "cor-1-level", printed=lambda case: inverse(case) - prior_level(case["database"])
    ),
    "lemma-1 with m for m-1": lambda: planted(
        PAPER, "lemma-1", printed=lambda case: h(case["ratio"], case["categories"] + 1, case["rows"])
    ),
    "eq-19 without the prior": lambda: planted(PAPER, "eq-19", printed=lambda case: privacy_level(case["mechanism"])),
    "a failure declared true": lambda: planted(PAPER, "text-threshold-finite", verdict=Verdict.HOLDS),
    "a truth declared false": lambda: planted(PAPER, "lemma-3", verdict=Verdict.FAILS),
    "nothing examined": lambda: planted(PAPER, "lemma-3", cases=tuple),
}
WIDER: dict[str, Callable[[], Iterable[Case]]] = {
    "thm-1-equality": partial(many, 101),
    "thm-1-lower": partial(many, 102),
    "thm-1-privacy-lower": partial(many, 103),
    "thm-1-privacy-upper": partial(many, 104),
    "text-gap": partial(many, 105),
    "lemma-3": partial(many, 106),
    "beyond-information": partial(many, 107),
}
