r"""What is true beyond the paper: the exact answer for every set, from which its theorems follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from random import Random

from epstar.completion import Proof
from epstar.completion.converse import mixed
from epstar.exact import ONE, ZERO, Interval, Rational, Real
from epstar.exact_linear import LinearSystem, Optimum
from epstar.source import Hull
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import (
    mechanism_from_diagonal,
    orbit_averages,
    ordered_pieces,
    symmetric_mechanism,
)
from epstar_papers.kalantari2018.programs import equation_10, least
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_III, Point, Points
from epstar_papers.kalantari2018.truth import (
    dp_loss,
    least_loss,
    optimum,
    zero_loss_distortion,
)
from epstar_papers.theorem import ALWAYS, Case, Hypothesis, Relation, Theorem, Verdict


def least_ratio(distribution: Point, distortion: Rational, kept: int = 1) -> Rational:
    """Return the least e^loss for one distribution: randomised response on the best number of likeliest categories.

    E* is the minimum over n (at least `kept`) with tail_n < D of (n-1)(1-D)/(D - tail_n), and 1 if one will do.
    """
    tails = [1 - total for total in accumulate(sorted(distribution, reverse=True))]
    if kept == 1 and distortion >= tails[0]:
        return ONE
    return min(
        (n - 1) * (1 - distortion) / (distortion - t) for n, t in enumerate(tails, 1) if n >= 2 and t < distortion
    )


def greatest_least_entry(distributions: Points) -> Rational:
    """Return the maximum over the hull of the smallest probability."""
    columns = list(zip(*distributions, strict=True))
    rows = tuple((*(-p for p in column), ONE) for column in columns)
    system = LinearSystem(
        len(distributions) + 1, rows, (ZERO,) * len(rows), ((ONE,) * len(distributions) + (ZERO,),), (ONE,)
    )
    found = system.maximise([ZERO] * len(distributions) + [ONE])
    assert isinstance(found, Optimum), "the hull is bounded and not empty"
    return found.value


def _least_favourable(case: Case) -> Interval | Real:
    """The least loss of the one prior that the evidence for the whole set names; nothing is lost if it names none."""
    proof = optimum(case["points"], case["distortion"]).proof
    if not isinstance(proof, Proof) or proof.converse is None:
        return Real.of(ZERO)
    return least_loss((mixed(proof.converse.distortion_law),), case["distortion"])


def _symmetric_is_optimal_as_told(case: Case) -> bool:
    distributions, distortion = case["points"], case["distortion"]
    size = len(distributions[0])
    told = (
        distortion <= (size - 1) * greatest_least_entry(distributions)
        and zero_loss_distortion(distributions).lower > distortion
    )
    is_optimal = dp_loss(symmetric_mechanism(size, distortion)) <= least_loss(distributions, distortion).upper
    return bool(told == is_optimal)


def _largest_piece(case: Case) -> Interval:
    losses = [least_loss(piece.folded, case["distortion"]) for piece in ordered_pieces(case["points"])]
    return max(losses, key=lambda interval: interval.upper.upper)


def _just_below_the_jump(case: Case) -> Interval:
    place = zero_loss_distortion(case["points"]).lower.rational
    assert place is not None, "the threshold of one distribution is rational"
    return least_loss(case["points"], place - Rational(1, 10**9))


def _average_in_hull(case: Case) -> bool:
    averages = orbit_averages(case["points"], case["permutations"])
    return all(Hull(case["points"]).contains(average) for average in averages)


def _with_averages(count: int, seed: int) -> Iterator[Case]:
    for case in cases.copies(count, seed):
        averages = orbit_averages(case["points"], case["permutations"])
        yield {**case, "points": tuple(dict.fromkeys((*case["points"], *averages)))}


def _diagonals(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        mechanism = cases.mechanism(random, random.randint(2, 5))
        kept = tuple(mechanism.entry(x, x) for x in range(mechanism.shape[0]))
        yield {"mechanism": mechanism, "diagonal": kept, "used": len(kept)}


def _ratio_of_diagonal(case: Case) -> Real:
    kept = case["diagonal"]
    total = sum(kept, ZERO)
    return Real.log(max((total - q) / (1 - q) for q in kept))


def single_distributions(count: int, seed: int) -> Iterator[Case]:
    yield from cases.class_two(count, seed, most=1)
    yield from cases.on_grid(TABLE_I, "0.05", "0.1", "0.14", "0.2", "0.299", "0.3")


def true_loss(case: Case) -> Interval:
    return least_loss(case["points"], case["distortion"])


def statement_beyond(
    key: str,
    label: str,
    statement: str,
    drawn: Callable[[], Iterable[Case]],
    printed: Callable[[Case], object],
    computed: Callable[[Case], Interval | Real] | None = true_loss,
    relation: Relation = Relation.EQUAL,
    hypotheses: Hypothesis = ALWAYS,
    tolerance: float = 1e-7,
    settled: bool = False,
) -> Theorem:
    return Theorem(
        key=f"kalantari2018:beyond-{key}",
        label=label,
        place="beyond the paper",
        statement=statement,
        verdict=Verdict.HOLDS,
        relation=relation,
        cases=drawn,
        printed=printed,
        computed=computed,
        hypotheses=hypotheses,
        tolerance=tolerance,
        settled=settled,
    )


def _must_leak(case: Case) -> bool:
    return bool(case["distortion"] > 0) and true_loss(case).upper.upper > 0


_SUM_AT_LEAST_ONE = Hypothesis(
    r"$S \ge 1$ and every $q_i < 1$", lambda case: sum(case["diagonal"], ZERO) >= 1 and max(case["diagonal"]) < 1
)

THEOREMS = (
    statement_beyond(
        "diagonal-bound",
        "What a diagonal costs",
        r"A mechanism whose diagonal $q$ has sum $S \ge 1$ leaks at least $\log\max_i \frac{S-q_i}{1-q_i}$.",
        lambda: _diagonals(60, 61),
        _ratio_of_diagonal,
        lambda case: dp_loss(case["mechanism"]),
        Relation.AT_LEAST,
        _SUM_AT_LEAST_ONE,
    ),
    statement_beyond(
        "diagonal-mechanism",
        "The mechanism of a diagonal",
        r"$Q(j|i) = (1-q_i)q_j/(S-q_i)$ attains it.",
        lambda: _diagonals(60, 62),
        _ratio_of_diagonal,
        lambda case: dp_loss(mechanism_from_diagonal(case["diagonal"]).dense()),
        Relation.EQUAL,
        _SUM_AT_LEAST_ONE,
    ),
    statement_beyond(
        "one-distribution",
        "One distribution",
        r"$e^{\epsilon^*}$ is the minimum of $(n-1)(1-D)/(D-\mathrm{tail}_n)$ over $n$ with $\mathrm{tail}_n < D$, "
        r"and 1 from $D = 1 - \max P$ on.",
        lambda: single_distributions(24, 63),
        lambda case: Real.log(least_ratio(case["points"][0], case["distortion"])),
        hypotheses=cases.ONE_DISTRIBUTION & Hypothesis("$D > 0$", lambda case: case["distortion"] > 0),
    ),
    statement_beyond(
        "least-favourable",
        "The least favourable distribution",
        r"$\epsilon^*(\mathcal P, D) = \sup_{P \in \mathrm{conv}\,\mathcal P} \epsilon^*(\{P\}, D)$ for every set.",
        lambda: [*cases.any_class(24, 64), *cases.class_two(12, 64), *cases.copies(12, 64)],
        _least_favourable,
    ),
    statement_beyond(
        "symmetric-range",
        "Where the symmetric mechanism is optimal",
        r"Exactly for $D \le (M-1)\max_{\mathrm{conv}}\min_i P_i$ below the threshold of zero leakage.",
        lambda: [*cases.any_class(40, 65), *cases.class_two(20, 65)],
        _symmetric_is_optimal_as_told,
        None,
        Relation.IMPLIES,
        Hypothesis("$D > 0$ and something must leak", _must_leak),
    ),
    statement_beyond(
        "jump",
        "The jump",
        r"At the threshold of zero leakage $\epsilon^*$ jumps from the formula for one distribution with $n \ge "
        r"2$ to 0.",
        lambda: [cases.at(distributions, 0) for distributions in (TABLE_I, cases.SKEWED)],
        lambda case: Real.log(least_ratio(case["points"][0], 1 - max(case["points"][0]), kept=2)),
        _just_below_the_jump,
        hypotheses=cases.ONE_DISTRIBUTION
        & cases.CLASS_TWO
        & Hypothesis("more than one category occurs", lambda case: max(case["points"][0]) < 1),
    ),
    statement_beyond(
        "pieces",
        "Convex sets piece by piece",
        r"The leakage of a convex set is the largest of its ordered pieces (the corrected Theorem 3, part c).",
        lambda: [
            *(case for case in cases.any_class(24, 67) if len(case["points"][0]) <= 4),
            *cases.on_grid(TABLE_III["b"], "0.3", "0.6"),
        ],
        _largest_piece,
    ),
    statement_beyond(
        "orbit-bound",
        "Orbit averages bound the leakage",
        r"For any set and any group, averaging each distribution over the group never lowers the leakage below that "
        r"of the set (the corrected Theorem 3, part a).",
        lambda: cases.copies(24, 68),
        lambda case: least_loss(orbit_averages(case["points"], case["permutations"]), case["distortion"]),
        true_loss,
        Relation.AT_MOST,
    ),
    statement_beyond(
        "orbit-equality",
        "Orbit averages inside the hull",
        r"If the hull contains the orbit averages, both leakages are equal (the corrected Theorem 3, part b).",
        lambda: [*cases.copies(20, 69), *_with_averages(16, 69)],
        lambda case: least_loss(orbit_averages(case["points"], case["permutations"]), case["distortion"]),
        true_loss,
        Relation.EQUAL,
        Hypothesis("the average over the orbit lies in the hull of the distributions", _average_in_hull),
    ),
    statement_beyond(
        "no-columns",
        "(10) without columns of zeros",
        r"With $D_1 \le D_i \le 1$ the program (10) for $k = 0$ alone is exact for Class II sets.",
        lambda: [*cases.class_two(20, 70), *cases.paper_sets()],
        lambda case: least([equation_10(case["points"], case["distortion"], 0, first_is_least=True)]),
        hypotheses=cases.CLASS_TWO & cases.SORTED & Hypothesis("$D > 0$ and something must leak", _must_leak),
    ),
)
