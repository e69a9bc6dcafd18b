"""Local information privacy: the law of the output given an input stays near the law of the output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, text
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.mechanism.parsing import read_probability
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, RatioBound
from epstar.notions.enclosure import greatest
from epstar.notions.hockey_stick import event_of, least_factor, least_factors
from epstar.notions.priors import extreme_laws, float_law, output_law, required
from epstar.notions.structured import local_information_privacy_loss
from epstar.reading import nearest_floats
from epstar.source import Prior, Source
from epstar.universe import Universe


@dataclass(frozen=True, init=False)
class LocalInformationPrivacy(Notion):
    """e^-level Q_x(S) - delta <= P_Y(S) <= e^level Q_x(S) + delta for every event S and every input x.

    Here P_Y is the law of the output. Inputs of prior zero count too. Source: ngo2024, Definition 4, equation (3);
    its equation (4) has the arguments of one divergence in the wrong order.
    """

    name: ClassVar[str] = "local_information_privacy"
    title: ClassVar[str] = "local information privacy"
    needs_source: ClassVar[bool] = True
    delta: Rational

    def __init__(self, delta: object = ZERO) -> None:
        object.__setattr__(self, "delta", read_probability(delta, "The slack delta"))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the least level, exact for an exact mechanism: the logarithm of a rational.

        With delta = 0 each output needs two exact linear optimisations over the source; with delta > 0 the
        level is convex in the prior and the extreme laws of the source are listed.
        """
        source = required(source, mechanism, self.title)
        structured = local_information_privacy_loss(mechanism, source, self.delta)
        if structured is not None:
            return structured
        dense = mechanism.dense()
        if self.delta == 0:
            return _by_outputs(dense, source)
        return _by_events(dense, source, self.delta)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return two ratio bounds for each input and point of the source."""
        events = self.delta > 0
        bounds = []
        for point in points:
            law = {x: p for x, p in enumerate(point) if p}
            for x in range(universe.size):
                bounds.append(RatioBound(law, {x: ONE}, ONE, self.delta, events))
                bounds.append(RatioBound({x: ONE}, law, ONE, self.delta, events, slack_grows=events))
        return Constraints(ratios=tuple(bounds))

    def parameters(self) -> dict[str, object]:
        """Return delta as it stands in a problem file."""
        return {"delta": text(self.delta)}


def _by_outputs(mechanism: Mechanism, source: Source) -> Loss:
    if isinstance(source, Prior) and not mechanism.is_exact:
        return _by_outputs_in_floats(mechanism, source)
    rows = mechanism.rows if mechanism.is_exact else mechanism.exact(256).rows
    columns = list(zip(*rows, strict=True))
    candidates = [(Witness(), Real.of(ZERO))]
    laws = output_law(rows, source.probabilities) if isinstance(source, Prior) else None
    for output, column in enumerate(columns):
        high, low = max(column), min(column)
        if high == 0:
            continue
        if laws is not None and isinstance(source, Prior):
            least = most = laws[output]
            least_at = most_at = source.probabilities
        else:
            minimum, maximum = source.minimum(column), source.maximum(column)
            least, least_at, most, most_at = minimum.value, minimum.point, maximum.value, maximum.point
        up = Witness((column.index(high),), (output,), least_at)
        candidates.append((up, INFINITY if least == 0 else Real.log(high / least)))
        if most > 0:
            down = Witness((column.index(low),), (output,), most_at)
            candidates.append((down, INFINITY if low == 0 else Real.log(most / low)))
    witness, real = greatest(candidates)
    return Loss.known(real, witness) if mechanism.is_exact else Loss(float(real), witness)


def _by_outputs_in_floats(mechanism: Mechanism, source: Prior) -> Loss:
    matrix = mechanism.floats
    law = source.floats @ matrix
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
    laws = extreme_laws(source)
    if not mechanism.is_exact:
        return max((_at_in_floats(mechanism, law, delta) for law in laws), key=lambda loss: loss.value)
    candidates = [(Witness(prior=laws[0]), Real.of(ZERO))]
    for law in laws:
        outputs = output_law(mechanism.rows, law)
        for x, row in enumerate(mechanism.rows):
            for found in (least_factor(outputs, row, delta), least_factor(row, outputs, delta, True)):
                real = INFINITY if found.factor is None else Real.log(found.factor)
                candidates.append((Witness((x,), found.event, law), real))
    witness, real = greatest(candidates)
    return Loss.known(real, witness)


def _at_in_floats(mechanism: Mechanism, law: Point, delta: Rational) -> Loss:
    matrix = mechanism.floats
    outputs = np.broadcast_to(float_law(law) @ matrix, matrix.shape)
    slack = float(nearest_floats([delta])[0])
    over = least_factors(outputs, matrix, slack)
    under = least_factors(matrix, outputs, slack, True)
    factors = np.maximum(over, under)
    x = int(factors.argmax())
    factor = float(factors[x])
    sides = (outputs[x], matrix[x]) if over[x] >= under[x] else (matrix[x], outputs[x])
    value = math.inf if factor == np.inf else math.log(factor)
    return Loss(value, Witness((x,), event_of(*sides, factor), law))
