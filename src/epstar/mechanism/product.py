"""Mechanisms that treat each row of a database by itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby

from epstar.arguments import whole_number
from epstar.distortion import Absolute, Distortion, Hamming, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.mechanism.base import DENSE_LIMIT, SCHEMA, AnyMechanism
from epstar.mechanism.structured import StructuredMechanism
from epstar.probability_vectors import listed
from epstar.source import Everything, Maximum, Rows, RowsMaximum, Source
from epstar.universe import Alphabet, Databases, digits


@dataclass(frozen=True)
class Block:
    """Consecutive rows that one factor treats.

    >>> from epstar import Mechanism, ProductMechanism
    >>> from epstar.mechanism import Block
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> print(ProductMechanism([Block(coin, rows=2)]).dense().rows[0][0])
    9/16
    """

    factor: AnyMechanism
    rows: int

    def __post_init__(self) -> None:
        whole_number(self.rows, "The number of rows", 1)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ProductMechanism(StructuredMechanism):
    """Independent rows, each treated by its own factor: Q(y|x) is the product of Q_k(y_k|x_k).

    `ProductMechanism(factor, rows)` repeats one factor; `ProductMechanism([first, second, ...])` takes one
    per row, or a `Block` for several. All factors must be exact and have the same alphabet and the same
    outputs. A million rows cost as much as their number of different consecutive factors.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> million = ProductMechanism(coin, 1_000_000)
    >>> str(million.distortion(Hamming(), Rows(Prior(["1/2", "1/2"]), 1_000_000)).value)
    '250000'
    """

    blocks: tuple[Block, ...]

    def __init__(self, factors: AnyMechanism | Sequence[AnyMechanism | Block], rows: int | None = None) -> None:
        blocks = _read_blocks(factors, rows)
        first = blocks[0].factor
        for block in blocks:
            _check_factor(block.factor, first)
        number = sum(block.rows for block in blocks)
        assert isinstance(first.universe, Alphabet)
        universe = Databases(first.universe, number)
        object.__setattr__(self, "blocks", blocks)
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", Databases(Alphabet(list(first.outputs)), number).labels)

    @property
    def databases(self) -> Databases:
        """The universe, which is one of databases."""
        assert isinstance(self.universe, Databases)
        return self.universe

    @property
    def shape(self) -> tuple[int, int]:
        """The number of input databases and of output databases."""
        return self.universe.size, self.blocks[0].factor.shape[1] ** self.databases.rows

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(block.rows for block in self.blocks))

    def factor(self, row: int) -> AnyMechanism:
        """Return the mechanism that treats one row."""
        if whole_number(row, "A row", 0) >= self.databases.rows:
            raise InvalidInput(f"Row {row} does not exist; rows run from 0 to {self.databases.rows - 1}.")
        return self.blocks[bisect_right(self._ends, row)].factor

    def _entry(self, x: int, y: int) -> Rational:
        rows, inputs, outputs = self.databases.rows, *self.blocks[0].factor.shape
        found = zip(digits(x, inputs, rows), digits(y, outputs, rows), strict=True)
        # Equal letters under one factor are raised to a power at once.
        value, start = ONE, 0
        pairs = list(found)
        for block, end in zip(self.blocks, self._ends, strict=True):
            counts: dict[tuple[int, int], int] = {}
            for pair in pairs[start:end]:
                counts[pair] = counts.get(pair, 0) + 1
            for (a, b), count in counts.items():
                value *= block.factor.entry(a, b) ** count
            start = end
        return value

    def costs(self, distortion: Distortion) -> tuple[Rational, ...]:
        """Return the expected distortion of each database, exactly, if they can be listed."""
        if not isinstance(distortion, Hamming | Absolute | Squared):
            return self.dense().costs(distortion)
        return self._summed_costs(distortion)

    def _hamming_costs(self) -> tuple[Rational, ...]:
        return self._summed_costs(Hamming())

    def _summed_costs(self, distortion: Distortion) -> tuple[Rational, ...]:
        if self.databases.size > DENSE_LIMIT:
            raise InvalidInput("There are too many databases to list their costs; give the source as Rows.")
        costs: list[Rational] = [ZERO]
        for block in self.blocks:
            letters = block.factor.costs(distortion)
            for _ in range(block.rows):
                costs = [rest + cost for rest in costs for cost in letters]
        return tuple(costs)

    def distortion(self, distortion: Distortion, source: Source) -> Maximum | RowsMaximum:
        """Return the worst expected distortion; for a source of independent rows it is summed over the rows.

        Hamming, absolute and squared distortion are sums over rows, so nothing is enumerated.
        """
        self._check_source(source)
        if isinstance(source, Everything) and source.size > DENSE_LIMIT:
            # The worst law is certain of one database, so that its rows are independent.
            source = Rows(Everything(self.databases.alphabet.size), self.databases.rows, iid=False)
        if not (isinstance(distortion, Hamming | Absolute | Squared) and isinstance(source, Rows)):
            return source.maximum(self.costs(distortion))
        letters = [(block.factor.costs(distortion), block.rows) for block in self.blocks]
        if not source.iid:
            return source.maximum_of_sum([costs for costs, rows in letters for _ in range(rows)])
        total = [ZERO] * source.alphabet_size
        for costs, rows in letters:
            total = [sum_so_far + rows * cost for sum_so_far, cost in zip(total, costs, strict=True)]
        best = source.sources[0].maximum(total)
        return RowsMaximum(best.value, (best.point,) * source.rows)

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest ratio over databases that differ in one row: the worst of any factor."""
        ratios = [_ratio_of(block.factor) for block in self.blocks]
        finite = [ratio for ratio in ratios if ratio is not None]
        return max(finite) if len(finite) == len(ratios) else None

    def to_json(self) -> dict[str, object]:
        """Return the description: each factor with the number of rows it treats."""
        blocks = [{"factor": block.factor.to_json(), "rows": block.rows} for block in self.blocks]
        return {"schema": SCHEMA, "kind": "product", "blocks": blocks}

    def _key(self) -> tuple[object, ...]:
        return (self.blocks,)


