r"""Section II: source sets, distortion and Definition 3; and Lemma 5 with what Section III says before its theorems."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.distortion import Matrix
from epstar.exact import ONE, ZERO, Interval, Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, Notion
from epstar.source import Prior
from epstar.universe import Alphabet
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.cases import distortion_of
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
    at_most,
    distortion,
    hull,
    least_loss,
    members,
)

_ALIKE: tuple[Notion, ...] = (DIFFERENTIAL, POINTWISE, EVENTS, LEAKAGE, RENYI, INFORMATION_RATIO)


def _sets(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        size = random.randint(2, 3)
        distributions = tuple(dict.fromkeys(cases.distribution(random, size) for _ in range(2)))
        yield cases.at(distributions, cases.between(random, ZERO, Rational(size - 1, size)))


def _over_hull(notion: Notion, case: Case) -> Interval:
    return least_loss(notion, hull(case["distributions"]), distortion_of(case))


def _over_members(notion: Notion, case: Case) -> Interval:
    return least_loss(notion, members(case["distributions"]), distortion_of(case))


def _with_mechanism(case: Case, seed: int = 31) -> Mechanism:
    return cases.mechanism(Random(seed), len(case["distributions"][0]), least=0)


def _copies(count: int) -> Case:
    """The identity on two categories, each answered by one of several copies of itself."""
    share = Rational(1, count)
    rows = [[share] * count + [ZERO] * count, [ZERO] * count + [share] * count]
    return {"mechanism": Mechanism(rows)}


def _slack_needed(reading: ApproximateDifferentialPrivacy, mechanism: Mechanism) -> Real:
    found = reading.delta_at(mechanism, 0).upper
    assert found is not None, "an exact mechanism needs an exact slack"
    return found


def _loss_with_copies(count: int) -> Interval:
    """The least pointwise loss at distortion 0 when each of two categories may be answered by any of its copies."""
    costs = Matrix([[ZERO] * count + [ONE] * count, [ONE] * count + [ZERO] * count])
    return Frontier(POINTWISE, Prior(uniform(2)), costs).loss_at(0).interval


def _total_variation(mechanism: Mechanism) -> Rational:
    """Return the largest difference of the probabilities of any set of outputs under two inputs."""
    first, second = mechanism.rows
    return sum((max(ZERO, a - b) for a, b in zip(first, second, strict=True)), ZERO)


def _expected_distance(mechanism: Mechanism, distribution: tuple[Rational, ...]) -> Rational:
    """Return equation (1): the distance between input and output, averaged."""
    alphabet = Alphabet(len(distribution))
    return sum(
        (
            p * mechanism.entry(x, y) * alphabet.distance(x, y)
            for x, p in enumerate(distribution)
            for y in range(len(distribution))
        ),
        ZERO,
    )


THEOREMS = (
    Theorem(
        key="zhong2022:text-convex-validity",
        label="After Definition 2",
        place="Section II-A",
        statement=r"A mechanism keeps the distortion within $D$ for every distribution of a set exactly if it does so "
        r"for the convex hull: $\mathcal{Q}(\mathcal{P}, D) = \mathcal{Q}(\mathrm{Conv}(\mathcal{P}), D)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _sets(20, 1),
        printed=lambda case: distortion(_with_mechanism(case), hull(case["distributions"])),
        computed=lambda case: Real.of(distortion(_with_mechanism(case), members(case["distributions"]))),
    ),
    Theorem(
        key="zhong2022:text-convex-loss",
        label="After Definition 2, six notions",
        place="Section II-A",
        statement="Without loss of generality the source set is convex, for (approximate) differential privacy, Rényi "
        "differential privacy, maximal leakage and maximal information.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({**case, "notion": notion} for case in _sets(4, 2) for notion in _ALIKE),
        printed=lambda case: _over_hull(case["notion"], case),
        computed=lambda case: _over_members(case["notion"], case),
    ),
    Theorem(
        key="zhong2022:text-convex-sibson",
        label="After Definition 2, Sibson",
        place="Section II-A",
        statement=r"Without loss of generality the source set is convex, for Sibson mutual information.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: _sets(4, 3),
        printed=lambda case: _over_hull(SIBSON, case),
        corrected=lambda case: at_most(_over_hull(SIBSON, case).upper),
        computed=lambda case: _over_members(SIBSON, case),
        counterexample=Counterexample(
            cases.at(cases.OPPOSITE, "0.1"), 0.49469624, 0.28716211, "order 2; the hull holds the uniform distribution"
        ),
        correction=r"The loss is concave in $P$: over the hull it can be larger, so the set itself must be convex.",
    ),
    Theorem(
        key="zhong2022:text-convex-information",
        label="After Definition 2, mutual information",
        place="Section II-A",
        statement=r"Without loss of generality the source set is convex, for mutual information.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: _sets(4, 4),
        printed=lambda case: _over_hull(SHANNON, case),
        corrected=lambda case: at_most(_over_hull(SHANNON, case).upper),
        computed=lambda case: _over_members(SHANNON, case),
        counterexample=Counterexample(
            cases.at(cases.OPPOSITE, "0.1"), 0.36806421, 0.14631051, "the hull holds the uniform distribution"
        ),
        correction=r"The loss is concave in $P$: over the hull it can be larger, so the set itself must be convex.",
    ),
    Theorem(
        key="zhong2022:def-3-2",
        label="Definition 3(2)",
        place="Section II-B",
        statement=r"The $(\epsilon, \delta)$-differential privacy of the literature is the condition $Q(y|x) \le "
        r"e^\epsilon Q(y|x') + \delta$ on single outputs, so that both need the same slack $\delta$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: [_copies(count) for count in (1, 2, 5)],
        printed=lambda case: _slack_needed(POINTWISE, case["mechanism"]),
        corrected=lambda case: _slack_needed(EVENTS, case["mechanism"]),
        computed=lambda case: Real.of(_total_variation(case["mechanism"])),
        counterexample=Counterexample(_copies(10), 0.1, 1.0, "the identity, each output split into ten copies"),
        correction=r"The notion that is cited asks it of every set of outputs: $\sum_y (Q(y|x) - e^\epsilon "
        r"Q(y|x'))_+ \le \delta$. The printed one is not closed under post-processing.",
        beyond=r"With $1/\delta$ outputs that decode to each category the printed problem is trivial: no loss at $D = "
        r"0$.",
    ),
    Theorem(
        key="zhong2022:def-3-2-copies",
        label="Definition 3(2), the output space",
        place="Sections II-B and IV",
        statement=r"Read output by output, approximate privacy loses by a larger output space: ten copies of each "
        r"category make the truth free at $\delta = 1/10$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [{"copies": 10}, {"copies": 12}],
        printed=lambda case: Real.of(ZERO),
        computed=lambda case: _loss_with_copies(case["copies"]),
    ),
    Theorem(
        key="zhong2022:def-3-2-local",
        label="Definition 3(2) for one individual",
        place="Section IV",
        statement=r"For $n = 1$ and outputs in the alphabet, the optimum is the same output by output and for events.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [*cases.one_distribution(10, 5), *cases.ordered_sets(4, 6), *cases.class_one((1,))],
        printed=lambda case: _over_hull(POINTWISE, case),
        computed=lambda case: _over_hull(EVENTS, case),
        beyond=r"For $n \ge 2$ they differ: 0.788457 and 0.955511 at $m = n = 2$, $D = 1/2$, $\delta = 1/10$.",
    ),
    Theorem(
        key="zhong2022:text-local-validity",
        label="Valid mechanisms of one individual",
        place="Section IV",
        statement=r"For $n = 1$ a mechanism is valid for $P$ exactly if $\sum_i P_i Q(i|i) \ge 1 - D$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: (
            {"distribution": c["distributions"][0], "distributions": c["distributions"]} for c in _sets(12, 7)
        ),
        printed=lambda case: (
            1 - sum((p * _with_mechanism(case).entry(i, i) for i, p in enumerate(case["distribution"])), ZERO)
        ),
        computed=lambda case: Real.of(_expected_distance(_with_mechanism(case), case["distribution"])),
    ),
)
