"""What the tests expect of alvim2011: its numbered results, errors to plant, and wider sets of cases."""

from collections.abc import Callable, Iterable
from functools import partial

from tests.papers.expected.planting import planted, swapped

from epstar.exact import ONE, Rational
from epstar_papers import Case, Relation, Theorem, Verdict
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.beyond import sphere_sums
from epstar_papers.alvim2011.leakage import bound
from epstar_papers.alvim2011.utility import printed_bound as printed_utility

PAPER = "alvim2011"
COUNT = 101
NUMBERED = {
    *(f"lemma-{k}" for k in range(1, 6)),
    *(f"thm-{k}" for k in range(1, 5)),
    *(f"eq-{k}" for k in range(4, 12)),
    *("prop-1", "prop-2", "remark-1", "remark-2", "def-2", "text-channel-form"),
    *("ex-1-value", "ex-2-clique", "ex-2-prior", "ex-3-line", "ex-3-ring"),
}
SWAPPED = (
    "text-min-entropy",
    "text-capacity",
    "text-independence",
    "prop-1-matrix",
    "ex-1-value",
    "prop-2",
    "eq-7",
    "eq-9",
    "eq-10",
    "thm-3",
    "thm-3-zero",
    "text-number-of-cases",
    "remark-1-optimal",
    "ex-2-prior",
)
PLANTED: dict[str, Callable[[], Theorem]] = {f"{key} swapped": partial(swapped, PAPER, key) for key in SWAPPED} | {
    "thm-1 a tenth smaller": lambda: planted(
        PAPER, "thm-1", printed=lambda case: bound(case["u"], case["v"], case["ratio"]) * Rational(9, 10)
    ),
    "prop-1 for one individual more": lambda: planted(
        PAPER, "prop-1", printed=lambda case: bound(case["u"] + 1, case["v"], case["ratio"])
    ),
    "thm-2 turned round": lambda: planted(PAPER, "thm-2", relation=Relation.AT_LEAST),
    "thm-4 at another level": lambda: planted(
        PAPER, "thm-4", printed=lambda case: printed_utility({**case, "ratio": case["ratio"] + 1})
    ),
    "beyond-individual with a value too many": lambda: planted(
        PAPER, "beyond-individual", printed=lambda case: bound(1, case["v"] + 1, case["ratio"])
    ),
    "beyond-constant-spheres without the answer itself": lambda: planted(
        PAPER, "beyond-constant-spheres", printed=lambda case: ONE / (sphere_sums(case)[0] - 1)
    ),
    "beyond-min-sphere with the maximum": lambda: planted(
        PAPER, "beyond-min-sphere", printed=lambda case: ONE / max(sphere_sums(case))
    ),
    "a failure declared true": lambda: planted(PAPER, "thm-3", verdict=Verdict.HOLDS),
    "a truth declared false": lambda: planted(PAPER, "thm-4", verdict=Verdict.FAILS),
    "nothing examined": lambda: planted(PAPER, "lemma-2", cases=tuple),
}
WIDER: dict[str, Callable[[], Iterable[Case]]] = {
    "lemma-1": lambda: cases.private_on_databases(60, 201),
    "lemma-2": lambda: cases.private_on_databases(60, 202),
    "lemma-5": lambda: cases.private_on_circulants(72, 203),
    "thm-3-uniform": lambda: cases.on_graphs(cases.connected_circulants(range(2, 10)), "5/4", 2, 4),
    "text-independence": lambda: cases.channels(200, 204),
    "text-capacity": lambda: cases.channels(200, 205),
    "text-number-of-cases": lambda: [{"size": size} for size in range(3, 19)],
}
