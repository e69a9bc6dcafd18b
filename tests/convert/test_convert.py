"""Chains of implications, curves, counterexamples, reference numbers and refusals."""

import itertools
import json
import math
from pathlib import Path
from typing import Any, cast

import pytest

from epstar.convert import (
    EDGES,
    FunctionCurve,
    Guarantee,
    SegmentCurve,
    convert,
    curve_of,
    gaussian_curve,
    gaussian_local_curve,
    local_curve_of,
    witness,
)
from epstar.convert.privacy_curve import lowest
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.gaussian import DiscreteInput, Gaussian
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.query import Query
from epstar.source import Everything, Prior
from epstar.universe import Alphabet, Databases, Graph, Metric

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "ngo2024.json").read_text("utf-8"))
BIT = Real.log(Rational(2))
COIN = Prior(["1/2", "1/2"])


def vectors(quantity: str) -> list[Any]:
    return [pytest.param(v, id=v["id"]) for v in REFERENCE["vectors"] if v["quantity"] == quantity]


def curve_at(start: Guarantee, kind: Any, level: object) -> float:
    curve = convert(start, kind, source=start.source).guarantee.curve
    assert curve is not None
    return curve.delta(Real.of(level)).upper


@pytest.mark.parametrize("case", vectors("delta_LDP"))
def test_theorem_1a(case: dict[str, Any]) -> None:
    start = Guarantee(Capacity(), Real.of(case["mu"]) * BIT, Alphabet(2))
    assert curve_at(start, ApproximateDifferentialPrivacy, case["eps"]) == pytest.approx(case["value"], abs=1e-13)


@pytest.mark.parametrize("case", vectors("delta_LIP_tight"))
def test_theorem_2a_as_corrected(case: dict[str, Any]) -> None:
    share = Rational(*str_ratio(case["pi"]))
    start = Guarantee(MutualInformation(), Real.of(case["mu"]) * BIT, source=Prior([share, 1 - share]))
    assert curve_at(start, LocalInformationPrivacy, case["eps"]) == pytest.approx(case["value"], abs=1e-12)


def str_ratio(value: float) -> tuple[int, int]:
    whole = Real.of(value).rational
    assert whole is not None
    return int(whole.p), int(whole.q)


@pytest.mark.parametrize("case", vectors("delta_LIP_printed_eq9"))
def test_equation_9_for_pointwise_leakage(case: dict[str, Any]) -> None:
    start = Guarantee(PointwiseLeakage(), Real.of(case["mu"]) * BIT, source=COIN)
    edge = next(edge for edge in EDGES if edge.name == "pointwise leakage to the local curve")
    found = edge.apply(start, LocalInformationPrivacy, COIN)
    assert found is not None
    assert found.curve is not None
    assert found.curve.delta(Real.of(case["eps"])).upper == pytest.approx(case["value"], abs=1e-13)


@pytest.mark.parametrize("case", vectors("sup_capacity_pure_LDP"))
def test_best_capacity_under_differential_privacy(case: dict[str, Any]) -> None:
    found = convert(Guarantee(DifferentialPrivacy(), case["eps"]), Capacity()).guarantee
    assert float(found.level) / math.log(2) == pytest.approx(case["value"], rel=1e-12)


def test_figure_2_upper_curve() -> None:
    for dimension in (1, 10):
        figure = REFERENCE["figures"]["fig2"][f"d={dimension}"]
        for variance, wanted in zip(figure["sigma2"], figure["mu_CI_eq8"], strict=True):
            gaussian = Gaussian(variance=variance, peak=1, dimension=dimension)
            start = Guarantee(ApproximateDifferentialPrivacy, curve=gaussian_curve(gaussian))
            found = convert(start, Capacity()).guarantee.level
            assert float(found) / math.log(2) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.full
def test_figure_4_upper_curve_is_beaten_by_the_capped_one() -> None:
    figures = REFERENCE["figures"]
    points = [Rational(k, 10) for k in range(-10, 11)]
    law = figures["prior21"]["p"]
    gaussian = Gaussian(variance=1, inputs=DiscreteInput(points, law))
    prior = Prior(law)
    start = Guarantee(LocalInformationPrivacy, source=prior, curve=gaussian_local_curve(gaussian))
    edge = next(edge for edge in EDGES if edge.name == "local curve to mutual information")
    found = edge.apply(start, MutualInformation(), prior)
    assert found is not None
    bits = found.level.upper / math.log(2)
    assert figures["fig4"]["mu_bar_CD"][1] < bits < figures["fig4"]["mu_CD_eq10"][1]


