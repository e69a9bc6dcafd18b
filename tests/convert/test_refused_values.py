"""Whatever is given in the place of a guarantee, a notion, a curve or a source: a sentence, not a stack trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from tests.refusals import crashes

from epstar.convert import (
    Guarantee,
    SegmentCurve,
    convert,
    curve_of,
    gaussian_curve,
    gaussian_local_curve,
    local_curve_of,
    witness,
)
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.gaussian import Gaussian
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalLeakage,
    MutualInformation,
)
from epstar.source import Everything, Prior
from epstar.universe import Alphabet, Metric

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
FAIR = Prior(["1/2", "1/2"])
PURE = Guarantee(DifferentialPrivacy(), 1, Alphabet(2))
INFORMATION = Guarantee(MutualInformation(), "1/10", source=FAIR)
CURVE = SegmentCurve([(Rational(1), Rational(1, 2)), (Rational(2), Rational(0))])
CALLS: dict[str, tuple[Callable[..., object], Sequence[object], dict[str, object]]] = {
    "Guarantee": (
        Guarantee,
        [DifferentialPrivacy(), 1],
        {"universe": None, "source": None, "curve": None, "outputs": None},
    ),
    "Guarantee.of": (Guarantee.of, [COIN, DifferentialPrivacy()], {"source": None}),
    "restricted": (Guarantee(MutualInformation(), 1, source=Everything(2)).restricted, [FAIR], {}),
    "convert": (convert, [PURE, MaximalLeakage()], {"source": None, "universe": None, "longest": 3}),
    "convert information": (convert, [INFORMATION, LocalInformationPrivacy("1/4")], {"source": None, "longest": 2}),
    "chain_at": (convert(PURE, ApproximateDifferentialPrivacy).chain_at, [1], {}),
    "witness": (witness, [PURE, Guarantee(MaximalLeakage(), "1/10", Alphabet(2))], {}),
    "curve_of": (curve_of, [COIN], {}),
    "local_curve_of": (local_curve_of, [COIN, FAIR], {}),
    "gaussian_curve": (gaussian_curve, [Gaussian(1, sensitivity=1)], {}),
    "gaussian_local_curve": (gaussian_local_curve, [Gaussian(1, sensitivity=1)], {}),
    "SegmentCurve": (SegmentCurve, [[(Rational(1), Rational(1, 2)), (Rational(2), Rational(0))]], {}),
    "from_pairs": (SegmentCurve.from_pairs, [[("log(3)", "1/10"), ("log(9)", 0)]], {}),
    "delta": (CURVE.delta, [1], {}),
    "level": (CURVE.level, ["1/4"], {}),
    "segments": (CURVE.segments, [4], {}),
    "scaled": (CURVE.scaled, ["1/2"], {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_sentences(name: str) -> None:
    call, arguments, named = CALLS[name]
    call(*arguments, **named)
    assert not list(crashes(call, arguments, **named))


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([(0, "1/2"), (1, "6/10")], "never rises"),
        ([(1, "1/2"), (0, "6/10")], "levels of a privacy curve must rise"),
        ([(1, "1/2"), (1, "1/4")], "levels of a privacy curve must rise"),
        ([(0, "3/2")], "between 0 and 1"),
        ([(0, math.nan)], "not a finite number"),
        ([(0, "1/2"), (1, "-1/2")], "between 0 and 1"),
        ([(-1, "1/2")], "levels start at 0"),
        ([("inf", 0)], "finite level"),
        ([(1, "1/2", 3)], "is a pair"),
        ([], "is empty"),
        ([3], "ordered list"),
    ],
)
def test_what_is_no_curve(pairs: list[tuple[object, object]], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        SegmentCurve.from_pairs(pairs)


def test_curves_are_about_neighbours() -> None:
    far = Metric([[0, 2], [2, 0]])
    with pytest.raises(InvalidInput, match="other distances"):
        curve_of(Mechanism(COIN.rows, far))
    with pytest.raises(InvalidInput, match="other distances"):
        Guarantee(ApproximateDifferentialPrivacy, None, far, curve=CURVE)
    assert Guarantee(LocalInformationPrivacy, None, far, FAIR, CURVE).universe == far


def test_curves_take_numbers_as_they_are_written() -> None:
    assert str(CURVE.delta("log(3/2)")) == "1/4"
    assert str(CURVE.level("1/4")) == "log(3/2)"
    with pytest.raises(InvalidInput, match="negative"):
        CURVE.delta(-1)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        CURVE.scaled(2)
