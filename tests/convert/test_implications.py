"""Every implication on random mechanisms: the converted level is never below the loss, and tight ones are attained."""

import math
import random

import pytest
from tests.convert.channels import channel

from epstar.convert import EDGES, Guarantee, Implication, curve_of, local_curve_of
from epstar.convert.extremal_mechanisms import extremal_mechanisms
from epstar.convert.guarantee import Kind, needs_source
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism
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
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet

ORDERS = ["1/4", "1/2", "3/4", "1", "3/2", "2", "5"]
DELTAS = ["1/50", "1/10", "1/4"]
LEVELS = ["0", "1/10", "1/2", "3/2"]
ALL_PRIORS = {edge.name for edge in EDGES if "all priors" in edge.needs}


def orders(edge: Implication) -> list[str]:
    """The orders to draw from: small ones for an edge about them."""
    return ORDERS[:3] if "below order 1" in edge.name else [*ORDERS, "infinity"]


def kind_of(edge: Implication, edge_end: type[Notion], is_curve: bool, chance: random.Random) -> Kind:
    if is_curve:
        assert edge_end in (ApproximateDifferentialPrivacy, LocalInformationPrivacy)
        return edge_end if edge_end is ApproximateDifferentialPrivacy else LocalInformationPrivacy
    if edge_end in (RenyiDifferentialPrivacy, SibsonMutualInformation):
        return edge_end(chance.choice(orders(edge)))
    if edge_end is ApproximateDifferentialPrivacy:
        return ApproximateDifferentialPrivacy(chance.choice(DELTAS))
    if edge_end is LocalInformationPrivacy:
        return LocalInformationPrivacy(chance.choice(["0", *DELTAS]))
    return edge_end()


def start_of(edge: Implication, mechanism: Mechanism, prior: Prior, chance: random.Random) -> Guarantee | None:
    """What the mechanism guarantees where the edge starts; None if its loss is infinite."""
    source: Source = Everything(prior.size) if edge.name in ALL_PRIORS else prior
    if edge.start_is_curve:
        if edge.start is ApproximateDifferentialPrivacy:
            return Guarantee(ApproximateDifferentialPrivacy, None, mechanism.universe, None, curve_of(mechanism))
        return Guarantee(LocalInformationPrivacy, None, mechanism.universe, prior, local_curve_of(mechanism, prior))
    notion = kind_of(edge, edge.start, False, chance)
    if edge.start is LocalInformationPrivacy:
        notion = LocalInformationPrivacy()
    if "order infinity" in edge.name:
        notion = kind_at_infinity(edge.start)
    assert isinstance(notion, Notion)
    found = Guarantee.of(mechanism, notion, source)
    return None if found.level.is_infinite else found


def kind_at_infinity(notion: type[Notion]) -> Notion:
    return (
        RenyiDifferentialPrivacy("infinity")
        if notion is RenyiDifferentialPrivacy
        else SibsonMutualInformation("infinity")
    )


def check(edge: Implication, chance: random.Random) -> bool:
    """Whether the edge applied to a random mechanism; fails if the mechanism loses more than it says."""
    mechanism, prior = channel(chance)
    start = start_of(edge, mechanism, prior, chance)
    if start is None:
        return False
    target = kind_of(edge, edge.end, edge.end_is_curve, chance)
    law = start.source if start.source is not None else prior
    found = edge.apply(start, target, law)
    if found is None:
        return False
    if found.curve is None:
        assert isinstance(target, Notion)
        loss = target.loss(mechanism, law if needs_source(target) else None).lower
        assert loss is not None
        assert not loss.is_infinite, edge.name
        assert loss.ball(128) <= found.level.ball(128) or loss.lower <= found.level.upper, edge.name
        return True
    level = Real.of(chance.choice(LEVELS))
    if target is ApproximateDifferentialPrivacy:
        true = ApproximateDifferentialPrivacy(0).delta_at(mechanism, level).lower
    else:
        assert isinstance(law, Prior)
        true = local_curve_of_at(mechanism, law, level)
    assert true is not None
    assert true.lower <= found.curve.delta(level).upper, edge.name
    return True


def local_curve_of_at(mechanism: Mechanism, prior: Prior, level: Real) -> Real:
    """The least delta of local information privacy from its definition, in floats rounded down a little."""
    factor = math.exp(float(level))
    rows = mechanism.floats
    output = prior.floats @ rows
    worst = 0.0
    for row in rows:
        over = sum(max(0.0, p - factor * q) for p, q in zip(output, row, strict=True))
        under = sum(max(0.0, q - factor * p) for p, q in zip(output, row, strict=True)) / factor
        worst = max(worst, over, under)
    return Real.of(max(0.0, worst - 1e-13))


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.name)
def test_no_mechanism_loses_more(edge: Implication) -> None:
    chance = random.Random(edge.name)
    applied = sum(check(edge, chance) for _ in range(60))
    assert applied >= 10


