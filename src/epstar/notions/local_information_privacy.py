"""Local information privacy: the law of the output given an input stays near the law of the output."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Number, Rational, Real, text
from epstar.exact.enclosure import greatest
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import DENSE_LIMIT, AnyMechanism, DistanceMechanism, Mechanism
from epstar.mechanism.parsing import read_probability
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, RatioBound
from epstar.notions.measure.by_distance import is_uniform, uniform_pair
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.hockey_stick import least_factor
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import are_alike, at_most_by_rows, sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_ratios import typical_outputs, worst_entries
from epstar.notions.measure.slack import Delta, exact_delta
from epstar.notions.measure.worst_events import Pairs, worst_event, worst_in_floats
from epstar.notions.pairs import LawPair
from epstar.notions.priors import (
    Floats,
    extreme_laws,
    few_extreme_laws,
    float_output_law,
    in_rows,
    output_law,
    required,
)
from epstar.source import Prior, Rows, Source
from epstar.universe import Universe

Law = Sequence[Rational]

_ROUNDS = 8


@dataclass(frozen=True, init=False)
class LocalInformationPrivacy(Notion):
    """e^-level Q_x(S) - delta <= P_Y(S) <= e^level Q_x(S) + delta for every event S and every input x.

    Here P_Y is the distribution of the output. Inputs of prior zero count too. Source: ngo2024, Definition 4, equation
    (3); its equation (4) has the arguments of one divergence in the wrong order.

    >>> from epstar import Mechanism, Prior
    >>> mechanism = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> print(LocalInformationPrivacy().loss(mechanism, Prior([0.5, 0.5])).upper)
    log(2)
    """

    name: ClassVar[str] = "local_information_privacy"
    title: ClassVar[str] = "local information privacy"
    needs_source: ClassVar[bool] = True
    delta: Rational

    def __init__(self, delta: Number = ZERO) -> None:
        object.__setattr__(self, "delta", read_probability(delta, "The slack delta"))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the least level, exact for an exact mechanism: the logarithm of a rational.

        With delta = 0 each output needs two exact linear optimisations over the source; with delta > 0 the
        level is convex in the prior and the extreme distributions of the source are listed.
        """
        source = required(source, mechanism, self.title)
        if are_alike(mechanism, source) and (self.delta == 0 or math.prod(mechanism.shape) > DENSE_LIMIT):
            # The two halves of unlike rows need not be the worst together.
            by_row = sum_over_rows(LocalInformationPrivacy(), mechanism, source)
            assert by_row is not None
            # A slack only helps.
            return by_row if self.delta == 0 else Loss(by_row.value, by_row.witness, Real.of(ZERO), by_row.upper)
        at_most = at_most_by_rows(LocalInformationPrivacy(), mechanism)
        if at_most is not None:
            return at_most
        if isinstance(mechanism, DistanceMechanism) and is_uniform(source):
            pair = uniform_pair(mechanism)
            return _between_laws(pair.right, pair.left, self.delta)
        rank_one = RankOne.of(mechanism) if self.delta == 0 or math.prod(mechanism.shape) > DENSE_LIMIT else None
        by_letters = None
        if rank_one is not None:
            by_letters = over_letters(source, partial(_of_letters, rank_one), partial(worst_entries, rank_one))
        if by_letters is not None:
            # A slack only helps.
            return by_letters if self.delta == 0 else replace(by_letters, lower=Real.of(ZERO))
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        if self.delta == 0:
            return _by_outputs(dense, source)
        return _by_events(dense, source, self.delta)

    def delta_at(self, mechanism: AnyMechanism, level: Number, source: Source) -> Delta:
        """Return the least delta that goes with `level`: a point of the privacy curve, the inverse of `loss`.

        Exact where e^level is rational, enclosed elsewhere; over a source set, the supremum over its extreme
        distributions.

        >>> from epstar.mechanism import Mechanism
        >>> leak = Mechanism([["1", "0"], ["41/50", "9/50"]])
        >>> str(LocalInformationPrivacy().delta_at(leak, "log(3)", Prior(["1/2", "1/2"])).upper)
        '9/100'
        """
        real = Real.of(level)
        if real < ZERO:
            raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
        source = required(source, mechanism, self.title)
        dense = mechanism.dense()
        rows = dense.rows if dense.is_exact else dense.exact(256).rows
        above, below = [], []
        for law in extreme_laws(source):
            outputs = output_law(rows, law)
            for x, row in enumerate(rows):
                witness = Witness((x,), (), law)
                above.append(LawPair(witness, outputs, row))
                below.append(LawPair(witness, row, outputs))
        first, second = exact_delta(above, real), exact_delta(below, real)
        assert first.upper is not None
        assert second.upper is not None
        # The second half of the definition bounds e^-level times the excess of a row over the law of the output.
        scaled = Real.of(ZERO) if real.is_infinite else second.upper / Real.exp(real)
        witness, worst = greatest([(first.witness, first.upper), (second.witness, scaled)])
        return Delta(float(worst), witness, worst, worst) if dense.is_exact else Delta(float(worst), witness)

    def worst_laws(self, mechanism: Mechanism, source: Source) -> Sequence[Point]:
        """Return the priors at which each output is least and most likely, and that of the loss where events count."""
        columns = mechanism.floats.T.tolist()
        ends = [end.point for column in columns for end in (source.minimum(column), source.maximum(column))]
        worst = super().worst_laws(mechanism, source) if self.delta > 0 else ()
        return tuple(dict.fromkeys((*worst, *ends)))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return two ratio bounds for each input and point of the source."""
        events = self.delta > 0
        bounds = []
        for i, point in enumerate(points):
            law = {x: p for x, p in enumerate(point) if p != 0}
            for x in range(universe.size):
                bounds.append(RatioBound(law, {x: ONE}, ONE, self.delta, events, name=(i, x, 0)))
                bounds.append(RatioBound({x: ONE}, law, ONE, self.delta, events, slack_grows=events, name=(i, x, 1)))
        return Constraints(ratios=tuple(bounds))

    def parameters(self) -> dict[str, object]:
        """Return delta as it stands in a problem file."""
        return {"delta": text(self.delta)}


@dataclass(frozen=True)
class _Output:
    """What one output says: its extreme entries, and its extreme probabilities over the source."""

    output: int
    high: Rational
    low: Rational
    high_at: int
    low_at: int
    least: Rational
    least_prior: Point
    most: Rational
    most_prior: Point


def _of_letters(rank_one: RankOne, prior: Prior) -> Loss:
    law = prior.probabilities
    outputs = ((item.column, item.law) for item in typical_outputs(rank_one, prior))
    return _of_outputs(
        _Output(c.letter.place, c.high, c.low, c.high_at, c.low_at, chance, law, chance, law) for c, chance in outputs
    )


def _by_outputs(mechanism: Mechanism, source: Source) -> Loss:
    if isinstance(source, Prior) and not mechanism.is_exact:
        return _by_outputs_in_floats(mechanism, source)
    rows = mechanism.rows if mechanism.is_exact else mechanism.exact(256).rows
    laws = output_law(rows, source.probabilities) if isinstance(source, Prior) else None
    found = []
    for y, column in enumerate(zip(*rows, strict=True)):
        high, low = max(column), min(column)
        if laws is not None and isinstance(source, Prior):
            ends = laws[y], source.probabilities, laws[y], source.probabilities
        else:
            least, most = source.minimum(column), source.maximum(column)
            ends = least.value, least.point, most.value, most.point
        found.append(_Output(y, high, low, column.index(high), column.index(low), *ends))
    loss = _of_outputs(found)
    return loss if mechanism.is_exact else Loss(loss.value, loss.witness)


def _of_outputs(outputs: Iterable[_Output]) -> Loss:
    candidates = [(Witness(), Real.of(ZERO))]
    for entry in outputs:
        if entry.high > 0:
            up = Witness((entry.high_at,), (entry.output,), entry.least_prior)
            candidates.append((up, INFINITY if entry.least == 0 else Real.log(entry.high / entry.least)))
        if entry.most > 0:
            down = Witness((entry.low_at,), (entry.output,), entry.most_prior)
            candidates.append((down, INFINITY if entry.low == 0 else Real.log(entry.most / entry.low)))
    witness, real = greatest(candidates)
    return Loss.known(real, witness)


def _by_outputs_in_floats(mechanism: Mechanism, source: Prior) -> Loss:
    matrix = mechanism.floats
    law = float_output_law(source.floats, matrix)
    high, low = matrix.max(axis=0), matrix.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ups = np.where(high > 0, np.log(high) - np.log(law), 0.0)
        downs = np.where(law > 0, np.log(law) - np.log(low), 0.0)
    values = np.maximum(ups, downs)
    output = int(values.argmax())
    column = matrix[:, output]
    x = int(column.argmax() if ups[output] >= downs[output] else column.argmin())
    return Loss(max(0.0, float(values[output])), Witness((x,), (output,), source.probabilities))


def _by_events(mechanism: Mechanism, source: Source, delta: Rational) -> Loss:
    laws = few_extreme_laws(source)
    if laws is None:
        return _between(mechanism, source, delta)
    if mechanism.is_exact:
        witness, real = worst_event(mechanism, source, laws, delta)
        return Loss.known(real, witness)
    return _in_floats(mechanism, laws, in_rows(laws, source), delta)


def _in_floats(mechanism: Mechanism, laws: Sequence[Point], floats: Floats, delta: Rational) -> Loss:
    worst = worst_in_floats(Pairs(floats, mechanism.floats), float(nearest_floats([delta])[0]))
    value = math.inf if worst.factor == math.inf else math.log(worst.factor)
    return Loss(value, Witness((worst.input,), worst.event, laws[worst.law]))


def _between(mechanism: Mechanism, source: Source, delta: Rational) -> Loss:
    """Return the loss between that at some distributions, the worst for the event of the one before, and a bound.

    The bound is the loss if each output had the most, and the least, probability that any distribution gives it.
    """
    found = Loss(-math.inf, Witness())
    laws = [source.maximum([ONE] * source.size).point if source.flattest is None else source.flattest.probabilities]
    for _ in range(_ROUNDS):
        worse = _in_floats(mechanism, laws, np.array([nearest_floats(law) for law in laws]), delta)
        if worse.value <= found.value:
            break
        found = worse
        chances = mechanism.floats[:, list(worse.witness.outputs)].sum(axis=1).tolist()
        laws = [source.maximum(chances).point, source.minimum(chances).point]
    if not mechanism.is_exact or found.witness.prior is None:
        return found
    witness, lower = worst_event(mechanism, Prior(found.witness.prior), [found.witness.prior], delta)
    columns = list(zip(*mechanism.rows, strict=True))
    most, least = [source.maximum(q).value for q in columns], [source.minimum(q).value for q in columns]
    _, upper = greatest(level for row in set(mechanism.rows) for level in _levels(most, least, row, delta))
    return Loss(found.value, witness, lower, upper)


def _levels(most: Law, least: Law, row: Law, delta: Rational) -> Iterator[tuple[tuple[int, ...], Real]]:
    """Yield events, and the least levels at which outputs keep to a row, and the row to outputs."""
    for found in (least_factor(most, row, delta), least_factor(row, least, delta, True)):
        yield found.event, INFINITY if found.factor is None else Real.log(found.factor)


def _between_laws(outputs: Law, row: Law, delta: Rational) -> Loss:
    """Return the least level for one distribution of the output and one row, in both directions."""
    event, real = greatest(_levels(outputs, outputs, row, delta))
    return Loss.known(real, Witness((0,), event))