def _read_blocks(factors: object, rows: int | None) -> tuple[Block, ...]:
    if isinstance(factors, AnyMechanism):
        return (Block(factors, 1 if rows is None else rows),)
    if rows is not None:
        raise InvalidInput("Give one mechanism and a number of rows, or a list of mechanisms; not both.")
    blocks = [entry if isinstance(entry, Block) else _block_of(entry) for entry in listed(factors, "The factors")]
    # As few blocks as possible, so that equal products look equal.
    runs = groupby(blocks, key=lambda block: block.factor)
    return tuple(Block(factor, sum(block.rows for block in run)) for factor, run in runs)


def _block_of(factor: object) -> Block:
    if not isinstance(factor, AnyMechanism):
        raise InvalidInput(f"A factor cannot be a value of type {type(factor).__name__}; give a mechanism.")
    return Block(factor, 1)


def _check_factor(factor: AnyMechanism, first: AnyMechanism) -> None:
    if not isinstance(factor.universe, Alphabet):
        raise InvalidInput("A factor treats one row, so its universe must be an Alphabet; give it one.")
    if not factor.is_exact:
        raise InvalidInput("A factor must be exact; make it so with `.exact(bits)`.")
    same_outputs = factor.outputs is first.outputs or tuple(factor.outputs) == tuple(first.outputs)
    if factor.universe != first.universe or not same_outputs:
        raise InvalidInput("The factors have different inputs or outputs; give all rows the same labels.")


def _ratio_of(factor: AnyMechanism) -> Rational | None:
    if isinstance(factor, StructuredMechanism):
        return factor.worst_ratio
    matrix = factor.dense()
    worst = ONE
    for y in range(matrix.shape[1]):
        column = matrix.column(y)
        low, high = min(column), max(column)
        if low == 0 and high > 0:
            return None
        if high > 0:
            worst = max(worst, high / low)
    return worst
