r"""Square matrices with their maxima on a constant diagonal: Lemmas 1, 2 and 5, and equation (7)."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ZERO, Rational
from epstar.mechanism import Mechanism
from epstar.universe import Databases, Graph
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.background import column_maxima
from epstar_papers.alvim2011.constructions import (
    all_permutations,
    averaged_over_distances,
    averaged_over_group,
    averaged_over_orbit,
    powers,
    single_orbit_automorphism,
    square_with_maxima_on_the_diagonal,
    translations,
)
from epstar_papers.alvim2011.truth import bits, keeps, leakage, min_entropy, uniform
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _has_maxima_on_the_diagonal(mechanism: Mechanism) -> bool:
    return all(mechanism.entry(i, i) == max(mechanism.column(i)) for i in range(mechanism.shape[0]))


def _has_constant_diagonal(mechanism: Mechanism) -> bool:
    return len({mechanism.entry(i, i) for i in range(mechanism.shape[0])}) == 1


def _lemma_1(case: Case) -> bool:
    square = square_with_maxima_on_the_diagonal(case["mechanism"])
    return (
        square.shape[0] == square.shape[1] == case["mechanism"].shape[0]
        and keeps(square, case["ratio"])
        and _has_maxima_on_the_diagonal(square)
        and column_maxima(square) == column_maxima(case["mechanism"])
    )


def _keeps_the_points(averaged: Mechanism, square: Mechanism, ratio: Rational) -> bool:
    return (
        keeps(averaged, ratio)
        and _has_constant_diagonal(averaged)
        and _has_maxima_on_the_diagonal(averaged)
        and column_maxima(averaged) == column_maxima(square)
    )


def _lemma_2(case: Case) -> bool:
    square = square_with_maxima_on_the_diagonal(case["mechanism"])
    return _keeps_the_points(averaged_over_distances(square), square, case["ratio"])


def _lemma_5(case: Case) -> bool:
    square = square_with_maxima_on_the_diagonal(case["mechanism"])
    step = single_orbit_automorphism(case["graph"])
    assert step is not None, "a circulant graph can be turned by one place"
    return _keeps_the_points(averaged_over_orbit(square, step), square, case["ratio"])


def _transitive(case: Case) -> bool:
    square = square_with_maxima_on_the_diagonal(case["mechanism"])
    return _keeps_the_points(averaged_over_group(square, translations(square_databases(case))), square, case["ratio"])


def square_databases(case: Case) -> Databases:
    """Return the databases of a case."""
    return Databases(case["v"], case["u"])


def _sphere_sums(case: Case, row: int) -> tuple[Rational, Rational]:
    """Return both sides of (7) in a row: entries at distance d, and at distance d + 1."""
    mechanism: Mechanism = case["mechanism"]
    databases, d = square_databases(case), case["distance"]
    totals = [ZERO] * (databases.rows + 1)
    for j, entry in enumerate(mechanism.rows[row]):
        totals[int(databases.distance(row, j).p)] += entry
    return (case["u"] - d) * (case["v"] - 1) * totals[d], case["ratio"] * (d + 1) * totals[d + 1]


def _rows_of_7(case: Case) -> list[tuple[Rational, Rational]]:
    return [_sphere_sums(case, row) for row in range(case["v"] ** case["u"])]


def _squares() -> Iterator[Case]:
    for case in cases.private_on_databases(10, 50):
        square = square_with_maxima_on_the_diagonal(case["mechanism"])
        for distance in range(case["u"]):
            yield {**case, "mechanism": square, "distance": distance}


def _is_summed(case: Case) -> bool:
    sides = _rows_of_7(case)
    return sum((left for left, _ in sides), ZERO) <= sum((right for _, right in sides), ZERO)


def _diagonal_sum(case: Case) -> Rational:
    return sum((case["square"].entry(i, i) for i in range(case["square"].shape[0])), ZERO)


def _diagonals() -> Iterator[Case]:
    for case in cases.private_on_circulants(10, 60):
        yield {**case, "square": square_with_maxima_on_the_diagonal(case["mechanism"])}


def _orbit_row_sums(case: Case, share: bool) -> bool:
    """Whether the sums over the powers of an automorphism, with or without 1/n, are rows of a channel."""
    step = single_orbit_automorphism(case["graph"])
    assert step is not None, "a circulant graph can be turned by one place"
    group, square = powers(step), case["square"]
    size = square.shape[0]
    total = sum((square.entry(s[0], s[k]) for s in group for k in range(size)), ZERO)
    return total == (size if share else 1)


def _clique_case(case: Case) -> bool:
    square = square_with_maxima_on_the_diagonal(case["mechanism"])
    return _keeps_the_points(averaged_over_group(square, all_permutations(square.shape[0])), square, case["ratio"])


THEOREMS = (
    Theorem(
        key="alvim2011:lemma-1",
        label="Lemma 1",
        place="Appendix",
        statement=r"A private $n \times m$ channel, $n \le m$, has a private $n \times n$ companion with the same "
        r"conditional min-entropy whose column maxima are on the diagonal.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.private_on_databases(20, 40), *cases.private_on_circulants(10, 41)],
        printed=_lemma_1,
        beyond=r"$m < n$ is allowed too: rows without a column get a column of zeros.",
    ),
    Theorem(
        key="alvim2011:lemma-2",
        label="Lemma 2",
        place="Appendix",
        statement=r"On databases the diagonal can be made constant as well, by averaging over all pairs at the same "
        r"distance.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.private_on_databases(20, 42),
        printed=_lemma_2,
    ),
    Theorem(
        key="alvim2011:eq-7",
        label="Equation (7)",
        place="Appendix, proof of Lemma 2",
        statement=r"In every row $i$, $(u-d)(v-1) \sum_{j \in B_{i,d}} M_{ij} \le e^\epsilon (d+1) "
        r"\sum_{j \in B_{i,d+1}} M_{ij}$.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_squares,
        printed=lambda case: all(left <= right for left, right in _rows_of_7(case)),
        corrected=_is_summed,
        counterexample=Counterexample(
            cases.at(
                1,
                2,
                2,
                mechanism=Mechanism([["9/10", "1/10"], ["17/20", "3/20"]], Databases(2, 1)),
                distance=0,
            ),
            1.0,
            0.0,
            "the first row would say 0.9 <= 2 * 0.1",
        ),
        correction="True after summing over the rows: privacy compares rows in a fixed column, not columns.",
    ),
    Theorem(
        key="alvim2011:lemma-5",
        label="Lemma 5",
        place="Appendix",
        statement=r"On a graph with a single-orbit automorphism, averaging over its powers makes the diagonal constant "
        r"and keeps privacy, the maxima on the diagonal and the conditional min-entropy.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.private_on_circulants(18, 43),
        printed=_lemma_5,
        beyond="Any transitive group of automorphisms will do.",
    ),
    Theorem(
        key="alvim2011:lemma-5-proof-share",
        label="Lemma 5, the factor 1/n",
        place="Appendix, proof of Lemma 5",
        statement=r"In the proof of privacy $M'_{hk} = \sum_i M_{\sigma^i(h),\sigma^i(k)}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_diagonals,
        printed=lambda case: _orbit_row_sums(case, share=False),
        corrected=lambda case: _orbit_row_sums(case, share=True),
        correction=r"With the factor $1/n$ of the definition; without it the rows sum to $n$.",
    ),
    Theorem(
        key="alvim2011:lemma-5-proof-entropy",
        label="Lemma 5, conditional min-entropy",
        place="Appendix, proof of Lemma 5",
        statement=r"$H_\infty^{M}(A) = \sum_h M_{hh}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_diagonals,
        printed=_diagonal_sum,
        corrected=lambda case: bits(case["square"].shape[0] / _diagonal_sum(case)),
        computed=lambda case: min_entropy(uniform(case["square"].shape[0])) - leakage(case["square"]),
        correction=r"$H_\infty^{M}(A) = -\log_2 \frac1n \sum_h M_{hh}$.",
    ),
    Theorem(
        key="alvim2011:beyond-transitive",
        label="Lemma 5 for transitive groups",
        place="beyond the Appendix",
        statement=r"Averaging over any transitive group of automorphisms has the properties of Lemma 5; the "
        r"translations "
        r"of databases, which have no single orbit, are one.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.private_on_databases(10, 44),
        printed=_transitive,
    ),
    Theorem(
        key="alvim2011:beyond-clique-average",
        label="Lemma 5 on cliques",
        place="beyond the Appendix",
        statement=r"On a clique averaging over all permutations leaves randomised response, with the same leakage.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: (
            case
            for case in cases.private_on_circulants(14, 45)
            if case["graph"].size < 6 and case["graph"].diameter == Graph.clique(3).diameter
        ),
        printed=_clique_case,
    ),
)
