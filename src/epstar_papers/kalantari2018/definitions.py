r"""Section II: what Definitions 1, 2 and 4 take for granted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from random import Random

from epstar.distortion import Hamming
from epstar.exact import ZERO
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.tables import Points
from epstar_papers.kalantari2018.truth import hull, least_loss
from epstar_papers.theorem import Case, Relation, Theorem, Verdict

PLACE = "Section II"


def _have_one_order(distributions: Points) -> bool:
    """Whether one order of the categories sorts every distribution, by trying them all."""
    orders = permutations(range(len(distributions[0])))
    return any(
        all(distribution[i] >= distribution[j] for distribution in distributions for i, j in pairwise(order))
        for order in orders
    )


def _class_by_definition(case: Case) -> str:
    distributions = case["points"]
    source = hull(distributions)
    if source.contains(source.uniform):
        return "I"
    return "II" if _have_one_order(distributions) else "III"


def _with_mechanisms(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for case in cases.any_class(count, seed):
        yield {**case, "mechanism": cases.mechanism(random, len(case["points"][0]))}


def _by_diagonal(case: Case) -> bool:
    """Whether the worst distortion is that of the rows' own distortions."""
    mechanism = case["mechanism"]
    wrong = [1 - mechanism.entry(x, x) for x in range(mechanism.shape[0])]
    worst = max(sum((p * d for p, d in zip(distribution, wrong, strict=True)), ZERO) for distribution in case["points"])
    return bool(mechanism.distortion(Hamming(), hull(case["points"])).value == worst)


THEOREMS = (
    Theorem(
        key="kalantari2018:def-1",
        label="Definition 1",
        place=PLACE,
        statement=r"Every source set is of exactly one of the Classes I, II and III.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.any_class(30, 301),
        printed=lambda case: hull(case["points"]).kalantari_class().name == _class_by_definition(case),
    ),
    Theorem(
        key="kalantari2018:def-2",
        label="Definition 2",
        place=PLACE,
        statement=r"Whether a mechanism is $(\mathcal P, D)$-valid depends only on its distortions $D_i = 1 - Q(i|i)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: _with_mechanisms(20, 302),
        printed=_by_diagonal,
    ),
    Theorem(
        key="kalantari2018:def-4",
        label="Definition 4, equation (3)",
        place=PLACE,
        statement=r"The least leakage $\epsilon_{DP}^*(\mathcal P, D)$ is never negative.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: cases.any_class(15, 303),
        printed=lambda case: 0.0,
        computed=lambda case: least_loss(case["points"], case["distortion"]),
    ),
)
