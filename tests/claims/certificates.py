"""Certificates made by hand, one for each form that the rule knows, small enough to check with a pencil."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.claims import Excluded, Places, Setting, Shares, Step, SumUse
from epstar.distortion import Distortion, Hamming, Matrix
from epstar.exact import ONE, Rational, Real, rational, rationals
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Everything, Finite, Hull, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Universe

LAW = rationals(["2/3", "1/3"])
EVEN = rationals(["1/2", "1/2"])


@dataclass(frozen=True)
class Certificate:
    """A claim that holds, and the exact value of the end that it claims."""

    name: str
    setting: Setting
    claim: Excluded


def _setting(
    notion: Notion, source: Source, distortion: Distortion | None = None, universe: Universe | None = None
) -> Setting:
    return Setting(notion, universe or Alphabet(source.size), source, distortion or Hamming())


def _claim(
    loss: object, distortion: object, end: str, *steps: Step, points: Sequence[Sequence[Rational]] = ()
) -> Excluded:
    assert end in ("loss", "distortion")
    return Excluded(
        Real.of(loss),
        Real.of(distortion),
        "loss" if end == "loss" else "distortion",
        steps,
        tuple(((ONE, tuple(point)),) for point in points),
    )


def _step(
    weight: str | None,
    law: Sequence[Rational],
    rows: Sequence[str] = (),
    ratios: Sequence[tuple[tuple[int, ...], int, str]] = (),
    sums: tuple[SumUse, ...] = (),
    spread: bool = False,
) -> Step:
    return Step(
        laws=() if weight is None else ((rational(weight), tuple(law)),),
        ratios=tuple((name, y, rational(m)) for name, y, m in ratios),
        sums=sums,
        rows=rationals(rows),
        spread=spread,
    )


# Row prices 1/24 and 1/8: at output 0 what is left is -1/24 and 5/24, at output 1 it is 15/24 and -3/24.
_PRICES = ("1/24", "1/8")

CERTIFICATES = [
    Certificate(
        "row prices of a spread, the loss open: a face, and an input without answers",
        _setting(DifferentialPrivacy(), Prior(LAW)),
        _claim(
            "log(5)",
            "1/6",
            "loss",
            _step("1", LAW, _PRICES, spread=True),
            _step(None, LAW, ("1", "0"), [((0, 1), 0, "1")]),
        ),
    ),
    Certificate(
        "row prices of a spread, the distortion open",
        _setting(DifferentialPrivacy(), Prior(LAW)),
        _claim("log(5)", "1/6", "distortion", _step("1", LAW, _PRICES, spread=True)),
    ),
    Certificate(
        "row prices of a spread with a slack",
        _setting(ApproximateDifferentialPrivacy("1/10"), Prior(EVEN)),
        # Each column pays a tenth of 1/4: (1/2 - 1/20) at E = 1.
        _claim("0", "9/20", "distortion", _step("1", EVEN, ("1/4", "1/4"), spread=True)),
    ),
    Certificate(
        "ratio bounds, the distortion open",
        _setting(DifferentialPrivacy(), Prior(LAW)),
        _claim(
            "log(5)",
            "1/6",
            "distortion",
            _step("1", LAW, _PRICES, [((0, 1), 0, "1/24"), ((1, 0), 1, "1/8")]),
        ),
    ),
    Certificate(
        "ratio bounds between distributions of a finite source",
        _setting(Identifiability(), Finite([LAW, EVEN])),
        _claim(
            "log(2)",
            "1/3",
            "distortion",
            _step("1", EVEN, ("1/6", "1/6"), [((1, 0, 1), 0, "1/3"), ((1, 1, 0), 1, "1/3")]),
            points=(LAW, EVEN),
        ),
    ),
    Certificate(
        "a maximum by shares of its entries",
        _setting(MaximalLeakage(), Prior(LAW)),
        _claim(
            "log(3/2)",
            "1/6",
            "loss",
            _step("1", LAW, ("1/3", "1/3"), sums=(SumUse((), rational("1/3"), Shares(((0, 0, ONE), (1, 1, ONE)))),)),
        ),
    ),
    Certificate(
        "a distortion below the least there is",
        _setting(MaximalLeakage(), Everything(2), Matrix([[1, 2], [2, 1]])),
        _claim("infinity", "99/100", "loss", _step("1", LAW, ("2/3", "1/3"))),
    ),
    Certificate(
        "the conjugate of a mutual information",
        _setting(MutualInformation(), Prior(EVEN)),
        # Prices log(2 * 3/4) / 2 - log(3)/2 ... : at weight log 3 the sum is 1/2 (e^2P)(1 + 1/3) = 1, e^2P = 3/2.
        _claim(
            "1/8",
            "1/4",
            "loss",
            _step("1.0986", EVEN, ("0.2027", "0.2027"), sums=(SumUse((0,), ONE, "conjugate"),)),
            points=(EVEN,),
        ),
    ),
    Certificate(
        "tangents of powers",
        _setting(RenyiDifferentialPrivacy(2), Prior(EVEN)),
        # At Q = (3/4, 1/4) the sum of squares is 9/4 + 1/12 = 7/3; tangents at 3 and 1/3.
        _claim(
            "log(7/3)",
            "1/4",
            "distortion",
            _step(
                "1",
                EVEN,
                ("53/256", "53/256"),
                sums=(
                    SumUse((0, 1), rational("21/256"), Places((rationals(["3", "1/3"]),))),
                    SumUse((1, 0), rational("21/256"), Places((rationals(["1/3", "3"]),))),
                ),
            ),
        ),
    ),
    Certificate(
        "a norm at its own column",
        _setting(SibsonMutualInformation(2), Prior(EVEN)),
        # At Q = (3/4, 1/4) each column has norm sqrt(5/16), and e^(loss/2) = sqrt(5/4): gradients are rational.
        _claim(
            "log(5/4)",
            "1/4",
            "distortion",
            _step(
                "1",
                EVEN,
                ("3/4", "3/4"),
                sums=(SumUse((0,), rational("5/4"), Places((rationals(["3", "1"]), rationals(["1", "3"])))),),
            ),
            points=(EVEN,),
        ),
    ),
    Certificate(
        "maximal information: the right side vanishes at any smaller loss",
        _setting(MaximalInformation(), Prior(EVEN)),
        _claim(
            "log(3/2)",
            "1/4",
            "loss",
            _step("1", EVEN, ("1/8", "1/8"), [((0, 0), 0, "1/2"), ((0, 1), 1, "1/2")]),
            _step(None, EVEN, ("1", "0")),
            points=(EVEN,),
        ),
    ),
    Certificate(
        "a point that is a mixture of a convex source",
        _setting(MaximalInformation(), Hull([["1", "0"], ["0", "1"]])),
        Excluded(
            Real.of("log(3/2)"),
            Real.of("1/4"),
            "distortion",
            (
                Step(
                    laws=tuple((Rational(1, 2), law) for law in (rationals(["1", "0"]), rationals(["0", "1"]))),
                    ratios=(((0, 0), 0, Rational(1, 2)), ((0, 1), 1, Rational(1, 2))),
                    rows=rationals(["1/8", "1/8"]),
                ),
            ),
            (tuple((Rational(1, 2), law) for law in (rationals(["1", "0"]), rationals(["0", "1"]))),),
        ),
    ),
    Certificate(
        "an infinite loss: zeros spread along a bound",
        _setting(DifferentialPrivacy(), Prior(LAW), universe=Graph([0, 1], [(0, 1)])),
        _claim(
            "infinity",
            "0",
            "loss",
            _step("1", LAW),
            _step(None, LAW, ("1", "0"), [((0, 1), 0, "1")]),
        ),
    ),
    Certificate(
        "an infinite loss beside a slack that leaves too little",
        _setting(LocalInformationPrivacy("1/10"), Everything(2)),
        _claim(
            "infinity",
            "0",
            "loss",
            Step(laws=((ONE, LAW),)),
            # own = 2/3 q(0) + 1/3 q(1) at output 0 is at most the slack, as input 1 never gives it.
            _step(None, LAW, ("2/3", "0"), [((0, 1, 0), 0, "1")]),
            points=(LAW,),
        ),
    ),
    Certificate(
        "level zero: two inputs of a mutual information answer alike",
        _setting(MutualInformation(), Prior(EVEN)),
        _claim(
            "0",
            "1/2",
            "distortion",
            _step(
                "1",
                EVEN,
                ("0", "1/2"),
                [((0, 1, 0), 1, "1/2"), ((0, 0, 1), 1, "1/2")],
            ),
            points=(EVEN,),
        ),
    ),
    Certificate(
        "averaged over the distances of databases",
        _setting(MaximalLeakage(), Everything(4), universe=Databases(2, 2)),
        # Price 1 gains at distance 0 alone: sum N_l (1 - l)+ / M = 1/4, so that e^loss >= 4 (1 - 1/2).
        Excluded(
            Real.of("log(2)"),
            Real.of("1/2"),
            "loss",
            (
                Step(
                    laws=((ONE, ()),),
                    sums=(SumUse((), Rational(1, 4), Shares(((0, 0, ONE),))),),
                    rows=(ONE,),
                ),
            ),
            symmetry="distances",
        ),
    ),
]