def test_the_capped_curve_of_normal_noise_bounds_its_information() -> None:
    law = ["1/4", "1/2", "1/4"]
    gaussian = Gaussian(variance=1, inputs=DiscreteInput([-1, 0, 1], law))
    start = Guarantee(LocalInformationPrivacy, source=Prior(law), curve=gaussian_local_curve(gaussian))
    found = convert(start, MutualInformation(), source=Prior(law)).guarantee.level
    assert float(gaussian.mixture.information()) < found.upper < 1


def test_nothing_is_guaranteed_where_one_input_fits_into_the_information() -> None:
    prior = Prior(["1/100", "99/100"])  # H(1/100) = 0.0808 bits
    start = Guarantee(MutualInformation(), Real.of("1/10") * BIT, source=prior)
    for level in (0, 1, 5):
        assert curve_at(start, LocalInformationPrivacy, level) == pytest.approx(0.99, abs=1e-12)
    assert convert(start, LocalInformationPrivacy("98/100")).says_nothing
    assert convert(start, DifferentialPrivacy()).says_nothing


def test_the_printed_theorem_2a_is_broken_by_a_witness() -> None:
    printed = next(v for v in REFERENCE["vectors"] if v["quantity"] == "delta_LIP_printed_eq9" and v["id"] == "036")
    premise = Guarantee(MutualInformation(), Real.of(printed["mu"]) * BIT, source=COIN)
    claim = Guarantee(LocalInformationPrivacy(repr(printed["value"])), printed["eps"], source=COIN)
    found = witness(premise, claim)
    assert found is not None
    assert found.given <= premise.level
    assert MutualInformation().loss(found.mechanism, COIN).value <= float(premise.level)
    assert found.claimed > claim.level


def test_witnesses_exist_just_beyond_tight_levels_and_not_within() -> None:
    start = Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(3))
    for target in (MaximalLeakage(), RenyiDifferentialPrivacy(2)):
        level = convert(start, target).guarantee.level
        assert witness(start, Guarantee(target, level * Rational(999_999, 10**6), Alphabet(3))) is not None
        assert witness(start, Guarantee(target, level, Alphabet(3))) is None
    leaky = Guarantee(MaximalLeakage(), "log(101/100)", Alphabet(2))
    broken = witness(leaky, Guarantee(DifferentialPrivacy(), 50, Alphabet(2)))
    assert broken is not None
    assert broken.claimed.is_infinite


def test_the_best_of_several_chains_is_returned() -> None:
    start = Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(3))
    found = convert(start, MutualInformation(), source=Prior(["1/3"] * 3))
    direct = convert(start, Capacity()).guarantee.level
    assert found.guarantee.level.upper <= direct.upper
    assert [edge.end for edge in found.chain][-1] is MutualInformation
    small = convert(Guarantee(DifferentialPrivacy(), "log(21/20)", Alphabet(2)), Capacity()).guarantee
    two = convert(Guarantee(RenyiDifferentialPrivacy(1), 1, Alphabet(2)), Capacity()).guarantee
    assert str(two.level) == "1/2"
    assert small.level.upper < 0.05**2 / 8


def test_universes_other_than_alphabets() -> None:
    level = Real.of("log(2)")
    rows = convert(Guarantee(DifferentialPrivacy(), level, Databases(3, 4)), MaximalLeakage()).guarantee
    assert str(rows.level) == f"log({Rational(6, 4) ** 4})"
    line = convert(Guarantee(DifferentialPrivacy(), level, Graph.line(3)), MaximalLeakage()).guarantee
    assert str(line.level) == "log(5/3)"  # three times the best chance 1 - 4/9 on a tree
    ring = convert(Guarantee(DifferentialPrivacy(), level, Graph.ring(6)), MaximalLeakage()).guarantee
    assert str(ring.level) == "log(16/7)"  # six times the best utility 8/21
    count = Query.named("count", individuals=2, values=2).shape
    assert (
        str(convert(Guarantee(DifferentialPrivacy(), level, count), MaximalLeakage()).guarantee.level) == "log(5/3)"
    )  # three times the best chance 1 - 4/9 on a tree
    metric = Metric([[0, 2], [2, 0]])
    assert str(convert(Guarantee(DifferentialPrivacy(), level, metric), MaximalLeakage()).guarantee.level) == "log(8/5)"
    # An input that is nobody's neighbour may be told apart; the sum of column maxima never exceeds their number.
    apart = Guarantee(DifferentialPrivacy(), level, Graph(3, [(0, 1)]))
    assert str(convert(apart, MaximalLeakage()).guarantee.level) == "log(7/3)"  # 4/3 for the pair, 1 for the other
    assert convert(apart, RenyiDifferentialPrivacy(2)).guarantee.level.upper < math.log(2)
    assert convert(apart, LocalInformationPrivacy(), source=Prior(["1/3"] * 3)).says_nothing
    assert str(convert(Guarantee(DifferentialPrivacy(), level), MaximalLeakage()).guarantee.level) == "log(2)"