COIN, SKEW, EVEN = Prior(["1/2", "1/2"]), Prior(["1/10", "3/5", "3/10"]), Prior(["1/3"] * 3)
THREE = Alphabet(3)
TIGHT: list[tuple[str, Guarantee, Kind]] = [
    (
        "differential privacy to concentrated",
        Guarantee(DifferentialPrivacy(), "log(3)", THREE),
        ConcentratedDifferentialPrivacy(),
    ),
    (
        "differential privacy to Gaussian",
        Guarantee(DifferentialPrivacy(), "log(3)", THREE),
        GaussianDifferentialPrivacy(),
    ),
    (
        "differential privacy to Rényi",
        Guarantee(DifferentialPrivacy(), "log(3)", THREE),
        RenyiDifferentialPrivacy("3/2"),
    ),
    ("differential privacy to Rényi", Guarantee(DifferentialPrivacy(), "log(3)", THREE), RenyiDifferentialPrivacy(1)),
    ("differential privacy to maximal leakage", Guarantee(DifferentialPrivacy(), "log(5)", THREE), MaximalLeakage()),
    (
        "differential privacy to maximal information",
        Guarantee(DifferentialPrivacy(), "log(5)", THREE),
        MaximalInformation(),
    ),
    (
        "differential privacy to local information privacy",
        Guarantee(DifferentialPrivacy(), 1, THREE),
        LocalInformationPrivacy(),
    ),
    ("differential privacy to identifiability", Guarantee(DifferentialPrivacy(), "log(5)", THREE), Identifiability()),
    (
        "local information privacy to differential privacy",
        Guarantee(LocalInformationPrivacy(), "log(3/2)", source=SKEW),
        DifferentialPrivacy(),
    ),
    (
        "local information privacy to differential privacy",
        Guarantee(LocalInformationPrivacy(), "log(9)", source=SKEW),
        DifferentialPrivacy(),
    ),
    (
        "local information privacy to differential privacy",
        Guarantee(LocalInformationPrivacy(), "log(6/5)", source=COIN),
        DifferentialPrivacy(),
    ),
    (
        "local information privacy to pointwise leakage",
        Guarantee(LocalInformationPrivacy(), "log(3/2)", source=SKEW),
        PointwiseLeakage(),
    ),
    (
        "maximal information to differential privacy",
        Guarantee(MaximalInformation(), "log(21/20)", source=SKEW),
        DifferentialPrivacy(),
    ),
    (
        "maximal information to local information privacy",
        Guarantee(MaximalInformation(), "log(21/20)", source=SKEW),
        LocalInformationPrivacy(),
    ),
    (
        "maximal information to maximal leakage",
        Guarantee(MaximalInformation(), "log(3/2)", source=COIN),
        MaximalLeakage(),
    ),
    (
        "identifiability to differential privacy",
        Guarantee(Identifiability(), "log(20)", source=SKEW),
        DifferentialPrivacy(),
    ),
    ("maximal leakage to capacity", Guarantee(MaximalLeakage(), "log(3)", THREE), Capacity()),
    ("maximal leakage to Sibson", Guarantee(MaximalLeakage(), "log(2)", THREE), SibsonMutualInformation("infinity")),
    ("maximal leakage to min-entropy capacity", Guarantee(MaximalLeakage(), "log(2)", THREE), MinEntropyCapacity()),
    ("min-entropy capacity to maximal leakage", Guarantee(MinEntropyCapacity(), "log(2)", THREE), MaximalLeakage()),
    (
        "maximal leakage to min-entropy leakage",
        Guarantee(MaximalLeakage(), "log(3/2)", Alphabet(2)),
        MinEntropyLeakage(),
    ),
    (
        "min-entropy leakage to maximal leakage",
        Guarantee(MinEntropyLeakage(), "log(3/2)", source=COIN),
        MaximalLeakage(),
    ),
    (
        "pointwise leakage to mutual information",
        Guarantee(PointwiseLeakage(), "log(2)", source=COIN),
        MutualInformation(),
    ),
    ("capacity to mutual information", Guarantee(Capacity(), "log(2)", Alphabet(2)), MutualInformation()),
    (
        "mutual information at every prior to capacity",
        Guarantee(MutualInformation(), "log(3)", source=Everything(3)),
        Capacity(),
    ),
    ("Sibson to mutual information", Guarantee(SibsonMutualInformation(1), "log(2)", source=COIN), MutualInformation()),
    ("mutual information to Sibson", Guarantee(MutualInformation(), "log(2)", source=COIN), SibsonMutualInformation(1)),
    (
        "Rényi of order infinity to differential privacy",
        Guarantee(RenyiDifferentialPrivacy("infinity"), 1, THREE),
        DifferentialPrivacy(),
    ),
    (
        "pointwise leakage at every prior to relative entropy",
        Guarantee(PointwiseLeakage(), "log(2)", source=Everything(3)),
        RenyiDifferentialPrivacy(1),
    ),
    (
        "differential privacy to maximal leakage of few outputs",
        Guarantee(DifferentialPrivacy(), "log(5)", THREE, outputs=2),
        MaximalLeakage(),
    ),
    (
        "differential privacy to min-entropy leakage",
        Guarantee(DifferentialPrivacy(), "log(3)", THREE),
        MinEntropyLeakage(),
    ),
    (
        "differential privacy to min-entropy leakage",
        Guarantee(DifferentialPrivacy(), "log(30)", THREE),
        MinEntropyLeakage(),
    ),
    (
        "Sibson of order infinity to maximal leakage",
        Guarantee(SibsonMutualInformation("infinity"), "log(2)", source=SKEW),
        MaximalLeakage(),
    ),
    (
        "Sibson to a smaller order",
        Guarantee(SibsonMutualInformation(2), "log(3)", source=EVEN),
        SibsonMutualInformation("3/2"),
    ),
    (
        "maximal information to pointwise leakage",
        Guarantee(MaximalInformation(), "log(3)", source=EVEN),
        PointwiseLeakage(),
    ),
    (
        "identifiability to min-entropy leakage",
        Guarantee(Identifiability(), "log(5)", source=EVEN),
        MinEntropyLeakage(),
    ),
    (
        "identifiability to maximal information",
        Guarantee(Identifiability(), "log(5)", source=EVEN),
        MaximalInformation(),
    ),
]


