r"""Appendix C, Lemma 24: how many outputs a mechanism needs."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.distortion import Matrix
from epstar.exact import ONE, ZERO, Interval, rational
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import Notion
from epstar.source import Prior
from epstar_papers.theorem import Case, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.constructions import merged_last_outputs
from epstar_papers.zhong2022.distributions import uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    EVENTS,
    INFORMATION_RATIO,
    LEAKAGE,
    POINTWISE,
    RENYI,
    SHANNON,
    SIBSON,
    below,
    hull,
    least_loss,
    loss,
)

_SIX: tuple[Notion, ...] = (DIFFERENTIAL, INFORMATION_RATIO, LEAKAGE, RENYI, SIBSON, SHANNON)


def _wide_mechanisms(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for number in range(count):
        inputs = random.randint(2, 3)
        mechanism = cases.mechanism(random, inputs, inputs + 2, number % 2)
        yield {"mechanism": mechanism, "distribution": cases.distribution(random, inputs)}


def _merging_is_free(notions: tuple[Notion, ...], case: Case) -> bool:
    source = Prior(case["distribution"])
    merged = merged_last_outputs(case["mechanism"])
    return all(below(loss(n, merged, source), loss(n, case["mechanism"], source), 1e-12) for n in notions)


def _with_more_outputs(case: Case) -> Interval:
    """The least loss when one category has two outputs and one more output is wrong for everyone."""
    distributions = case["distributions"]
    size = len(distributions[0])
    costs = [[*(ZERO if x == y else ONE for y in range(size)), ZERO if x == 0 else ONE, ONE] for x in range(size)]
    return Frontier(case["notion"], hull(distributions), Matrix(costs)).loss_at(distortion_of(case)).interval


def _with_useless_outputs(case: Case) -> Interval:
    size = len(case["distributions"][0])
    costs = [[*(ZERO if x == y else ONE for y in range(size)), ONE, ONE] for x in range(size)]
    return Frontier(POINTWISE, hull(case["distributions"]), Matrix(costs)).loss_at(distortion_of(case)).interval


def _size_questions() -> Iterator[Case]:
    for notion in (*_SIX, EVENTS):
        yield cases.at(((rational("1/2"), rational("3/10"), rational("1/5")),), "0.25", notion=notion)
        yield cases.at((uniform(2),), "0.2", notion=notion)


_SPLIT: Case = {
    "mechanism": Mechanism([["4/5", "1/10", "1/10"], [1, 0, 0]]),
    "distribution": uniform(2),
}

THEOREMS = (
    Theorem(
        key="zhong2022:lemma-24",
        label="Lemma 24",
        place="Appendix C",
        statement=r"For all notions but approximate privacy some optimum has no more outputs than inputs.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_size_questions,
        printed=lambda case: least_loss(case["notion"], hull(case["distributions"]), distortion_of(case)),
        computed=_with_more_outputs,
        beyond=r"Also for approximate privacy read event by event; $m$ is the number of inputs, whatever they are.",
    ),
    Theorem(
        key="zhong2022:lemma-24-useless",
        label="Lemma 24, outputs that are always wrong",
        place="Appendix C; Section IV",
        statement=r"Outputs at full distance from every input do not lower the optimum, also for $\delta > 0$ output "
        r"by output.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [*cases.on_grid(cases.FIGURE_4, "0.25", "0.4"), *cases.on_grid((uniform(3),), "0.2")],
        printed=lambda case: least_loss(POINTWISE, hull(case["distributions"]), distortion_of(case)),
        computed=_with_useless_outputs,
    ),
    Theorem(
        key="zhong2022:lemma-24-merging",
        label="Lemma 24, the proof",
        place="Appendix C",
        statement=r"Merging two outputs raises none of the six losses.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _wide_mechanisms(24, 160),
        printed=lambda case: _merging_is_free((*_SIX, EVENTS), case),
        beyond=r"Nor the event-wise loss with $\delta$.",
    ),
    Theorem(
        key="zhong2022:lemma-24-exception",
        label="Lemma 24, the exception",
        place="Appendix C",
        statement=r"Output by output, merging can raise the loss of approximate privacy, so that $\delta > 0$ must be "
        r"excluded.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [_SPLIT],
        settled=True,
        printed=lambda case: not _merging_is_free((POINTWISE,), case) and _merging_is_free((EVENTS,), case),
    ),
)
