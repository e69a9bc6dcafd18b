"""From a mechanism and a budget to what is sampled: the mechanism in integers, its sampler, and the proof."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput, Undecided
from epstar.exact import Real
from epstar.mechanism import (
    AnyMechanism,
    BlockDesign,
    DiagonalMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
)
from epstar.notions.base import Notion
from epstar.release.sampler import Sampler, TableSampler
from epstar.release.structured_samplers import (
    BlockSampler,
    DiagonalSampler,
    ResponseSampler,
    RowsSampler,
    rounded_blocks,
    rounded_diagonal,
    rounded_response,
)
from epstar.release.tickets import Tickets, loss_of
from epstar.secret import Secret
from epstar.source import Source

# Mechanisms of at most this many entries are written out: their table is small and the fastest to sample.
_WRITTEN_OUT = 1 << 16


@dataclass(frozen=True)
class Plan:
    """A sampler and the exact mechanism that is its distribution; `bits` is the width of its tickets, if any.

    >>> from epstar import Mechanism
    >>> from epstar.release import plan
    >>> plan(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).bits
    16
    """

    mechanism: AnyMechanism
    sampler: Sampler
    bits: int | None


@dataclass(frozen=True)
class Budget:
    """A notion, the source it is measured over, and the most that may be lost, of the record or of a secret behind it.

    >>> from epstar import DifferentialPrivacy, Mechanism, Real
    >>> from epstar.release import Budget, plan
    >>> coin = Mechanism([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> found = plan(coin, Budget(DifferentialPrivacy(), None, Real.of("log(2)")))
    >>> DifferentialPrivacy().loss(found.mechanism).upper <= Real.of("log(2)")
    True
    """

    notion: Notion
    source: Source | None
    level: Real
    secret: Secret | None = None


def plan(mechanism: AnyMechanism, budget: Budget | None = None) -> Plan:
    """Return how to sample a mechanism; with a budget, the mechanism that is sampled is proven to keep it.

    Raises:
        InvalidInput: if the mechanism does not keep the budget, or has too many entries and no structure.

    >>> from epstar import Mechanism
    >>> from epstar.release import plan
    >>> found = plan(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> found.mechanism.is_exact
    True
    """
    inputs, outputs = mechanism.shape
    if isinstance(mechanism, Mechanism):
        return _from_table(mechanism, budget)
    if inputs * outputs <= _WRITTEN_OUT and not isinstance(mechanism, BlockDesign):
        return _from_table(mechanism.dense(), budget)
    found = _structured(mechanism)
    if found is None:
        return _from_table(mechanism.dense(), budget)
    if budget is not None:
        _prove(found.mechanism, budget)
    return found


def _from_table(mechanism: Mechanism, budget: Budget | None) -> Plan:
    if budget is None:
        tickets = Tickets.near(mechanism)
    else:
        tickets = Tickets.within(mechanism, budget.notion, budget.source, budget.level, budget.secret)
    return Plan(tickets.mechanism, TableSampler(tickets), tickets.bits)


def _structured(mechanism: AnyMechanism) -> Plan | None:
    if isinstance(mechanism, TopRandomisedResponse):
        response = rounded_response(mechanism)
        return Plan(response, ResponseSampler(response), None)
    if isinstance(mechanism, BlockDesign):
        blocks = rounded_blocks(mechanism)
        return Plan(blocks, BlockSampler(blocks), None)
    if isinstance(mechanism, DiagonalMechanism):
        diagonal = rounded_diagonal(mechanism)
        return Plan(diagonal, DiagonalSampler(diagonal), None)
    if isinstance(mechanism, ProductMechanism):
        plans = [plan(block.factor) for block in mechanism.blocks for _ in range(block.rows)]
        product = ProductMechanism([found.mechanism for found in plans])
        return Plan(product, RowsSampler(product, tuple(found.sampler for found in plans)), None)
    return None


def _prove(mechanism: AnyMechanism, budget: Budget) -> None:
    upper = loss_of(mechanism, budget.notion, budget.source, budget.secret).upper
    try:
        proven = upper is not None and upper <= budget.level
    except Undecided:
        proven = False
    if not proven:
        raise InvalidInput(
            f"The mechanism that can be sampled is not proven to lose at most {budget.level} by "
            f"{budget.notion.title}; allow a slightly larger loss, or give another mechanism."
        )
