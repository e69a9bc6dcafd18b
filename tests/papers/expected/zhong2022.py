"""What the tests expect of zhong2022: its numbered results, errors to plant, and wider sets of cases."""

from collections.abc import Callable, Iterable

from tests.papers.expected.planting import planted

from epstar.exact import Real
from epstar_papers import Case, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.class_two import corrected_theorem_9
from epstar_papers.zhong2022.distributions import Setting
from epstar_papers.zhong2022.leakage import corollary_15, theorem_14
from epstar_papers.zhong2022.programs import program_16

PAPER = "zhong2022"
COUNT = 206
NUMBERED = {
    *("def-1", "def-3-2", "def-19"),
    *(f"thm-{t}-{k}-{side}" for t in (6, 7) for k in range(2, 7) for side in ("lower", "upper")),
    *("thm-6-1-lower", "thm-6-1-upper", "thm-6-7-lower", "thm-6-7-upper", "thm-7-1", "thm-7-7"),
    *(f"prop-8-{k}" for k in (1, 2, 4, 7)),
    *(f"prop-8-{k}-{side}" for k in (3, 5, 6) for side in ("lower", "upper")),
    *("thm-9", "lemma-10", "lemma-11", "prop-12", "thm-13", "thm-14", "cor-15"),
    *(f"thm-17-{k}" for k in (1, 4, 7)),
    *(f"thm-17-{k}-{side}" for k in (2, 3, 5, 6) for side in ("lower", "upper")),
    *("thm-18-1", "thm-18-2", "lemma-5-1", "lemma-5-2", "lemma-5-3", "lemma-16-1-dp", "lemma-16-2-leakage"),
    *(f"lemma-20-{k}" for k in range(1, 10)),
    *(f"lemma-21-{k}" for k in range(1, 6)),
    *("lemma-22-1", "lemma-22-2", "lemma-23", "lemma-24", "lemma-25-1", "lemma-25-2", "lemma-26-privacy"),
    *("lemma-26-leakage", "lemma-27-privacy", "lemma-27-leakage", "lemma-33", "lemma-34"),
    *(f"prop-{k}" for k in range(28, 33)),
    *(f"eq-{k}" for k in (4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17)),
}


def _one_more_category(setting: Setting) -> Setting:
    return Setting(setting.categories + 1, setting.rows, setting.distortion)


PLANTED: dict[str, Callable[[], Theorem]] = {
    "thm-6-1-lower without theta": lambda: planted(
        PAPER, "thm-6-1-lower", printed=lambda case: formulas.differential_privacy(case["setting"])
    ),
    "thm-6-4-upper with the lower bound": lambda: planted(
        PAPER, "thm-6-4-upper", printed=lambda case: formulas.leakage_lower(case["setting"])
    ),
    "thm-7-1 with m in place of m-1": lambda: planted(
        PAPER, "thm-7-1", printed=lambda case: formulas.differential_privacy(_one_more_category(case["setting"]))
    ),
    "prop-8-2 with the sign of delta turned": lambda: planted(
        PAPER, "prop-8-2", printed=lambda case: formulas.approximate_events(case["setting"], -case["delta"])
    ),
    "thm-9-off-threshold with another slack": lambda: planted(
        PAPER,
        "thm-9-off-threshold",
        printed=lambda case: corrected_theorem_9(
            case["distributions"][0], case["setting"].distortion, case["delta"] / 2
        ),
    ),
    "thm-14 at half the distortion": lambda: planted(
        PAPER, "thm-14", printed=lambda case: theorem_14(case["distributions"][0], case["setting"].distortion / 2)
    ),
    "cor-15 with the least of the members": lambda: planted(
        PAPER,
        "cor-15",
        printed=lambda case: min(corollary_15(distribution, case["level"]) for distribution in case["distributions"]),
    ),
    "eq-16 with one too many": lambda: planted(
        PAPER,
        "eq-16",
        printed=lambda case: Real.log(1 - program_16(case["distributions"][0], case["setting"].distortion)),
    ),
    "beyond-leakage with the loss of Q_D": lambda: planted(
        PAPER, "beyond-leakage", printed=lambda case: formulas.leakage_upper(case["setting"])
    ),
    "beyond-renyi turned to the lower bound": lambda: planted(
        PAPER, "beyond-renyi", printed=lambda case: formulas.renyi_lower(case["setting"], case["order"])
    ),
    "lemma-20-9-local turned round": lambda: planted(PAPER, "lemma-20-9-local", relation=Relation.AT_LEAST),
    "lemma-21-5 turned round": lambda: planted(PAPER, "lemma-21-5", relation=Relation.AT_LEAST),
    "a truth declared false": lambda: planted(PAPER, "thm-7-1", verdict=Verdict.FAILS),
    "nothing examined": lambda: planted(PAPER, "thm-14", cases=tuple),
}
WIDER: dict[str, Callable[[], Iterable[Case]]] = {
    "thm-9": lambda: cases.one_distribution(300, 201, ("0", "1/10", "7/20")),
    "thm-14": lambda: cases.one_distribution(300, 202),
    "lemma-11": lambda: cases.one_distribution(200, 203, ("0", "1/10", "7/20")),
    "prop-12": lambda: cases.ordered_sets(100, 204),
    "lemma-26-privacy": lambda: (c for c in cases.one_distribution(200, 205, ("1/10", "7/20")) if cases.below_free(c)),
    "prop-31": lambda: (c for c in cases.one_distribution(200, 206, ("1/10", "7/20")) if cases.below_free(c)),
    "thm-6-1-lower": lambda: cases.any_set(90, 207),
    "thm-6-3-lower": lambda: cases.any_set(90, 208),
    "thm-6-4-lower": lambda: cases.any_set(90, 209),
    "thm-6-7-lower-range": lambda: cases.any_set(120, 210),
    "lemma-21-1": lambda: cases.pairs(300, 211),
    "lemma-20-8": lambda: cases.mechanisms(200, 212),
    "beyond-information": lambda: cases.one_distribution(60, 213),
}
