r"""Appendices C and D: the steps of the proofs, and the colours of the special optimum (Propositions 28 to 32)."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar_papers.theorem import Case, Relation, Theorem, Verdict
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.colouring_lemmas import (
    coloured_for_privacy,
    leakage_colours,
    leakage_optima,
    pointwise,
    privacy_optima,
    square_mechanisms,
)
from epstar_papers.zhong2022.colours import (
    Colour,
    Colouring,
    diagonal,
    leakage_colouring,
    off_diagonal,
    one_colour_rows,
    raised_diagonal,
    sorted_by_diagonal,
)
from epstar_papers.zhong2022.constructions import leakage_mechanism
from epstar_papers.zhong2022.truth import LEAKAGE, below, loss, optimal_mechanism


def _special(case: Case) -> Mechanism:
    """T_1 T_2 of an optimal mechanism for approximate differential privacy."""
    found = optimal_mechanism(pointwise(case), Prior(case["distributions"][0]), distortion_of(case))
    return sorted_by_diagonal(one_colour_rows(found, case["delta"]))


def _white_means_red(coloured: Colouring) -> bool:
    """Whether a diagonal entry that is not black has only red entries beside it."""
    return all(
        Colour.BLACK in coloured[k][k] or all(Colour.RED in colour for colour in off_diagonal(coloured, k))
        for k in range(min(len(coloured), len(coloured[0])))
    )


def _no_plain_row(coloured: Colouring) -> bool:
    return not any(all(shade in colour for colour in row) for row in coloured for shade in (Colour.BLACK, Colour.RED))


def _not_black(coloured: Colouring) -> list[int]:
    return [k for k in range(len(coloured[0])) if Colour.BLACK not in coloured[k][k]]


def _row_sum(case: Case, third: bool, printed: bool) -> Rational:
    """How the row sum changes in case 1 or 3 of the proof of Lemma 26 with Delta = 1, by the colours that are named."""
    count = case["counts"]
    if third:
        taken, given = ("black" if printed else "white"), ("white" if printed else "red")
        return -Rational(count[taken], count["white"]) + Rational(count[given], count["red"])
    given = "white" if printed else "red"
    return -ONE + Rational(count[given], count["red"])


def _counts() -> Iterator[Case]:
    for black, red, white in ((1, 1, 2), (2, 1, 3), (1, 2, 1), (3, 2, 2)):
        yield {"counts": {"black": black, "red": red, "white": white}}


def _raised_square(case: Case, factor: int) -> bool:
    """Whether raising the diagonal by the smaller limit, the second with this factor, reaches one of them."""
    mechanism = case["mechanism"]
    size = mechanism.shape[0]
    raised = raised_diagonal(mechanism)
    columns = [mechanism.column(y) for y in range(size)]
    for k, row in enumerate(mechanism.rows):
        spare = min(p - min(columns[y]) for y, p in enumerate(row) if y != k)
        step = min(max(columns[k]) - row[k], factor * spare)
        if raised.entry(k, k) != row[k] + step:
            return False
    return all(below(loss(notion, raised), loss(notion, mechanism), 1e-12) for notion in (pointwise(case), LEAKAGE))


THEOREMS = (
    Theorem(
        key="zhong2022:lemma-26-case-1",
        label="Lemma 26, proof, case 1",
        place="Appendix C",
        statement=r"With black and red entries, $\Delta/n_B$ is taken from the black and $\Delta/n_R$ given to the "
        r"white, which keeps the row sum.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_counts,
        printed=lambda case: _row_sum(case, third=False, printed=True),
        corrected=lambda case: _row_sum(case, third=False, printed=False),
        computed=lambda case: Real.of(ZERO),
        correction=r"It is given to the red entries.",
    ),
    Theorem(
        key="zhong2022:lemma-26-case-3",
        label="Lemma 26, proof, case 3",
        place="Appendix C",
        statement=r"With white and red entries, $\Delta/n_W$ is taken from the black and $\Delta/n_R$ given to the "
        r"white, which keeps the row sum.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_counts,
        printed=lambda case: _row_sum(case, third=True, printed=True),
        corrected=lambda case: _row_sum(case, third=True, printed=False),
        computed=lambda case: Real.of(ZERO),
        correction=r"It is taken from the white and given to the red entries.",
    ),
    Theorem(
        key="zhong2022:lemma-27-step",
        label="Lemma 27, the step of the proof",
        place="Appendix C",
        statement=r"The step $\Delta_k$ is limited by $n\min_j (Q(j|k) - \min_i Q(j|i))$, here with $n = 1$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=square_mechanisms,
        printed=lambda case: _raised_square(case, 1),
        corrected=lambda case: _raised_square(case, case["mechanism"].shape[0] - 1),
        correction=r"By $(m-1)\min_j(\dots)$, since each entry gives $\Delta_k/(m-1)$.",
    ),
    Theorem(
        key="zhong2022:lemma-27-privacy",
        label="Lemma 27, approximate differential privacy",
        place="Appendix C",
        statement=r"Some optimum has only red entries beside a diagonal entry that is not black.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=lambda case: _white_means_red(coloured_for_privacy(case, _special(case))),
    ),
    Theorem(
        key="zhong2022:lemma-27-leakage",
        label="Lemma 27, maximal leakage",
        place="Appendix C",
        statement=r"The same for maximal leakage.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=leakage_optima,
        printed=lambda case: _white_means_red(leakage_colours(case)),
    ),
    Theorem(
        key="zhong2022:prop-28",
        label="Proposition 28",
        place="Appendix D",
        statement=r"No row of the special optimum is all black or all red.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=lambda case: _no_plain_row(coloured_for_privacy(case, _special(case))),
    ),
    Theorem(
        key="zhong2022:prop-28-leakage",
        label="Proposition 28, maximal leakage",
        place="Appendix D",
        statement=r"The same for maximal leakage, among the outputs that occur.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=leakage_optima,
        printed=lambda case: _no_plain_row(leakage_colours(case)),
    ),
    Theorem(
        key="zhong2022:prop-29",
        label="Proposition 29",
        place="Appendix D",
        statement=r"At most one diagonal entry of the special optimum is not black.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=lambda case: len(_not_black(coloured_for_privacy(case, _special(case)))) <= 1,
    ),
    Theorem(
        key="zhong2022:prop-30",
        label="Proposition 30",
        place="Appendix D",
        statement=r"If $Q(k|k)$ is the diagonal entry that is not black then $Q(k|k) = Q(1|1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=lambda case: all(
            diagonal(_special(case))[k] == diagonal(_special(case))[0]
            for k in _not_black(coloured_for_privacy(case, _special(case)))
        ),
    ),
    Theorem(
        key="zhong2022:prop-31",
        label="Proposition 31",
        place="Appendix D",
        statement=r"Off the diagonal the first row of the special optimum is red.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=privacy_optima,
        printed=lambda case: all(
            Colour.RED in colour for colour in off_diagonal(coloured_for_privacy(case, _special(case)), 0)
        ),
    ),
    Theorem(
        key="zhong2022:prop-32",
        label="Proposition 32",
        place="Appendix D",
        statement=r"For maximal leakage every diagonal entry of the special optimum is black.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=leakage_optima,
        printed=lambda case: (
            not _not_black(leakage_colouring(leakage_mechanism(case["distributions"][0], distortion_of(case))))
        ),
    ),
)