@pytest.mark.parametrize(("name", "start", "target"), TIGHT, ids=lambda value: value if isinstance(value, str) else "")
def test_tight_levels_are_attained(name: str, start: Guarantee, target: Notion) -> None:
    edge = next(edge for edge in EDGES if edge.name == name)
    assert edge.tight
    size = 2 if start.universe is None else start.universe.size
    law = start.source if start.source is not None else (COIN if size == 2 else SKEW)
    found = edge.apply(start, target, law)
    assert found is not None
    if name == "pointwise leakage at every prior to relative entropy":
        start = Guarantee(RenyiDifferentialPrivacy(1), start.level, start.universe)
        candidates = [Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])]  # the two losses agree; see below
        for mechanism in candidates:
            pointwise = PointwiseLeakage().loss(mechanism, Everything(2)).value
            assert RenyiDifferentialPrivacy(1).loss(mechanism).value == pytest.approx(pointwise, abs=1e-12)
        return
    best = 0.0
    for mechanism in extremal_mechanisms(start):
        assert isinstance(start.notion, Notion)
        if start.outputs is not None and mechanism.shape[1] > start.outputs:
            continue
        given = start.notion.loss(mechanism, start.source if needs_source(start.notion) else None).upper
        if given is not None and not given.is_infinite and given.lower <= start.level.upper:
            best = max(best, target.loss(mechanism, law if needs_source(target) else None).value)
    assert best == pytest.approx(found.level.upper, abs=1e-9)


TIGHT_CURVES: list[tuple[str, Guarantee]] = [
    ("differential privacy to its curve", Guarantee(DifferentialPrivacy(), "log(3)", THREE)),
    ("one pair to its curve", Guarantee(ApproximateDifferentialPrivacy("1/10"), "log(3)", THREE)),
    ("maximal leakage to the curve", Guarantee(MaximalLeakage(), "log(6/5)", THREE)),
    ("capacity to the curve", Guarantee(Capacity(), "1/20", THREE)),
    ("capacity to the curve", Guarantee(Capacity(), "1/2", THREE)),
    ("mutual information to the local curve", Guarantee(MutualInformation(), "1/20", source=SKEW)),
    ("mutual information to the local curve", Guarantee(MutualInformation(), "1/2", source=SKEW)),
    ("mutual information to the local curve", Guarantee(MutualInformation(), "1/10", source=COIN)),
]