def test_a_curve_is_the_least_of_all_chains_and_tells_which() -> None:
    # A Rényi guarantee gives a curve of its own, and another one as relative entropy, which is better at level 0.
    start = Guarantee(RenyiDifferentialPrivacy("3/2"), "1/20", Alphabet(2))
    found = convert(start, ApproximateDifferentialPrivacy)
    curve = found.guarantee.curve
    assert curve is not None
    assert len(found.routes) > 1
    for level in ("0", "1/4", "1", "3"):
        probe = Real.of(level)
        single = [route.guarantee.curve for route in found.routes]
        least = min(one.delta(probe).upper for one in single if one is not None)
        assert curve.delta(probe).upper <= least
        best = next(route for route in found.routes if route.chain == found.chain_at(level))
        assert best.guarantee.curve is not None
        assert best.guarantee.curve.delta(probe).upper == least
    assert found.chain_at(0) != found.chain_at(20)
    # The level at a slack is at most what any single chain gives.
    pair = convert(start, ApproximateDifferentialPrivacy("1/100")).guarantee.level
    assert pair.upper <= min(one.level(Rational(1, 100)).upper for one in single if one is not None)


def test_curves_of_one_mechanism_join_to_their_lower_hull() -> None:
    steep = SegmentCurve([(Rational(1), Rational(1, 2)), (Rational(3), Rational(0))])
    flat = SegmentCurve([(Rational(1), Rational(1, 4)), (Rational(5), Rational(1, 8))])
    joined = lowest([steep, flat])
    assert isinstance(joined, SegmentCurve)
    assert joined.points == ((Rational(1), Rational(1, 4)), (Rational(3), Rational(0)), (Rational(5), Rational(0)))
    assert joined.divergence().upper < steep.divergence().upper
    gaussian = gaussian_curve(Gaussian(1, sensitivity=1))
    both = lowest([flat, gaussian])
    for level in ("0", "1", "4"):
        probe = Real.of(level)
        assert both.delta(probe).upper == min(flat.delta(probe).upper, gaussian.delta(probe).upper)
    assert both.divergence() == gaussian.divergence()
    assert both.level(Rational(1, 10)).upper <= gaussian.level(Rational(1, 10)).upper


def test_the_integral_of_a_renyi_curve_is_certified() -> None:
    edge = next(edge for edge in EDGES if edge.name == "Rényi to the curve")
    for order, level in (("2", "1/10"), ("3/2", "2"), ("20", "1/2")):
        reached = edge.apply(Guarantee(RenyiDifferentialPrivacy(order), level), ApproximateDifferentialPrivacy, None)
        assert reached is not None
        curve = reached.curve
        assert isinstance(curve, FunctionCurve)
        steps = [k / 50 for k in range(2_000)]
        values = [float(curve.delta(Real.of(repr(x)))) * (1 + math.exp(-x)) for x in steps]
        total = sum((a + b) / 2 for a, b in itertools.pairwise(values)) / 50
        assert curve.divergence().upper == pytest.approx(total, rel=1e-3)


def test_few_outputs_leak_less_and_make_pointwise_slack_count() -> None:
    level = Real.of("log(2)")
    free = convert(Guarantee(DifferentialPrivacy(), level, Databases(2, 2)), MaximalLeakage()).guarantee
    few = convert(Guarantee(DifferentialPrivacy(), level, Databases(2, 2), outputs=2), MaximalLeakage()).guarantee
    assert str(free.level) == "log(16/9)"
    assert str(few.level) == "log(8/5)"  # alvim2011, Proposition 2 at u = v = r = 2
    pointwise = ApproximateDifferentialPrivacy("1/100", "pointwise")
    assert convert(Guarantee(pointwise, level, Alphabet(2)), ApproximateDifferentialPrivacy("1/10")).says_nothing
    counted = Guarantee(pointwise, level, Alphabet(2), outputs=11)
    assert str(convert(counted, ApproximateDifferentialPrivacy("1/10")).guarantee.level) == "log(2)"
    with pytest.raises(InvalidInput, match="number of outputs"):
        Guarantee(DifferentialPrivacy(), 1, Alphabet(2), outputs=0)


