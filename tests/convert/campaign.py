"""An edge put to the test on many channels: what it says against what the channels lose.

Inputs are letters, nodes of graphs, databases or places with distances; priors may have zeros, and may be one of two.

The level that an edge gives rises with the level it starts from. So the rule is asked at some levels only, and a
channel is fine if it loses no more than the edge says at the next lower one; the few others are asked about singly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from tests.convert import losses
from tests.convert.batches import batch

from epstar.convert import Guarantee, Implication, SegmentCurve
from epstar.convert.guarantee import Kind, has_unit_pairs, needs_source
from epstar.exact import ONE, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.pairs import ordered_pairs
from epstar.source import Everything, Finite, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]

# What floats may be off by in a loss.
NOISE = 1e-11
# A channel that loses less than this meets every bound with no slack to speak of.
TRIVIAL = 1e-2
ORDERS = ("1/4", "1/2", "3/4", "1", "3/2", "2", "5", "infinity")
DELTAS = ("1/50", "1/10", "1/4")
PROBES = ("0", "1/10", "1/2", "3/2")
GRID = 48


@dataclass(frozen=True)
class Outcome:
    """How many channels were tried, and how near those that lose something came to what the edge says."""

    channels: int
    least_slack: float
    asked: int


@dataclass(frozen=True)
class Group:
    """Channels of one shape on one universe and source, and the parameters of the notions at both ends."""

    channels: Floats
    universe: Universe
    source: Source
    start: Kind
    end: Kind
    probe: Real

    @cached_property
    def laws(self) -> list[Floats]:
        """The priors of the source; over all priors the losses have forms of their own."""
        if isinstance(self.source, Everything):
            return [np.full(self.universe.size, 1 / self.universe.size)]
        return [nearest_floats(point) for point in self.source.vertices()]

    @cached_property
    def compared(self) -> losses.Compared:
        first, second, distance = zip(*ordered_pairs(self.universe), strict=True)
        return losses.Compared(np.array(first), np.array(second), np.array([float(Real.of(d)) for d in distance]))


def run(edge: Implication, groups: int, size: int, seed: int) -> Outcome:
    """Try an edge on groups of channels; an assertion fails if one loses more than the edge says."""
    chance = np.random.default_rng(seed)
    total, least, asked = 0, math.inf, 0
    while total < groups * size:
        group = drawn(edge, chance, size)
        if group is None:
            continue
        outcome = on_curves(edge, group) if edge.start_is_curve else on_levels(edge, group)
        total, least, asked = total + outcome.channels, min(least, outcome.least_slack), asked + outcome.asked
    return Outcome(total, least, asked)


def drawn(edge: Implication, chance: Generator, size: int) -> Group | None:
    universe, outputs = some_universe(chance), int(chance.integers(2, 5))
    source = Everything(universe.size) if "all priors" in edge.needs else some_source(chance, universe.size)
    start, end = kind_of(edge, True, chance), kind_of(edge, False, chance)
    if start is ApproximateDifferentialPrivacy and not has_unit_pairs(universe):
        return None  # a curve is about neighbours
    if edge.rule(_probing(edge, start, universe, source, outputs), end, source) is None:
        return None  # the edge has nothing to say about these, such as a larger order or another universe
    channels = batch(chance, size, universe.size, outputs)
    return Group(channels, universe, source, start, end, Real.of(str(chance.choice(PROBES))))


def some_universe(chance: Generator) -> Universe:
    """Letters half of the time, else a graph, databases or places on a line."""
    size, kind = int(chance.integers(2, 5)), chance.random()
    if kind < 0.5:
        return Alphabet(size)
    if kind < 0.6:
        return Databases(2, 2)
    if kind < 0.8:
        return (Graph.line(size), Graph.ring(size + 1), Graph(range(4), [(0, 1), (0, 2), (0, 3)]))[chance.integers(3)]
    if kind < 0.85:
        return Graph(list("abcd"), [("a", "b"), ("c", "d")])
    places = sorted(chance.choice(12, size, replace=False).tolist())
    return Metric([[Rational(abs(a - b), 4) for b in places] for a in places])


def some_source(chance: Generator, size: int) -> Source:
    """A prior, sometimes with a zero; sometimes one of two."""
    return Finite([_prior(chance, size), _prior(chance, size)]) if chance.random() < 0.15 else _prior(chance, size)


def _prior(chance: Generator, size: int) -> Prior:
    weights = chance.integers(1, int(chance.choice([2, 5, 40])), size)
    if chance.random() < 0.15:
        weights[chance.integers(size)] = 0
    return Prior([Rational(weight, int(weights.sum())) for weight in weights.tolist()])


def _probing(edge: Implication, start: Kind, universe: Universe, source: Source, outputs: int) -> Guarantee:
    kept = source if needs_source(start) else None
    if edge.start_is_curve:
        curve = SegmentCurve([(ONE, Rational(1, 9)), (Rational(2), Rational(0))])
        return Guarantee(start, None, universe, kept, curve, outputs)
    return Guarantee(start, "1/1000", universe, kept, outputs=outputs)


def kind_of(edge: Implication, is_start: bool, chance: Generator) -> Kind:
    notion, is_curve = (edge.start, edge.start_is_curve) if is_start else (edge.end, edge.end_is_curve)
    if is_curve:
        return LocalInformationPrivacy if notion is LocalInformationPrivacy else ApproximateDifferentialPrivacy
    if notion in (RenyiDifferentialPrivacy, SibsonMutualInformation):
        order = "infinity" if is_start and "of order infinity" in edge.name else str(chance.choice(ORDERS))
        return notion(order)
    if notion is ApproximateDifferentialPrivacy:
        reading = str(chance.choice(["event", "pointwise"]))
        return ApproximateDifferentialPrivacy(
            str(chance.choice(DELTAS)), "event" if reading == "event" else "pointwise"
        )
    if notion is LocalInformationPrivacy:
        free = not (is_start and "delta = 0" in edge.needs)
        return LocalInformationPrivacy(str(chance.choice(["0", *DELTAS])) if free else "0")
    return notion()


def loss(kind: Kind, group: Group) -> Bounds:
    """The losses of the channels of a group, from below and from above: the worst over its priors."""
    each = [_loss(kind, group, law) for law in (group.laws if needs_source(kind) else group.laws[:1])]
    return np.max([lower for lower, _ in each], axis=0), np.max([upper for _, upper in each], axis=0)


def _loss(kind: Kind, group: Group, law: Floats) -> Bounds:
    channels, compared = group.channels, group.compared
    everywhere = isinstance(group.source, Everything)

    def exact(values: Floats) -> Bounds:
        return values, values

    if isinstance(kind, ApproximateDifferentialPrivacy):
        of = losses.delta if kind.reading == "event" else losses.pointwise_delta
        slack = float(Real.of(kind.delta))
        return losses.least_level(lambda level: of(channels, level, compared), slack, len(channels))
    if isinstance(kind, LocalInformationPrivacy):
        if kind.delta == 0:
            return exact(losses.local_information_privacy(channels, law))
        slack = float(Real.of(kind.delta))
        return losses.least_level(lambda level: losses.local_delta(channels, law, level), slack, len(channels))
    if isinstance(kind, RenyiDifferentialPrivacy):
        order = float(kind.order) if isinstance(kind.order, float) else _float(kind.order)
        return exact(losses.renyi(channels, order, compared))
    if isinstance(kind, SibsonMutualInformation):
        return exact(losses.sibson(channels, law, math.inf if isinstance(kind.order, float) else _float(kind.order)))
    if isinstance(kind, Capacity) or (isinstance(kind, MutualInformation) and everywhere):
        return losses.capacity(channels)
    if isinstance(kind, ConcentratedDifferentialPrivacy):
        return losses.concentrated(channels, compared)
    if isinstance(kind, PointwiseLeakage) and everywhere:
        return exact(losses.renyi(channels, 1.0, every_pair(group.universe.size)))
    plain: dict[type[Notion], Callable[[Floats], Floats]] = {
        DifferentialPrivacy: lambda channels: losses.differential_privacy(channels, compared),
        GaussianDifferentialPrivacy: lambda channels: losses.gaussian(channels, compared),
        MaximalLeakage: losses.maximal_leakage,
        MinEntropyCapacity: losses.maximal_leakage,
        MutualInformation: lambda channels: losses.mutual_information(channels, law),
        MaximalInformation: lambda channels: losses.maximal_information(channels, law),
        Identifiability: lambda channels: losses.identifiability(channels, law, compared),
        PointwiseLeakage: lambda channels: losses.pointwise_leakage(channels, law),
        MinEntropyLeakage: lambda channels: losses.min_entropy_leakage(channels, law),
    }
    assert isinstance(kind, Notion)
    return exact(plain[type(kind)](channels))


def every_pair(size: int) -> losses.Compared:
    places = np.arange(size)
    first, second = (side.ravel() for side in np.meshgrid(places, places, indexing="ij"))
    return losses.Compared(first[first != second], second[first != second], np.ones(size * (size - 1)))


def _float(order: Rational) -> float:
    return float(Real.of(order))


def lost(group: Group) -> Floats:
    """What the edge must not be below: the loss under the end, or its delta at the probe."""
    if group.end is ApproximateDifferentialPrivacy:
        return losses.delta(group.channels, float(group.probe), group.compared)
    if group.end is LocalInformationPrivacy:
        return worst_local_delta(group, float(group.probe))
    return loss(group.end, group)[0]


def worst_local_delta(group: Group, level: Floats | float) -> Floats:
    return np.asarray(np.max([losses.local_delta(group.channels, law, level) for law in group.laws], axis=0))


def said(edge: Implication, start: Guarantee, group: Group) -> float:
    """What the edge says, as a float rounded up; infinity where it says nothing."""
    found = edge.apply(start, group.end, group.source)
    if found is None:
        return math.inf
    return found.level.upper if found.curve is None else found.curve.delta(group.probe).upper


def on_levels(edge: Implication, group: Group) -> Outcome:
    levels, bounds = loss(group.start, group)[1], lost(group)
    finite = np.isfinite(levels)
    if not finite.any():
        return Outcome(0, math.inf, 0)
    levels, bounds = levels[finite] * (1 + NOISE) + NOISE, bounds[finite]
    outputs = group.channels.shape[2]
    kept = group.source if needs_source(group.start) else None

    def at(level: float) -> float:
        start = Guarantee(group.start, level, group.universe, kept, outputs=outputs)
        return said(edge, start, group)

    places = np.unique(np.concatenate([[0.0], np.quantile(levels, np.linspace(0, 1, GRID))]))
    values = np.array([at(float(place)) for place in places])
    assert (np.diff(values[np.isfinite(values)]) >= -NOISE).all(), f"{edge.name} does not rise with the level"
    below = values[np.searchsorted(places, levels, side="right") - 1]
    doubtful = np.flatnonzero(~(bounds <= below))
    with np.errstate(invalid="ignore"):
        room_below = np.where(bounds > TRIVIAL, below - bounds, math.inf)
        nearest = int(np.argmin(np.nan_to_num(room_below, nan=math.inf)))
    slack = math.inf
    for k in {nearest, *doubtful.tolist()}:
        value = at(float(levels[k]))
        if math.isinf(value):
            continue  # nothing is said, and nothing can be wrong
        room = value - float(bounds[k])
        assert room >= -NOISE * (1 + abs(float(bounds[k]))), f"{edge.name}: {group.channels[finite][k]} {group}"
        slack = min(slack, room) if bounds[k] > TRIVIAL else slack
    # Only what is told something counts: where the edge has an answer for the next larger level that was asked.
    above = values[np.minimum(np.searchsorted(places, levels), len(places) - 1)]
    return Outcome(int(np.isfinite(above).sum()), slack, len(places) + len(doubtful))


def on_curves(edge: Implication, group: Group) -> Outcome:
    """Each channel has its own curve, of chords between values rounded up."""
    local = group.start is LocalInformationPrivacy
    channels, bounds = group.channels, lost(group)
    if local:
        pure = np.max([losses.local_information_privacy(channels, law) for law in group.laws], axis=0)
    else:
        pure = losses.differential_privacy(channels, group.compared)
    ends = np.where(np.isfinite(pure), pure * (1 + NOISE) + NOISE, 8.0)
    levels = ends * np.linspace(0, 1, 6)[:, None]
    if local:
        deltas = np.array([worst_local_delta(group, level) for level in levels])
    else:
        deltas = np.array([losses.delta(channels, level, group.compared) for level in levels])
    deltas = np.where(deltas > 0, deltas * (1 + NOISE) + NOISE, 0.0)
    deltas[-1, np.isfinite(pure)] = 0.0
    deltas = np.minimum(1.0, np.maximum.accumulate(deltas[::-1])[::-1])
    slack, tried = math.inf, 0
    for k in range(len(channels)):
        points = [
            (_exact(math.exp(level)), _exact(delta)) for level, delta in zip(levels[:, k], deltas[:, k], strict=True)
        ]
        points[0] = (ONE, points[0][1])
        rising = [point for i, point in enumerate(points) if i == 0 or point[0] > points[i - 1][0]]
        kept = group.source if needs_source(group.start) else None
        start = Guarantee(group.start, None, group.universe, kept, SegmentCurve(rising))
        value = said(edge, start, group)
        room = value - float(bounds[k])
        # An infinite loss needs no room where the edge says nothing.
        assert math.isinf(value) or room >= -NOISE * (1 + abs(float(bounds[k]))), f"{edge.name}: {channels[k]} {group}"
        if math.isfinite(value):
            slack, tried = min(slack, room) if bounds[k] > TRIVIAL else slack, tried + 1
    return Outcome(tried, slack, tried)


def _exact(value: float) -> Rational:
    return Rational(*float(value).as_integer_ratio())