@pytest.mark.parametrize("level", ["0", "1/4", "1", "3"])
@pytest.mark.parametrize(
    ("name", "start"),
    TIGHT_CURVES,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tight_curves_are_attained(name: str, start: Guarantee, level: str) -> None:
    edge = next(edge for edge in EDGES if edge.name == name)
    assert edge.tight
    kind: Kind = LocalInformationPrivacy if edge.end is LocalInformationPrivacy else ApproximateDifferentialPrivacy
    found = edge.apply(start, kind, start.source)
    assert found is not None
    assert found.curve is not None
    probe = Real.of(level)
    best = 0.0
    for mechanism in extremal_mechanisms(start, probe):
        assert isinstance(start.notion, Notion)
        given = start.notion.loss(mechanism, start.source).upper
        if given is None or given.is_infinite or given.lower > start.level.upper:
            continue
        if kind is ApproximateDifferentialPrivacy:
            best = max(best, ApproximateDifferentialPrivacy(0).delta_at(mechanism, probe).value)
        else:
            assert isinstance(start.source, Prior)
            best = max(best, float(local_curve_of_at(mechanism, start.source, probe)))
    assert best == pytest.approx(found.curve.delta(probe).upper, abs=1e-9)


def test_the_capacity_under_differential_privacy_is_approached() -> None:
    from epstar.convert.extremal_mechanisms import largest_cycle

    factor = Rational(3)
    edge = next(edge for edge in EDGES if edge.name == "differential privacy to capacity")
    found = edge.apply(Guarantee(DifferentialPrivacy(), Real.log(factor)), Capacity(), None)
    assert found is not None
    inputs, favoured = largest_cycle(math.log(3))
    mass = favoured / inputs
    # The cyclic mechanism is symmetric, so the uniform prior attains its capacity.
    attained = mass * 3 / (mass * 3 + 1 - mass) * math.log(3) - math.log(1 + 2 * mass)
    assert attained == pytest.approx(found.level.upper, abs=1e-9)
    total = favoured * factor + (inputs - favoured)
    row = [(factor if y < favoured else Rational(1)) / total for y in range(inputs)]
    information = sum(float(Real.of(p * inputs)) * math.log(float(Real.of(p * inputs))) for p in row) / inputs
    assert information == pytest.approx(attained, abs=1e-12)


RESPONSE = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
TOLD = Mechanism([[1, 0, 0], ["3/4", "1/4", 0], ["3/4", 0, "1/4"]])
FROM_CURVES: list[tuple[str, Mechanism, Notion]] = [
    ("curve to a pair", RESPONSE, ApproximateDifferentialPrivacy("1/10")),
    ("curve to differential privacy", RESPONSE, DifferentialPrivacy()),
    ("curve to relative entropy", RESPONSE, RenyiDifferentialPrivacy(1)),
    ("curve to maximal leakage", TOLD, MaximalLeakage()),
    ("local curve to a pair", RESPONSE, LocalInformationPrivacy("1/10")),
    ("local curve to mutual information", Mechanism([[1, 0], [0, 1]]), MutualInformation()),
]


@pytest.mark.parametrize(("name", "mechanism", "target"), FROM_CURVES, ids=lambda v: v if isinstance(v, str) else "")
def test_tight_levels_of_curves_are_attained(name: str, mechanism: Mechanism, target: Notion) -> None:
    edge = next(edge for edge in EDGES if edge.name == name)
    law = COIN if mechanism.shape[0] == 2 else EVEN
    if edge.start is LocalInformationPrivacy:
        start = Guarantee(LocalInformationPrivacy, None, mechanism.universe, law, local_curve_of(mechanism, law))
    else:
        start = Guarantee(ApproximateDifferentialPrivacy, None, mechanism.universe, None, curve_of(mechanism))
    found = edge.apply(start, target, law)
    assert found is not None
    assert target.loss(mechanism, law).value == pytest.approx(found.level.upper, abs=1e-12)


def test_every_edge_called_tight_has_a_mechanism_that_attains_it() -> None:
    shown = {name for name, *_ in (*TIGHT, *TIGHT_CURVES, *FROM_CURVES)} | {"differential privacy to capacity"}
    # Normal noise attains these; see test_concentrated.py.
    shown |= {"concentrated to Rényi", "Gaussian to its curve", "Gaussian to concentrated", "Gaussian to Rényi"}
    assert shown == {edge.name for edge in EDGES if edge.tight}


def test_every_edge_names_its_theorem_and_its_direction() -> None:
    assert len({edge.name for edge in EDGES}) == len(EDGES) >= 55
    for edge in EDGES:
        assert edge.theorem, edge.name
        assert " => " in edge.direction, edge.name
