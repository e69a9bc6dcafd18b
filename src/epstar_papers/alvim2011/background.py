r"""Min-entropy, its leakage and the channel form of privacy: Sections 1 to 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from epstar.exact import ONE, ZERO, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism
from epstar.query.bounds import database_bound, in_bits
from epstar.query.query import Query
from epstar.universe import Databases
from epstar_papers.alvim2011 import cases
from epstar_papers.alvim2011.truth import bits, capacity, edges_of, gain_in_chance, leakage, min_entropy, ratio_of
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict

SILENT = {
    "mechanism": Mechanism([["3/5", "2/5"], ["2/5", "3/5"]]),
    "distribution": rationals(["9/10", "1/10"]),
}


def column_maxima(mechanism: Mechanism) -> Rational:
    """Return the sum of the largest entries of the columns."""
    return sum((max(mechanism.column(z)) for z in range(mechanism.shape[1])), ZERO)


def is_independent(mechanism: Mechanism, distribution: tuple[Rational, ...]) -> bool:
    """Return whether the output has the same distribution for all inputs that occur."""
    return len({mechanism.rows[x] for x, chance in enumerate(distribution) if chance > 0}) == 1


def _event_ratio(mechanism: Mechanism) -> Rational | None:
    """Return the largest ratio of the chances of an event between neighbours, over all events; None if infinite."""
    worst = ONE
    pairs = mechanism.universe.pairs()
    outputs = range(mechanism.shape[1])
    for i, j in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        for count in range(1, mechanism.shape[1] + 1):
            for event in combinations(outputs, count):
                first, second = (sum((mechanism.entry(x, z) for z in event), ZERO) for x in (i, j))
                if (first > 0) != (second > 0):
                    return None
                if first > 0:
                    worst = max(worst, first / second, second / first)
    return worst


def _leaks_little(case: Case) -> bool:
    """Whether the leakage is below the bound at this level and yet no finite level holds."""
    limit = in_bits(database_bound(1, case["mechanism"].shape[0], case["level"]))
    return ratio_of(case["mechanism"]) is None and bits(capacity(case["mechanism"])) < limit


def _queries() -> Iterator[Case]:
    functions: tuple[Callable[[Sequence[int]], int], ...] = (sum, max, lambda rows: sum(rows) % 2, lambda rows: rows[0])
    for f in functions:
        for values, people in ((2, 2), (3, 2), (2, 3)):
            yield {"query": f, "databases": Databases(values, people)}


def _adjacent_answers(case: Case) -> bool:
    """Whether the edges of the answer graph are the pairs of Definition 2, which hold both ways."""
    f, databases = case["query"], case["databases"]
    query = Query(f, databases)
    labels = [databases.labels[x] for x in range(databases.size)]
    near = {(f(a), f(b)) for a in labels for b in labels if sum(x != y for x, y in zip(a, b, strict=True)) == 1}
    expected = {(a, b) for a, b in near if a != b}
    edges = {(query.answers[i], query.answers[j]) for i, j in edges_of(query.graph)}
    return expected == {(b, a) for a, b in expected} == edges | {(b, a) for a, b in edges}


THEOREMS = (
    Theorem(
        key="alvim2011:def-2",
        label="Definition 2",
        place="Section 5.1",
        statement=r"Answers are adjacent if some adjacent databases have them; the relation is symmetric, so the "
        r"answers form an undirected graph.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_queries,
        printed=_adjacent_answers,
    ),
    Theorem(
        key="alvim2011:text-min-entropy",
        label="What min-entropy means",
        place="Section 1.2",
        statement=r"$H_\infty(X)$ is the logarithm of the chance of guessing $X$ in one try.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(12, 1),
        printed=lambda case: bits(max(case["distribution"])),
        corrected=lambda case: bits(ONE / max(case["distribution"])),
        computed=lambda case: min_entropy(case["distribution"]),
        correction="Minus the logarithm, as Section 2 defines it.",
    ),
    Theorem(
        key="alvim2011:text-capacity",
        label="Min-entropy capacity",
        place="Section 2.2",
        statement=r"$C_\infty$, the largest leakage over all distributions of the input, is $\sum_y \max_x p(y|x)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(12, 2),
        printed=lambda case: column_maxima(case["mechanism"]),
        corrected=lambda case: bits(column_maxima(case["mechanism"])),
        computed=lambda case: bits(capacity(case["mechanism"])),
        correction=r"$C_\infty = \log_2 \sum_y \max_x p(y|x)$.",
    ),
    Theorem(
        key="alvim2011:text-capacity-uniform",
        label="Where the capacity is reached",
        place="Section 2.2; Section 4, after Example 1",
        statement=r"The uniform distribution of the input gives the largest leakage of a channel.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.channels(12, 3),
        printed=lambda case: leakage(case["mechanism"]),
        computed=lambda case: bits(capacity(case["mechanism"])),
    ),
    Theorem(
        key="alvim2011:text-capacity-elsewhere",
        label="Other distributions that reach the capacity",
        place="Section 4, after Example 1",
        statement=r"Distributions other than the uniform one may give the largest leakage too.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            {"mechanism": Mechanism([[1, 0], [0, 1], [1, 0]]), "distribution": rationals(["1/2", "1/2", 0])},
            {"mechanism": Mechanism([[1, 0], [0, 1], ["1/2", "1/2"]]), "distribution": rationals(["1/2", "1/2", 0])},
        ],
        settled=True,
        printed=lambda case: gain_in_chance(case["mechanism"], case["distribution"]) == capacity(case["mechanism"]),
    ),
    Theorem(
        key="alvim2011:text-leakage-positive",
        label="Leakage is not negative",
        place="Section 2.2",
        statement=r"$H_\infty(X|Y) \le H_\infty(X)$, so that $I_\infty(X;Y) \ge 0$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: cases.channels(25, 4),
        printed=lambda case: ZERO,
        computed=lambda case: leakage(case["mechanism"], case["distribution"]),
    ),
    Theorem(
        key="alvim2011:text-independence",
        label="When nothing leaks",
        place="Section 2.2",
        statement=r"$H_\infty(X|Y) = H_\infty(X)$ if and only if $X$ and $Y$ are independent.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            *cases.channels(25, 5),
            {"mechanism": Mechanism([[1], [1]]), "distribution": rationals(["1/2", "1/2"])},
        ],
        printed=lambda case: (
            (gain_in_chance(case["mechanism"], case["distribution"]) == 1)
            == is_independent(case["mechanism"], case["distribution"])
        ),
        corrected=lambda case: (
            not is_independent(case["mechanism"], case["distribution"])
            or gain_in_chance(case["mechanism"], case["distribution"]) == 1
        ),
        counterexample=Counterexample(
            SILENT, 1.0, 0.0, "the likelier input stays the best guess after every output, so that nothing leaks"
        ),
        correction="Independence implies equality; the converse holds for a uniform input.",
    ),
    Theorem(
        key="alvim2011:beyond-independence-uniform",
        label="When nothing leaks, uniform input",
        place="beyond Section 2.2",
        statement=r"For a uniform $X$ nothing leaks if and only if $X$ and $Y$ are independent.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.channels(25, 6), {"mechanism": Mechanism([[1], [1]])}, SILENT],
        printed=lambda case: (
            (column_maxima(case["mechanism"]) == 1)
            == is_independent(case["mechanism"], (ONE,) * case["mechanism"].shape[0])
        ),
    ),
    Theorem(
        key="alvim2011:text-not-vice-versa",
        label="Leakage does not bound privacy",
        place="Abstract",
        statement=r"Privacy bounds the leakage; a small leakage does not bound the privacy loss.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            {"mechanism": Mechanism([[1, 0], ["99/100", "1/100"]]), "level": "log(2)"},
            {"mechanism": Mechanism([[1, 0, 0], [1, 0, 0], ["9/10", 0, "1/10"]]), "level": 1},
        ],
        printed=_leaks_little,
        beyond=r"The first channel leaks $\log_2 1.01$ bits and has no finite level.",
    ),
    Theorem(
        key="alvim2011:text-channel-form",
        label="Privacy as a property of the channel",
        place="Section 3, after equation (1)",
        statement=r"Privacy for all events is the same as $p(z|x) \le e^\epsilon p(z|x')$ for all outputs and "
        r"neighbours.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.channels(20, 7),
        printed=lambda case: _event_ratio(case["mechanism"]) == ratio_of(case["mechanism"]),
    ),
    Theorem(
        key="alvim2011:text-constant-query",
        label="A constant query",
        place="Section 3, on the choice of values",
        statement=r"If all databases have the same answer, reporting it without noise loses no privacy, "
        r"although it tells the value.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [{"u": u, "v": v} for u, v in cases.SIZES],
        printed=lambda case: ONE,
        computed=lambda case: Real.of(
            ratio_of(Mechanism([[1]] * case["v"] ** case["u"], Databases(case["v"], case["u"]))) or rational(0)
        ),
    ),
)
