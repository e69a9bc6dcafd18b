r"""Appendices B and C: renaming categories and making rows of one colour (Lemmas 25 to 27)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from epstar.exact import ONE, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, Notion
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.colours import (
    Colouring,
    diagonal,
    leakage_colouring,
    off_diagonal,
    one_colour_rows,
    privacy_colouring,
    share_a_colour,
    sorted_by_diagonal,
)
from epstar_papers.zhong2022.constructions import leakage_mechanism
from epstar_papers.zhong2022.distributions import points, tail
from epstar_papers.zhong2022.truth import LEAKAGE, below, distortion, least_loss, loss, optimal_mechanism

_DELTAS = ("1/10", "7/20")


def pointwise(case: Case) -> Notion:
    """Return the pointwise notion with the slack of a case."""
    return ApproximateDifferentialPrivacy(case["delta"], reading="pointwise")


def square_mechanisms() -> Iterator[Case]:
    """Random mechanisms on an alphabet, without zeros, with a sorted distribution."""
    random = Random(171)
    for _ in range(20):
        size = random.randint(2, 5)
        yield {
            "mechanism": cases.mechanism(random, size),
            "distribution": cases.sorted_distribution(random, size),
            "delta": Rational(1, 50),
        }


def _distortion_after(case: Case) -> Real:
    return Real.of(distortion(sorted_by_diagonal(case["mechanism"]), Prior(case["distribution"])))


def _keeps_loss(case: Case) -> bool:
    before, after = case["mechanism"], sorted_by_diagonal(case["mechanism"])
    pairs = [(loss(notion, before), loss(notion, after)) for notion in (pointwise(case), LEAKAGE)]
    return all(old.upper <= new.upper <= old.upper for old, new in pairs)


def _colours_move_along(case: Case) -> bool:
    kept = diagonal(case["mechanism"])
    order = sorted(range(len(kept)), key=lambda x: -kept[x])
    moved = sorted_by_diagonal(case["mechanism"])
    colourings = (lambda m: privacy_colouring(m, case["delta"]), leakage_colouring)
    for colour in colourings:
        old, new = colour(case["mechanism"]), colour(moved)
        if any(new[i][j] != old[x][y] for i, x in enumerate(order) for j, y in enumerate(order)):
            return False
    return True


def privacy_optima() -> Iterator[Case]:
    """Sorted distributions with delta > 0 where something must be lost."""
    return (
        case
        for case in cases.one_distribution(40, 172, _DELTAS)
        if len(case["distributions"][0]) > 2 and cases.below_free(case)
    )


def _is_optimal(case: Case, mechanism: Mechanism) -> bool:
    distribution = Prior(case["distributions"][0])
    valid = distortion(mechanism, distribution) <= distortion_of(case)
    return valid and below(
        loss(pointwise(case), mechanism), least_loss(pointwise(case), distribution, distortion_of(case)), 1e-12
    )


def _transformer_keeps(case: Case) -> bool:
    """Whether T_2 keeps the diagonal, the loss and the validity and leaves one colour in each row."""
    found = optimal_mechanism(pointwise(case), Prior(case["distributions"][0]), distortion_of(case))
    changed = one_colour_rows(found, case["delta"])
    return (
        diagonal(changed) == diagonal(found)
        and _is_optimal(case, changed)
        and rows_agree(coloured_for_privacy(case, changed))
    )


def coloured_for_privacy(case: Case, mechanism: Mechanism) -> Colouring:
    """Return the colours for approximate differential privacy with the slack of a case."""
    return privacy_colouring(mechanism, case["delta"])


def rows_agree(coloured: Colouring) -> bool:
    """Return whether each row has one colour off the diagonal."""
    return all(share_a_colour(off_diagonal(coloured, row)) for row in range(len(coloured)))


def leakage_optima() -> Iterator[Case]:
    """Yield sorted distributions below the distortion where nothing need leak."""
    for case in cases.one_distribution(30, 173):
        distribution = case["distributions"][0]
        if distortion_of(case) < tail(distribution, len(distribution) - 1):
            yield case


def leakage_colours(case: Case) -> Colouring:
    """The colours of an optimum for maximal leakage without the outputs that it never gives."""
    return leakage_colouring(leakage_mechanism(case["distributions"][0], distortion_of(case)).drop_null_outputs())


def _leakage_face(share: Rational) -> Mechanism:
    """An optimum for P = (.4, .3, .2, .1) and D = .4; all have this form, with third and fourth rows of their own.

    The diagonal must be (1, 2/3, 0, 0) and each of its entries the largest of its column, so that the last two columns
    vanish; then the second row is fixed and the others split between the first two outputs.
    """
    rest = ONE - share
    return Mechanism([[ONE, 0, 0, 0], [Rational(1, 3), Rational(2, 3), 0, 0], [share, rest, 0, 0], [share, rest, 0, 0]])


def _face() -> Iterator[Case]:
    return ({"share": Rational(1, 3) + Rational(2 * k, 36)} for k in range(13))


def _face_is_optimal(case: Case) -> bool:
    distribution, mechanism = Prior(cases.FIGURE_4[0]), _leakage_face(case["share"])
    wrong = Rational(2, 5)
    return (
        distortion(mechanism, distribution) <= wrong
        and loss(LEAKAGE, mechanism).upper <= least_loss(LEAKAGE, distribution, wrong).lower
    )


def _some_agree() -> bool:
    """Whether some optimum on that face has rows of one colour once the columns of zeros are gone."""
    faces = (leakage_colouring(_leakage_face(case["share"]).drop_null_outputs()) for case in _face())
    return any(rows_agree(coloured) for coloured in faces)


THEOREMS = (
    Theorem(
        key="zhong2022:lemma-25-1",
        label="Lemma 25(1)",
        place="Appendix C",
        statement=(
            r"Renaming categories so that the diagonal decreases does not raise the distortion, for any "
            r"distribution."
        ),
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=square_mechanisms,
        printed=lambda case: distortion(case["mechanism"], Prior(case["distribution"])),
        corrected=lambda case: (
            distortion(case["mechanism"], Prior(case["distribution"]))
            if cases.is_decreasing(case["distribution"])
            else ONE
        ),
        computed=_distortion_after,
        counterexample=Counterexample(
            {"mechanism": Mechanism([["3/5", "2/5"], ["1/10", "9/10"]]), "distribution": points("0.2 0.8")[0]},
            0.16,
            0.34,
            "Q = ((.6, .4), (.1, .9)): the rarer category comes first",
        ),
        correction=r"For distributions in decreasing order.",
    ),
    Theorem(
        key="zhong2022:lemma-25-1-sorted",
        label="Lemma 25(1), sorted distributions",
        place="Appendix C",
        statement=r"The same for $P_1 \ge \dots \ge P_m$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=square_mechanisms,
        hypotheses=Hypothesis(
            r"the mechanism is square", lambda case: case["mechanism"].shape[0] == case["mechanism"].shape[1]
        ),
        printed=lambda case: distortion(case["mechanism"], Prior(case["distribution"])),
        computed=_distortion_after,
    ),
    Theorem(
        key="zhong2022:lemma-25-2",
        label="Lemma 25(2) and (3)",
        place="Appendix C",
        statement=r"That renaming keeps the loss, and the new diagonal decreases.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=square_mechanisms,
        hypotheses=Hypothesis(
            r"the mechanism is square", lambda case: case["mechanism"].shape[0] == case["mechanism"].shape[1]
        ),
        printed=lambda case: (
            _keeps_loss(case) and all(a >= b for a, b in pairwise(diagonal(sorted_by_diagonal(case["mechanism"]))))
        ),
    ),
    Theorem(
        key="zhong2022:lemma-25-colours",
        label="After Lemma 25",
        place="Appendix C",
        statement=r"Renaming carries the colours along.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=square_mechanisms,
        hypotheses=Hypothesis(
            r"the mechanism is square", lambda case: case["mechanism"].shape[0] == case["mechanism"].shape[1]
        ),
        printed=_colours_move_along,
    ),
    Theorem(
        key="zhong2022:lemma-26-privacy",
        label="Lemma 26, approximate differential privacy",
        place="Appendix C",
        statement=r"Some optimum has rows of one colour off the diagonal; $\mathcal{T}_2$ makes one that keeps the "
        r"diagonal, the loss and the validity.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=_transformer_keeps,
    ),
    Theorem(
        key="zhong2022:lemma-26-leakage",
        label="Lemma 26, maximal leakage",
        place="Appendix C",
        statement=r"Some optimum has rows of one colour off the diagonal.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_face,
        printed=lambda case: _face_is_optimal(case) and rows_agree(leakage_colouring(_leakage_face(case["share"]))),
        corrected=lambda case: _face_is_optimal(case) and _some_agree(),
        counterexample=Counterexample(
            {"share": Rational(3, 5)}, 1.0, 0.0, "P = (.4, .3, .2, .1), D = .4: the third row never has one colour"
        ),
        correction=r"After leaving out the outputs of probability 0, whose columns are black and red at once.",
    ),
    Theorem(
        key="zhong2022:lemma-26-leakage-support",
        label="Lemma 26, maximal leakage, outputs in use",
        place="Appendix C",
        statement=r"Some optimum has rows of one colour off the diagonal among the outputs that occur.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=leakage_optima,
        printed=lambda case: rows_agree(leakage_colours(case)),
    ),
)