def test_losses_over_all_priors_are_differential_privacy() -> None:
    for notion in (MaximalInformation(), LocalInformationPrivacy()):
        start = Guarantee(notion, "log(7)", source=Everything(4))
        assert str(convert(start, DifferentialPrivacy()).guarantee.level) == "log(7)"


def test_curves_of_mechanisms() -> None:
    coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    curve = curve_of(coin)
    assert [(str(factor), str(delta)) for factor, delta in curve.points] == [("1", "1/2"), ("3", "0")]
    assert str(curve.level(Rational(1, 4))) == "log(2)"
    # Two symmetric laws: the integral is their relative entropy.
    assert curve.divergence().upper == pytest.approx(0.5 * math.log(3), rel=1e-14)
    local = local_curve_of(coin, COIN)
    assert str(local.points[0][1]) == "1/4"
    gaussian = Gaussian(1, sensitivity=1)
    chords = gaussian_curve(gaussian).segments(Rational(20))
    for level in ("0", "1/3", "1", "2"):
        exact, bound = gaussian.delta(level), chords.delta(Real.of(level))
        assert exact.lower <= bound.upper <= exact.upper + 1e-3


def test_the_identity_has_all_the_information_of_the_prior() -> None:
    prior = Prior(["3/10", "7/10"])
    identity = Mechanism([[1, 0], [0, 1]])
    start = Guarantee(LocalInformationPrivacy, source=prior, curve=local_curve_of(identity, prior))
    found = convert(start, MutualInformation(), source=prior).guarantee.level
    entropy = -0.3 * math.log(0.3) - 0.7 * math.log(0.7)
    assert found.upper == pytest.approx(entropy, rel=1e-12)


def test_bad_guarantees() -> None:
    with pytest.raises(InvalidInput, match="name them with source="):
        Guarantee(MutualInformation(), 1)
    with pytest.raises(InvalidInput, match="negative"):
        Guarantee(DifferentialPrivacy(), -1)
    with pytest.raises(InvalidInput, match="not a finite number"):
        Guarantee(DifferentialPrivacy(), math.nan)
    with pytest.raises(InvalidInput, match="its level, or the class"):
        Guarantee(DifferentialPrivacy())
    with pytest.raises(InvalidInput, match="make them equal"):
        Guarantee(Identifiability(), 1, Alphabet(3), COIN)
    with pytest.raises(InvalidInput, match="is not a notion"):
        Guarantee(cast(Notion, "differential_privacy"), 1)
    with pytest.raises(InvalidInput, match="what is known about it"):
        convert(Guarantee(DifferentialPrivacy(), 1), MutualInformation())
    with pytest.raises(InvalidInput, match="priors of its source"):
        convert(Guarantee(MutualInformation(), 1, source=COIN), PointwiseLeakage(), source=Prior(["1/3", "2/3"]))
    with pytest.raises(InvalidInput, match="Floats prove nothing"):
        Guarantee.of(Mechanism([[0.5, 0.5], [0.25, 0.75]]), DifferentialPrivacy())
    with pytest.raises(InvalidInput, match="another universe"):
        convert(Guarantee(DifferentialPrivacy(), 1, Alphabet(3)), MaximalLeakage(), universe=Alphabet(4))


@pytest.mark.parametrize("level", ["0", "1/10", "log(2)"])
@pytest.mark.parametrize("notion", [RenyiDifferentialPrivacy(1), MutualInformation(), PointwiseLeakage(), Capacity()])
def test_a_single_input_has_nothing_to_lose(notion: Notion, level: str) -> None:
    sure = Prior([1])
    start = Guarantee(notion, level, Alphabet(1), sure if notion.needs_source else None)
    for target in (Capacity(), MaximalLeakage(), LocalInformationPrivacy("1/10")):
        assert convert(start, target, source=sure).guarantee.level.upper >= 0
    assert convert(start, ApproximateDifferentialPrivacy, source=sure).guarantee.curve is not None


@pytest.mark.parametrize("tiny", ["0", "1e-250", "1e-30", "1e-15", "1e-12"])
def test_informations_too_small_for_floats_still_bound_events(tiny: str) -> None:
    for notion, kind in ((Capacity(), ApproximateDifferentialPrivacy), (MutualInformation(), LocalInformationPrivacy)):
        start = Guarantee(notion, tiny, Alphabet(2), None if isinstance(notion, Capacity) else COIN)
        curve = convert(start, kind, source=COIN).guarantee.curve
        assert curve is not None
        for level in ("0", "1/2"):
            assert 0 <= curve.delta(Real.of(level)).upper <= 3 * math.sqrt(float(tiny)) + 1e-300
