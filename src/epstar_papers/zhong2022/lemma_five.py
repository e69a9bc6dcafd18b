r"""Lemma 5: what a set inherits from its distributions, the uniform mechanism and Q_D."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ZERO, Interval, Rational, rational
from epstar.source import Prior
from epstar.universe import Databases
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.constructions import symmetric_mechanism, uniform_mechanism
from epstar_papers.zhong2022.distributions import Setting, uniform
from epstar_papers.zhong2022.truth import ONE_OF_EACH, below, distortion, hull, least_loss, loss, members


def _settings() -> Iterator[Case]:
    for categories, rows in ((2, 1), (5, 1), (2, 2), (3, 2), (2, 3), (2, 4), (4, 2)):
        for part in ("1/5", "7/10", "9/10"):
            yield {"setting": Setting(categories, rows, rational(part) * rows)}


def _spheres_are_counted(case: Case) -> bool:
    setting: Setting = case["setting"]
    databases = Databases(setting.categories, setting.rows)
    found = [databases.distance(0, y) for y in range(setting.size)]
    return all(found.count(Rational(d)) == setting.sphere(d) for d in range(setting.rows + 1))


def _members_of_sets() -> Iterator[Case]:
    """Three distributions, one of them and a notion."""
    for number, case in enumerate(cases.any_set(16, 51)):
        if len(case["distributions"]) == 3:
            for notion in ONE_OF_EACH:
                yield {**case, "notion": notion, "one": case["distributions"][number % 3]}


def _member_loses_less(case: Case) -> bool:
    setting, notion = case["setting"], case["notion"]
    one = least_loss(notion, Prior(case["one"]), setting.distortion, setting.rows)
    return below(one, least_loss(notion, members(case["distributions"]), setting.distortion, setting.rows))


def _free_settings() -> Iterator[Case]:
    for categories, rows, wrong in ((3, 2, "7/5"), (2, 2, "1"), (2, 2, "3/2"), (2, 3, "2"), (4, 2, "3/2"), (2, 3, "3")):
        yield {"setting": Setting(categories, rows, rational(wrong))}


def _uniform_is_free(case: Case) -> bool:
    setting: Setting = case["setting"]
    mechanism, first = uniform_mechanism(setting.categories, setting.rows), Prior([1] + [0] * (setting.size - 1))
    valid = all(distortion(mechanism, source) <= setting.distortion for source in (first, Prior(uniform(setting.size))))
    return valid and all(loss(notion, mechanism, first).upper <= 0 for notion in ONE_OF_EACH)


def _symmetric_is_valid(case: Case) -> bool:
    """Whether Q_D is the printed formula, and every input has distortion exactly D."""
    setting: Setting = case["setting"]
    mechanism = symmetric_mechanism(setting.categories, setting.rows, setting.distortion)
    right = (1 - setting.distortion / setting.rows) ** setting.rows
    databases = Databases(setting.categories, setting.rows)
    for x in range(setting.size):
        entries = [mechanism.entry(x, y) for y in range(setting.size)]
        far = [databases.distance(x, y) for y in range(setting.size)]
        if any(q != right / setting.odds ** int(d.p) for q, d in zip(entries, far, strict=True)):
            return False
        if (
            sum(entries, ZERO) != 1
            or sum((q * d for q, d in zip(entries, far, strict=True)), ZERO) != setting.distortion
        ):
            return False
    return True


def _notions_and_sets() -> Iterator[Case]:
    for case in cases.any_set(12, 53):
        yield from ({**case, "notion": notion} for notion in ONE_OF_EACH)


def _loss_of_symmetric(case: Case) -> Interval:
    setting: Setting = case["setting"]
    mechanism = symmetric_mechanism(setting.categories, setting.rows, setting.distortion)
    return loss(case["notion"], mechanism, hull(case["distributions"]))


THEOREMS = (
    Theorem(
        key="zhong2022:text-spheres",
        label="The size of a sphere",
        place="Section III",
        statement=r"$\binom{n}{l}(m-1)^l$ databases differ from a given one in $l$ rows.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_settings,
        printed=_spheres_are_counted,
    ),
    Theorem(
        key="zhong2022:lemma-5-preamble",
        label="Lemma 5, preamble",
        place="Section III",
        statement=r"Let $D$ be a positive integer of at most $n$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_settings,
        printed=lambda case: case["setting"].distortion.q == 1,
        corrected=lambda case: 0 < case["setting"].distortion <= case["setting"].rows and _symmetric_is_valid(case),
        correction=r"$D$ is real, $0 < D \le n$; everywhere else the paper takes it so.",
    ),
    Theorem(
        key="zhong2022:lemma-5-1",
        label="Lemma 5(1)",
        place="Section III",
        statement=r"No single distribution of a set needs more loss than the set: $\tilde\epsilon^*(\mathcal{P}, D) "
        r"\ge \tilde\epsilon^*(P, D)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_members_of_sets,
        printed=_member_loses_less,
    ),
    Theorem(
        key="zhong2022:lemma-5-2",
        label="Lemma 5(2)",
        place="Section III; repeated in Theorems 6, 7 and 17",
        statement=r"Nothing need be lost for $n(m-1)/m \le D \le 1$, since $Q_U$ is valid.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_free_settings,
        printed=lambda case: case["setting"].free <= case["setting"].distortion <= 1,
        corrected=lambda case: case["setting"].free <= case["setting"].distortion and _uniform_is_free(case),
        counterexample=Counterexample(
            {"setting": Setting(3, 2, rational("7/5"))}, 1.0, 0.0, "4/3 <= D <= 1 is empty, and nothing is lost at 1.4"
        ),
        correction=r"$n(m-1)/m \le D \le n$.",
    ),
    Theorem(
        key="zhong2022:lemma-5-3-validity",
        label="Lemma 5(3), Q_D",
        place="Section III, the definition of Q_D and the proof of Lemma 5",
        statement=r"$Q_D$ is a mechanism and keeps the distortion within $D$ for every distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_settings,
        printed=_symmetric_is_valid,
        beyond=r"Every single input has distortion exactly $D$.",
    ),
    Theorem(
        key="zhong2022:lemma-5-3",
        label="Lemma 5(3)",
        place="Section III",
        statement=r"$\tilde\epsilon^*(\mathcal{P}, D) \le \tilde\epsilon(Q_D)$ for each of the seven notions.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_notions_and_sets,
        printed=_loss_of_symmetric,
        computed=lambda case: least_loss(
            case["notion"], hull(case["distributions"]), case["setting"].distortion, case["setting"].rows
        ),
    ),
)
