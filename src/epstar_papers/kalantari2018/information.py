r"""Information-theoretic leakage: equations (19) to (24), Lemmas 3 and 4, and the comparisons of Section IV."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.completion import Proof
from epstar.completion.converse import mixed
from epstar.distortion import Hamming
from epstar.exact import INFINITY, ONE, ZERO, Interval, Rational, Real, dot
from epstar.mechanism import Mechanism, constant
from epstar.notions import MutualInformation
from epstar.source import Prior
from epstar.universe import Alphabet
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.class_three import CYCLE
from epstar_papers.kalantari2018.constructions import symmetric_mechanism
from epstar_papers.kalantari2018.programs import threshold
from epstar_papers.kalantari2018.tables import TABLE_II, Point, Points, points, uniform
from epstar_papers.kalantari2018.truth import (
    NO_CLAIM,
    hull,
    information,
    information_under,
    least_information,
    zero_information_distortion,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict

_GRID = 1024


def symmetric_information(size: int, distortion: Rational) -> Real:
    """Return log M - h(D) - D log(M-1) below (M-1)/M and 0 from there on (equation (22))."""
    if distortion >= Rational(size - 1, size):
        return Real.of(ZERO)
    total = Real.log(Rational(size))
    if distortion > 0:
        lies = Real.log(distortion / (size - 1)) * distortion
        total = total + lies + Real.log(ONE - distortion) * (ONE - distortion)
    return total


def information_of(mechanism: Mechanism, distribution: Point) -> Real:
    """Return the mutual information of an exact mechanism under one distribution, by definition."""
    loss = MutualInformation().loss(mechanism, Prior(distribution)).upper
    assert loss is not None, "exact mechanisms have exact losses"
    return loss


def _mean(first: Point, second: Point) -> Point:
    return tuple((a + b) / 2 for a, b in zip(first, second, strict=True))


def _least_for(distribution: Point, pair: Points, distortion: Rational) -> Interval:
    """The least information about one prior under mechanisms valid for two: the best price between their distortions.

    For any mixture of the two, `information_under` is a lower bound; it is concave in the mixture and its maximum is
    the value, found here on a grid by bisecting the slope.
    """

    def bound(k: int) -> Interval:
        share = Rational(k, _GRID)
        mixture = tuple(share * a + (1 - share) * b for a, b in zip(*pair, strict=True))
        return information_under(distribution, mixture, distortion)

    low, high = 0, _GRID
    while low < high:
        middle = (low + high) // 2
        if bound(middle).upper.upper < bound(middle + 1).upper.upper:
            low = middle + 1
        else:
            high = middle
    return bound(low)


def _max_min(case: Case) -> Interval:
    """The largest, over the priors of the set, of the least information under mechanisms valid for the whole set."""
    distributions, distortion = case["points"], case["distortion"]
    if not case["convex"]:
        values = [_least_for(distribution, distributions, distortion) for distribution in distributions]
        return max(values, key=lambda interval: interval.upper.upper)
    # The evidence for the least information names a distribution of the hull and a price of distortion: try that prior.
    proof = information(distributions, distortion).proof
    assert isinstance(proof, Proof), "an alphabet has no rows"
    assert proof.converse is not None, "a positive leakage comes with a converse"
    weights = proof.converse.sums
    members = [mixed(point) for point in proof.converse.points]
    distribution = tuple(dot(weights, column) / sum(weights, ZERO) for column in zip(*members, strict=True))
    return information_under(distribution, mixed(proof.converse.distortion_law), distortion)


def _min_max(case: Case) -> Interval:
    return least_information(case["points"], case["distortion"], case["convex"])


def _convex(*sets: tuple[Points, str]) -> Iterator[Case]:
    return (cases.at(distributions, distortion, convex=True) for distributions, distortion in sets)


def _segments() -> Iterator[Case]:
    yield from _convex((CYCLE, "0.3"), (points("0.6 0.2 0.2", "0.4 0.5 0.1"), "0.3"), (TABLE_II, "0.2"))


def _class_one_hulls() -> Iterator[Case]:
    for case in cases.class_one(12, 23):
        yield {**case, "convex": True}


def _mechanisms(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for number in range(count):
        size = random.randint(2, 4)
        chosen = (
            symmetric_mechanism(size, Rational(number + 1, 2 * count)) if number % 2 else cases.mechanism(random, size)
        )
        distributions = cases.distribution(random, size), cases.distribution(random, size)
        yield {"mechanism": chosen, "first": distributions[0], "second": distributions[1], "symmetric": number % 2 == 1}


def _first_category(case: Case) -> Real:
    size = len(case["points"][0])
    always = constant(Alphabet(size), range(size), [ONE] + [ZERO] * (size - 1))
    return Real.of(always.distortion(Hamming(), hull(case["points"])).value)


_Z_CHANNEL = Mechanism([[1, 0], ["1/2", "1/2"]])
_CORNERS = points("1 0", "0 1")
_SKEW_PAIR = points("0.9 0.1", "0.1 0.9")


def _excess(case: Case) -> float:
    """How much more information there is under the mean of two distributions than on average under each."""
    mechanism, first, second = case["mechanism"], case["first"], case["second"]
    ends = float(information_of(mechanism, first)) + float(information_of(mechanism, second))
    return float(information_of(mechanism, _mean(first, second))) - ends / 2


THEOREMS = (
    Theorem(
        key="kalantari2018:text-information-hull",
        label="Remark 4 for information",
        place="Section III-A, after equation (20)",
        statement=r"For mutual information, too, a set may be replaced by its convex hull.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: cases.on_grid(CYCLE, "0.3", "0.5"),
        printed=lambda case: least_information(case["points"], case["distortion"], convex=True),
        corrected=lambda case: Interval(
            Real.of(ZERO), least_information(case["points"], case["distortion"], convex=True).upper
        ),
        computed=lambda case: least_information(case["points"], case["distortion"], convex=False),
        counterexample=Counterexample(
            cases.at(_CORNERS, "0.1"), 0.3680642072, 0.0, "under a certain distribution nothing can be learnt"
        ),
        correction="Validity extends to the hull, but information is concave in the distribution: the hull only "
        "bounds the set from above. The set must be convex in (19) to (22).",
    ),
    Theorem(
        key="kalantari2018:text-concave",
        label="Information as a function of the distribution",
        place="Section III-A, before equation (21)",
        statement=r"Mutual information is convex in the source distribution.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: _mechanisms(24, 20),
        printed=lambda case: _excess(case) <= 1e-12,
        corrected=lambda case: _excess(case) >= -1e-12,
        counterexample=Counterexample(
            {"mechanism": Mechanism([[1, 0], [0, 1]]), "first": (ONE, ZERO), "second": (ZERO, ONE)},
            1.0,
            0.0,
            "0 at both ends, log 2 between",
        ),
        correction="Concave, which is what the minimax theorem needs.",
    ),
    Theorem(
        key="kalantari2018:eq-21",
        label="Equation (21)",
        place="Section III-A",
        statement=r"$\min_Q \max_P I(P;Q) = \max_P \min_Q I(P;Q)$ over valid $Q$ and $P \in \mathcal P$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_segments,
        printed=_max_min,
        corrected=lambda case: _max_min(case) if case["convex"] else NO_CLAIM,
        computed=_min_max,
        counterexample=Counterexample(
            cases.at(CYCLE, "0.3", convex=False),
            0.1930942082,
            0.1958816394,
            "two distributions that are not a convex set",
        ),
        correction="The set must be convex.",
        tolerance=1e-6,
    ),
    Theorem(
        key="kalantari2018:lemma-3",
        label="Lemma 3",
        place="Section III-A, equation (22)",
        statement=r"A Class I set has $\epsilon^*_{IT} = \log M - H(D) - D\log(M-1)$ below $(M-1)/M$ and 0 from there.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_class_one_hulls,
        printed=lambda case: symmetric_information(len(case["points"][0]), case["distortion"]),
        corrected=lambda case: (
            symmetric_information(len(case["points"][0]), case["distortion"]) if case["convex"] else NO_CLAIM
        ),
        computed=_min_max,
        counterexample=Counterexample(
            cases.at(_SKEW_PAIR, "0.05", convex=False),
            0.4946319372,
            0.2064482417,
            "the uniform distribution is only in the hull",
        ),
        correction="The set must be convex, or contain the uniform distribution itself.",
    ),
    Theorem(
        key="kalantari2018:lemma-3-uniform",
        label="Lemma 3, proof: the worst distribution",
        place="Section III-A",
        statement=r"For any mechanism the uniform distribution has the largest information.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: _mechanisms(24, 24),
        printed=lambda case: information_of(case["mechanism"], uniform(len(case["first"]))[0]),
        corrected=lambda case: (
            information_of(case["mechanism"], uniform(len(case["first"]))[0]) if case["symmetric"] else INFINITY
        ),
        computed=lambda case: information_of(case["mechanism"], case["first"]),
        counterexample=Counterexample(
            {"mechanism": _Z_CHANNEL, "first": points("0.6 0.4")[0], "symmetric": False},
            0.2157615543,
            0.2231435513,
            "the Z-channel prefers its clean category",
        ),
        correction="True of the symmetric mechanism, which is all the upper bound needs; the lower bound follows by "
        "keeping only the uniform distribution.",
    ),
    Theorem(
        key="kalantari2018:lemma-3-first-category",
        label="Lemma 3, proof: the constant answer",
        place="Section III-A",
        statement=r"Answering the first category always has distortion $(M-1)/M$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: [*_class_one_hulls(), cases.at(uniform(4), "0.1")],
        printed=lambda case: Rational(len(case["points"][0]) - 1, len(case["points"][0])),
        corrected=lambda case: 1 - min(distribution[0] for distribution in case["points"]),
        computed=_first_category,
        counterexample=Counterexample(
            cases.at(points("0.2 0.8", "0.8 0.2"), "0.5"), 0.5, 0.8, "the distribution (0.2, 0.8)"
        ),
        correction=r"Answer uniformly, $Q(j|i) = 1/M$, which has distortion $(M-1)/M$ under every distribution.",
    ),
    Theorem(
        key="kalantari2018:eq-24",
        label="Equations (23) and (24)",
        place="Section III-A",
        statement=r"Under the uniform distribution the symmetric mechanism gives $\log M - H(D) - D\log(M-1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [{"size": m, "distortion": Rational(k, 12)} for m in (2, 3, 6, 10) for k in range(1, 7)],
        hypotheses=Hypothesis(
            r"$D \le (M-1)/M$", lambda case: case["distortion"] <= Rational(case["size"] - 1, case["size"])
        ),
        printed=lambda case: symmetric_information(case["size"], case["distortion"]),
        computed=lambda case: information_of(
            symmetric_mechanism(case["size"], case["distortion"]), uniform(case["size"])[0]
        ),
    ),
    Theorem(
        key="kalantari2018:lemma-4",
        label="Lemma 4",
        place="Section III-A",
        statement=r"A Class II set needs no mutual information exactly from $D = D^{(M-1)}$ on.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: ({**case, "convex": convex} for case in cases.class_two(10, 27) for convex in (True, False)),
        hypotheses=cases.CLASS_TWO & cases.SORTED,
        printed=lambda case: threshold(case["points"], len(case["points"][0]) - 1),
        computed=lambda case: zero_information_distortion(case["points"], case["convex"]),
        beyond="Finite sets and their hulls alike.",
    ),
)
