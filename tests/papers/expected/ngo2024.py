"""What the tests expect of ngo2024: its numbered results, errors to plant, and wider sets of cases."""

from collections.abc import Callable, Iterable
from functools import partial

from tests.papers.expected.planting import planted, swapped

from epstar.exact import Real
from epstar_papers import Case, Relation, Theorem, Verdict
from epstar_papers.ngo2024 import cases, delta_9, delta_from_capacity, truth
from epstar_papers.ngo2024.appendix import lautum
from epstar_papers.ngo2024.constructions import capacity_7
from epstar_papers.ngo2024.lemma_one import lemma_integral
from epstar_papers.ngo2024.noise import flat, one_dimensional
from epstar_papers.ngo2024.theorem_two import true_information

PAPER = "ngo2024"
COUNT = 90
NUMBERED = {
    *("thm-1a", "thm-1a-tight", "thm-1b", "thm-2a", "thm-2b", "thm-3", "lemma-1", "def-1"),
    *(f"eq-{k}" for k in (2, 4, 7, 11, 12, 14, 16, 18, 21, 22, 25, 27, 32, 34, 36, 37, 38)),
    *("eq-35-input", "eq-35-noise"),
}
SWAPPED = (
    "eq-4",
    "eq-7-useless",
    "thm-1a-class",
    "thm-2a",
    "thm-2a-indicator",
    "text-limit-lip",
    "lemma-1-measures",
    "proof-2a",
    "app-d-sorted",
    "app-c-i",
    "thm-3-peak",
)
PLANTED: dict[str, Callable[[], Theorem]] = {f"{key} swapped": partial(swapped, PAPER, key) for key in SWAPPED} | {
    "thm-1a with the bound of Theorem 2(a)": lambda: planted(
        PAPER, "thm-1a", printed=lambda case: delta_9(truth.capacity(case["mechanism"]).upper, case["level"])
    ),
    "thm-1a-tight at another level": lambda: planted(
        PAPER, "thm-1a-tight", printed=lambda case: delta_from_capacity(case["mu"], case["level"] + Real.of("1/100"))
    ),
    "eq-7 with one crossover for the other": lambda: planted(
        PAPER, "eq-7", printed=lambda case: capacity_7(case["first"], 1 - case["second"]), hypotheses=_differ
    ),
    "thm-1b turned round": lambda: planted(PAPER, "thm-1b", relation=Relation.AT_LEAST),
    "thm-2b with half the integral of (8)": lambda: planted(
        PAPER, "thm-2b", printed=lambda case: true_information(case) * Real.of("99/100")
    ),
    "lemma-1 in nats": lambda: planted(
        PAPER, "lemma-1", printed=lambda case: lemma_integral(case["left"], case["right"])
    ),
    "eq-21-slack with the wrong sign": lambda: planted(PAPER, "eq-21-slack", printed=lambda case: lautum(case) * -1),
    "eq-35-noise turned round": lambda: planted(PAPER, "eq-35-noise", relation=Relation.AT_MOST),
    "thm-3 with too much power": lambda: planted(
        PAPER, "thm-3", printed=lambda case: flat({**case, "power": case["power"] * 2})
    ),
    "eq-12 with variance and power exchanged": lambda: planted(
        PAPER,
        "eq-12",
        printed=lambda case: one_dimensional({"power": case["variance"], "variance": case["power"]}),
    ),
    "a failure declared true": lambda: planted(PAPER, "thm-2a", verdict=Verdict.HOLDS),
    "a truth declared false": lambda: planted(PAPER, "thm-1b", verdict=Verdict.FAILS),
    "nothing examined": lambda: planted(PAPER, "eq-2", cases=tuple),
}


def _differ(case: Case) -> bool:
    return bool(case["first"] != case["second"])


WIDER: dict[str, Callable[[], Iterable[Case]]] = {
    "thm-1a": lambda: cases.mechanisms(2000, 301),
    "thm-1b": lambda: cases.mechanisms(2000, 302, 1),
    "thm-2a-pointwise": lambda: cases.with_priors(1000, 303, 1),
    "thm-2b": lambda: cases.with_priors(2000, 304),
    "thm-2b-capped": lambda: cases.with_priors(500, 305),
    "beyond-all-distributions": lambda: cases.with_priors(1000, 306),
    "beyond-pure": lambda: cases.mechanisms(2000, 307, 1),
    "eq-7": lambda: cases.channels(2000, 308),
    "lemma-1": lambda: cases.pairs_of_distributions(2000, 309),
    "thm-3": lambda: ({**case, "power": case["input"][0]} for case in cases.spectra(2000, 310)),
}
