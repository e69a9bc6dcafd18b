"""Rows treated each by itself: how their losses make the loss of a table, and when nothing else does better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from epstar.arguments import check_kind, whole_number
from epstar.compose.sequential import total_of
from epstar.convert.guarantee import times
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, largest, rational
from epstar.frontier import Answer, Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    Identifiability,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    SibsonMutualInformation,
)
from epstar.probability_vectors import listed
from epstar.solve.reductions.rows import THEOREMS
from epstar.source import Prior, Rows
from epstar.universe import Alphabet


@dataclass(frozen=True)
class ParallelRule:
    """How a notion composes over rows.

    `total`: the loss of a product is the largest of the rows' or their sum. `optimal_among`: for independent rows with
    one distribution, the best loss at a distortion is that of one row at its share, scaled likewise, among these
    mechanisms.

    >>> from epstar import DifferentialPrivacy
    >>> from epstar.compose import parallel_rule
    >>> parallel_rule(DifferentialPrivacy()).optimal_among
    'all mechanisms'
    """

    total: Literal["largest", "sum"]
    optimal_among: Literal["all mechanisms", "identical products", "unknown"]
    theorem: str


_SUM = "zhong2022, Lemma 16(2) as corrected: over products of one common mechanism; others can do better"
_RULES: dict[type[Notion], ParallelRule] = {
    **{kind: ParallelRule("largest", "all mechanisms", theorem) for kind, theorem in THEOREMS.items()},
    MutualInformation: ParallelRule("sum", "all mechanisms", THEOREMS[MutualInformation]),
    Capacity: ParallelRule("sum", "unknown", "capacities of independent channels add up"),
    MaximalInformation: ParallelRule("sum", "identical products", _SUM),
    MaximalLeakage: ParallelRule("sum", "identical products", _SUM),
    MinEntropyCapacity: ParallelRule("sum", "identical products", _SUM),
    MinEntropyLeakage: ParallelRule("sum", "unknown", "alvim2011, Section 2: chances of guessing multiply"),
    SibsonMutualInformation: ParallelRule("sum", "identical products", _SUM),
    PointwiseLeakage: ParallelRule("sum", "unknown", "relative entropies of product distributions add up"),
}


def parallel_rule(notion: Notion) -> ParallelRule:
    """Return how the losses of independent rows combine under a notion.

    Raises:
        InvalidInput: for the pointwise reading of approximate differential privacy, and notions without a rule.

    >>> from epstar import DifferentialPrivacy, MutualInformation
    >>> from epstar.compose import parallel_rule
    >>> parallel_rule(DifferentialPrivacy()).total, parallel_rule(MutualInformation()).total
    ('largest', 'sum')
    """
    check_kind(notion, Notion, "What rows are composed in", "a notion such as DifferentialPrivacy()")
    pointwise = isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "pointwise"
    rule = _RULES.get(type(notion))
    if rule is None or pointwise:
        raise InvalidInput(
            f"The {notion.title} of rows does not determine that of a table; measure the product mechanism itself."
        )
    return rule


def parallel_loss(notion: Notion, losses: Sequence[object]) -> Real:
    """Return the loss of a mechanism that treats each row by itself, from the losses of the rows (nats).

    >>> str(parallel_loss(MaximalLeakage(), ["log(2)", "log(3)"]))
    'log(6)'
    """
    levels = [Real.of(loss) for loss in listed(losses, "The list of losses")]
    if any(level < 0 for level in levels):
        raise InvalidInput("A loss is negative; privacy losses are at least 0.")
    return largest(levels) if parallel_rule(notion).total == "largest" else total_of(levels)


@dataclass(frozen=True)
class ParallelOptimum:
    """The best loss for one row, what it makes for the table, and among which mechanisms that is the best.

    >>> from epstar import Frontier
    >>> from epstar.compose import parallel_optimum
    >>> found = parallel_optimum(Frontier("dp", [0.5, 0.5], "hamming"), rows=10, distortion=2)
    >>> str(found.one_row.interval.upper), str(found.upper), found.rule.total
    ('log(4)', 'log(4)', 'largest')
    """

    one_row: Answer
    lower: Real
    upper: Real
    rule: ParallelRule


def parallel_optimum(frontier: Frontier, rows: int, distortion: object) -> ParallelOptimum:
    """Return the loss for independent rows of one common prior at a total distortion: each row at its equal share.

    The distribution may be unknown in a set, the source of the frontier. Whether no other mechanism does better is what
    `rule.optimal_among` says; where it says "identical products" the value is only an upper bound over all mechanisms.
    For a set that is so unless it holds the uniform distribution, which then decides (zhong2022, Theorem 17 as
    corrected).

    Raises:
        InvalidInput: unless the frontier is for one row, or for a notion without a rule.

    >>> from epstar import Frontier
    >>> from epstar.compose import parallel_optimum
    >>> found = parallel_optimum(Frontier("dp", [0.5, 0.5], "hamming"), rows=10, distortion=2)
    >>> str(found.upper)
    'log(4)'
    """
    check_kind(frontier, Frontier, "What is composed", "a Frontier for one row")
    if isinstance(frontier.source, Rows) or not isinstance(frontier.universe, Alphabet):
        raise InvalidInput(
            "Parallel composition starts from one row; give the frontier an alphabet and its distribution."
        )
    rule = parallel_rule(frontier.notion)
    if not isinstance(frontier.source, Prior) and rule.optimal_among == "all mechanisms":
        rule = _rule_of_set(frontier, rule)
    count = whole_number(rows, "The number of rows", 1)
    answer = frontier.loss_at(distortion=rational(distortion) / count)
    ends = [answer.interval.lower, answer.interval.upper]
    if rule.total == "sum":
        ends = [end if end.is_infinite else times(end, Rational(count)) for end in ends]
    return ParallelOptimum(answer, ends[0], ends[1], rule)


def _rule_of_set(frontier: Frontier, rule: ParallelRule) -> ParallelRule:
    """The rule for a common law in a set: rows that share it tell about it, and other mechanisms can use that."""
    source = frontier.source
    symmetric = isinstance(frontier.distortion, Hamming) and not isinstance(frontier.notion, Identifiability)
    if symmetric and source.contains(source.uniform):
        return replace(rule, theorem="zhong2022, Theorem 17 as corrected: the set holds the uniform distribution")
    return replace(
        rule, optimal_among="identical products", theorem="zhong2022, Theorem 17 as corrected: over identical products"
    )
