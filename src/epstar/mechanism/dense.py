"""A mechanism whose matrix is written out: one row per input, one column per output."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.distortion import Distortion, Hamming
from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, dot, rationalise, text
from epstar.exact.common_denominator import Integers, Scaled, row_products
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism.base import SCHEMA, AnyMechanism
from epstar.mechanism.pairing import paired_universe
from epstar.mechanism.parsing import check_tickets, read_groups, read_labels, read_matrix, read_universe
from epstar.probability_vectors import LabelledTable, Numbers, Table, law, names_in
from epstar.source import Maximum, Prior, Source
from epstar.universe import Alphabet, Databases, Universe

Row = tuple[Rational, ...]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Mechanism(AnyMechanism):
    """A row-stochastic matrix with labelled inputs and outputs.

    Exact if every entry was given exactly (int, Fraction, string, Rational); one float makes all of it
    floats, whose rows must sum to 1 within 1e-9. Inputs are an `Alphabet` unless a universe is given; the
    outputs of a square matrix carry the labels of the inputs, those of another are numbered. A pandas DataFrame brings
    the labels of both.

    Raises:
        InvalidInput: for a wrong shape, an entry that is negative or not finite, a row that does not sum to
            1, or labels that do not fit.

    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> coin.shape, coin.is_exact, str(coin.entry(0, 1))
    ((2, 2), True, '1/4')
    >>> str(coin.then(coin).entry(0, 0))
    '5/8'
    """

    is_expanded: ClassVar[bool] = True
    _given: tuple[Row, ...] | NDArray[np.float64] | Scaled

    def __init__(
        self,
        matrix: Table | LabelledTable,
        universe: Universe | None = None,
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        if isinstance(matrix, LabelledTable):
            inputs, columns = names_in(matrix.index), names_in(matrix.columns)
            universe = Alphabet(inputs) if universe is None and inputs is not None else universe
            outputs = columns if outputs is None else outputs
            matrix = matrix.to_numpy()
        entries = read_matrix(matrix)
        self._set(entries, (len(entries), len(entries[0])), universe, outputs)

    @classmethod
    def of_tickets(
        cls,
        tickets: Integers,
        total: int,
        universe: Universe | None = None,
        outputs: Sequence[Hashable] | None = None,
    ) -> Mechanism:
        """Return the exact mechanism with entries tickets / total: a table of integers whose rows sum to `total`.

        Whole arrays of tickets make a large mechanism without a fraction per entry.

        >>> Mechanism.of_tickets(np.array([[3, 1], [1, 3]]), 4).rows
        ((3/4, 1/4), (1/4, 3/4))
        """
        check_tickets(tickets, total)
        mechanism = cls.__new__(cls)
        mechanism._set(Scaled(tickets, total), tickets.shape, universe, outputs)
        return mechanism

    def _set(
        self,
        given: tuple[Row, ...] | NDArray[np.float64] | Scaled,
        shape: tuple[int, ...],
        universe: Universe | None,
        outputs: Sequence[Hashable] | None,
    ) -> None:
        inputs, columns = shape
        universe = read_universe(universe, inputs)
        if outputs is None:
            outputs = universe.labels if columns == inputs else range(columns)
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", read_labels(outputs, columns))
        object.__setattr__(self, "_given", given)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and the number of outputs."""
        return self.universe.size, len(self.outputs)

    @property
    def is_exact(self) -> bool:
        """Whether the entries are rationals."""
        return not isinstance(self._given, np.ndarray)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows in exact rationals.

        Raises:
            InvalidInput: for a mechanism of floats.
        """
        if isinstance(self._given, np.ndarray):
            raise InvalidInput(
                "A mechanism of floats has no exact rows; use `.floats`, or `.exact(bits)` to make it exact."
            )
        return self._given.rows() if isinstance(self._given, Scaled) else self._given

    @cached_property
    def scaled(self) -> Scaled | None:
        """The exact matrix over one denominator; None for floats, or if there is none of moderate size."""
        if isinstance(self._given, np.ndarray):
            return None
        return self._given if isinstance(self._given, Scaled) else Scaled.of_table(self._given)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The matrix in correctly rounded floats; it cannot be written to."""
        if isinstance(self._given, np.ndarray):
            return self._given
        if isinstance(self._given, Scaled):
            matrix = self._given.floats()
        else:
            matrix = np.array([nearest_floats(row) for row in self._given], dtype=np.float64)
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def _laws(self) -> tuple[Row, ...]:
        """The rows as exact distributions; floats are taken at their exact value and divided by their sum."""
        if self.is_exact:
            return self.rows
        laws = []
        for row in self.floats.tolist():
            exact = [Rational(*entry.as_integer_ratio()) for entry in row]
            total = sum_of(exact)
            laws.append(tuple(entry / total for entry in exact))
        return tuple(laws)

    def entry(self, x: int, y: int) -> Rational:
        """Return Q(y|x) exactly."""
        self._check_place(x, y)
        if isinstance(self._given, Scaled):
            return Rational(int(self._given.numerators[x, y]), self._given.denominator)
        return self._laws[x][y]

    def column(self, y: int) -> Row:
        """Return Q(y|x) for every input x, exactly."""
        self._check_place(0, y)
        return tuple(row[y] for row in self._laws)

    def exact(self, bits: int = 64) -> Mechanism:
        """Return a mechanism with entries k / 2**bits near this one.

        Zero stays zero, positive stays positive, and each entry moves by less than (outputs + 1) / 2**bits.
        """
        tickets = rationalise(self.rows if self.is_exact else self.floats, bits)
        total = 1 << bits
        return self._like([[Rational(count, total) for count in row] for row in tickets])

    def in_floats(self) -> Mechanism:
        """Return the mechanism of the nearest floats, about which estimates are quick."""
        nearest = Mechanism.__new__(Mechanism)
        nearest._set(self.floats, self.shape, self.universe, self.outputs)
        return nearest

    def _expanded(self) -> Mechanism:
        return self

    def costs(self, distortion: Distortion) -> Row:
        """Return the expected distortion of each input, exactly; outputs are matched by label."""
        places = {label: y for y, label in enumerate(distortion.outputs(self.universe))}
        missing = [label for label in self.outputs if label not in places]
        if missing:
            raise InvalidInput(
                f"The distortion has no cost for the output {missing[0]!r}; give both the same output labels."
            )
        if isinstance(distortion, Hamming) and not isinstance(self.universe, Databases):
            # The chance of naming another symbol: no table of costs is needed.
            own = {label: y for y, label in enumerate(self.outputs)}
            labels = enumerate(self.universe.labels)
            return tuple(ONE - self.entry(x, own[label]) if label in own else ONE for x, label in labels)
        order = [places[label] for label in self.outputs]
        scaled, costs_scaled = self.scaled, distortion.scaled(self.universe)
        if scaled is not None and costs_scaled is not None:
            totals = row_products(scaled.numerators, costs_scaled.numerators[:, order])
            denominator = scaled.denominator * costs_scaled.denominator
            return tuple(Rational(total, denominator) for total in totals)
        table = distortion.matrix(self.universe)
        return tuple(dot(row, [costs[y] for y in order]) for row, costs in zip(self._laws, table, strict=True))

    def distortion(self, distortion: Distortion, source: Source) -> Maximum:
        """Return the worst expected distortion over the source, and an input distribution that attains it, exactly."""
        self._check_source(source)
        return source.maximum(self.costs(distortion))

    def output_law(self, prior: Prior | Numbers) -> Row:
        """Return the distribution of the output when the input follows `prior`, exactly."""
        weights = self._read_prior(prior)
        return tuple(dot(weights, self.column(y)) for y in range(self.shape[1]))

    def posterior(self, prior: Prior | Numbers) -> Mechanism:
        """Return what an output says of the input: the mechanism from outputs to inputs by Bayes' rule.

        Its inputs are the outputs that have positive probability under `prior`.
        """
        weights = self._read_prior(prior)
        rows, labels = [], []
        for y, chance in enumerate(self.output_law(prior)):
            if chance > 0:
                joint = zip(weights, self.column(y), strict=True)
                rows.append([weight * entry / chance for weight, entry in joint])
                labels.append(self.outputs[y])
        return Mechanism(rows, Alphabet(labels), self.universe.labels)

    def _read_prior(self, prior: Prior | Numbers) -> Row:
        weights = prior.probabilities if isinstance(prior, Prior) else law(prior, "A prior")
        if len(weights) != self.shape[0]:
            raise InvalidInput(
                f"The prior has {len(weights)} categories and the mechanism {self.shape[0]} inputs; make them equal."
            )
        return weights

    def then(self, post: Mechanism) -> Mechanism:
        """Return this mechanism followed by `post`, which takes the outputs as inputs: no loss ever grows.

        Raises:
            InvalidInput: if `post` has another number of inputs, or the same labels in another order.
        """
        if post.shape[0] != self.shape[1]:
            raise InvalidInput(
                f"The second mechanism takes {post.shape[0]} inputs and the first gives {self.shape[1]} "
                "outputs; they must be the same."
            )
        taken, given = tuple(post.universe.labels), tuple(self.outputs)
        if taken != given and set(taken) == set(given):
            raise InvalidInput(
                "The second mechanism takes the outputs of the first in another order; reorder its rows."
            )
        if not (self.is_exact and post.is_exact):
            return self._like_floats(self.floats @ post.floats, post.outputs)
        columns = [post.column(y) for y in range(post.shape[1])]
        return self._like([[dot(row, column) for column in columns] for row in self.rows], post.outputs)

    def after(self, pre: Mechanism) -> Mechanism:
        """Return this mechanism applied to what `pre` gives: the same as `pre.then(self)`."""
        return pre.then(self)

    def merge(self, groups: Sequence[Sequence[int]]) -> Mechanism:
        """Return the mechanism that tells only in which group its output lies.

        `groups` lists each output position once. A group of one keeps its label; a larger one is labelled by
        the tuple of its labels.
        """
        places = read_groups(groups, self.shape[1])
        labels = [
            self.outputs[group[0]] if len(group) == 1 else tuple(self.outputs[y] for y in group) for group in places
        ]
        if not self.is_exact:
            merged = np.stack([self.floats[:, list(group)].sum(axis=1) for group in places], axis=1)
            return self._like_floats(merged, labels)
        return self._like([[sum_of([row[y] for y in group]) for group in places] for row in self.rows], labels)

    def drop_null_outputs(self) -> Mechanism:
        """Return the mechanism without the outputs that no input ever gives."""
        kept = [y for y in range(self.shape[1]) if any(row[y] != 0 for row in self._laws)]
        labels = [self.outputs[y] for y in kept]
        if not self.is_exact:
            return Mechanism(self.floats[:, kept], self.universe, labels)
        return self._like([[row[y] for y in kept] for row in self.rows], labels)

    def product(self, other: Mechanism) -> Mechanism:
        """Return both mechanisms side by side: pairs of inputs go to pairs of outputs, independently.

        Inputs lie as far apart as the sum of their distances; two alphabets that are equal give `Databases`
        of two rows. Inputs and outputs are in lexicographic order.
        """
        universe = paired_universe(self.universe, other.universe)
        outputs = [(first, second) for first in self.outputs for second in other.outputs]
        if not (self.is_exact and other.is_exact):
            floats = np.kron(self.floats, other.floats)
            return Mechanism(floats / floats.sum(axis=1, keepdims=True), universe, outputs)
        rows = [[a * b for a in first for b in second] for first in self.rows for second in other.rows]
        return Mechanism(rows, universe, outputs)

    def to_json(self) -> dict[str, object]:
        """Return the matrix as exact strings, or as JSON numbers if it is one of floats."""
        # Written here and not at import, because the writer of universes knows all the kinds of labels.
        from epstar.mechanism.document import write_labels, write_universe

        document: dict[str, object] = {
            "schema": SCHEMA,
            "kind": "matrix",
            "universe": write_universe(self.universe),
            "outputs": write_labels(self.outputs),
        }
        if not self.is_exact:
            return {**document, "floats": self.floats.tolist()}
        return {**document, "rows": [[text(entry) for entry in row] for row in self.rows]}

    def _like(self, rows: Sequence[Sequence[Rational]], outputs: Sequence[Hashable] | None = None) -> Mechanism:
        return Mechanism(rows, self.universe, self.outputs if outputs is None else outputs)

    def _like_floats(self, matrix: NDArray[np.float64], outputs: Sequence[Hashable]) -> Mechanism:
        # Two rows that sum to 1 within 1e-9 may give one that does not.
        return Mechanism(matrix / matrix.sum(axis=1, keepdims=True), self.universe, outputs)

    def _key(self) -> tuple[object, ...]:
        entries = self.rows if self.is_exact else self.floats.tobytes()
        return self.universe, tuple(self.outputs), entries
