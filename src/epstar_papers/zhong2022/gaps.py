r"""After Theorem 6: how far its lower and upper bounds are apart, and whether that shrinks as theta* grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations

from epstar.exact import Rational, Real
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import formulas
from epstar_papers.zhong2022.distributions import Flattest, Points, Setting, flattest, points, uniform

_Bound = Callable[[Case, Points], Real | float]


def _flat(distributions: Points) -> Flattest:
    """Return theta* and eta of the distributions themselves, without their mixtures."""
    return max((flattest((distribution,)) for distribution in distributions), key=lambda flat: flat.theta)


def _setting(case: Case) -> Setting:
    setting: Setting = case["setting"]
    return setting


def _renyi_lower(case: Case, distributions: Points) -> float:
    return formulas.renyi_lower(_setting(case), case["order"], _flat(distributions).theta)


def _information_lower(case: Case, distributions: Points) -> float:
    flat = _flat(distributions)
    return max(0.0, formulas.information_lower(_setting(case), flat.theta, flat.eta, flat.theta))


_BOUNDS: dict[str, tuple[_Bound, _Bound]] = {
    "6(1)": (
        lambda case, distributions: formulas.differential_privacy(_setting(case), _flat(distributions).theta),
        lambda case, distributions: formulas.differential_privacy(_setting(case)),
    ),
    "6(2)": (
        lambda case, distributions: formulas.approximate_lower(
            _setting(case), case["delta"], _flat(distributions).theta
        ),
        lambda case, distributions: formulas.approximate_upper(_setting(case), case["delta"]),
    ),
    "6(3)": (
        lambda case, distributions: formulas.leakage_lower(_setting(case), _flat(distributions).theta),
        lambda case, distributions: formulas.maximal_information_upper(_setting(case), distributions),
    ),
    "6(4)": (
        lambda case, distributions: formulas.leakage_lower(_setting(case), _flat(distributions).theta),
        lambda case, distributions: formulas.leakage_upper(_setting(case)),
    ),
    "6(5)": (_renyi_lower, lambda case, distributions: formulas.renyi_upper(_setting(case), case["order"])),
    "6(6)": (
        lambda case, distributions: formulas.sibson_lower(_setting(case), case["order"], _flat(distributions).theta),
        lambda case, distributions: formulas.sibson_upper(_setting(case), case["order"]),
    ),
    "6(7)": (_information_lower, lambda case, distributions: formulas.information_upper(_setting(case))),
}


def _gap(case: Case, distributions: Points) -> float:
    """Return the printed upper bound less the printed lower one."""
    lower, upper = _BOUNDS[case["bound"]]
    return float(upper(case, distributions)) - float(lower(case, distributions))


def _corrected(case: Case) -> float:
    """Return what the gap of the second set is at most: that of the first, where the set enters by theta* alone."""
    first, second = case["smaller"], case["larger"]
    setting = _setting(case)
    match case["bound"]:
        case "6(3)":
            is_alike = setting.rows == 1 and len(first) == len(second) == 1
        case "6(5)" if setting.distortion >= _flat(first).theta * setting.rows:
            # The lower bound is the power of a negative number there; the true one is 0.
            return formulas.renyi_upper(setting, case["order"])
        case "6(7)":
            is_alike = _flat(first).eta == _flat(second).eta
        case _:
            is_alike = True
    return _gap(case, first) if is_alike else math.inf


_SETS: tuple[tuple[int, int, tuple[Points, ...]], ...] = (
    (
        2,
        1,
        tuple(points(distribution) for distribution in ("0.975 0.025", "0.95 0.05", "0.7 0.3", "0.51 0.49", "0.5 0.5")),
    ),
    (2, 1, (points("0.7 0.3"), points("0.6 0.4", "0.9 0.1"), points("0.5 0.5", "0.99 0.01"))),
    (3, 1, tuple(points(distribution) for distribution in ("0.4 0.4 0.2", "0.4 0.35 0.25", "0.4 0.3 0.3"))),
    (4, 1, (points("0.27 0.28 0.19 0.26"), points("0.4 0.2 0.2 0.2"), (uniform(4),))),
    (2, 2, (points("0.4 0.3 0.2 0.1"), points("0.28 0.26 0.24 0.22"), (uniform(4),))),
)


def _pair(bound: str, smaller: Points, larger: Points, setting: Setting) -> Case:
    return {
        "bound": bound,
        "smaller": smaller,
        "larger": larger,
        "setting": setting,
        "delta": Rational(1, 50),
        "order": Rational(2),
    }


def _pairs(*bounds: str) -> Iterator[Case]:
    for categories, rows, sets in _SETS:
        for smaller, larger in combinations(sets, 2):
            for share in (5, 100):
                setting = Setting(categories, rows, Rational(rows, share))
                is_defined = setting.distortion < _flat(smaller).theta * rows
                yield from (_pair(b, smaller, larger, setting) for b in bounds if b != "6(7)" or is_defined)


_LARGER = Hypothesis(
    r"$\theta^*$ of the first set is smaller than that of the second",
    lambda case: _flat(case["smaller"]).theta < _flat(case["larger"]).theta,
)


def _false(bounds: tuple[str, ...], ending: str, name: str, counterexample: Counterexample, correction: str) -> Theorem:
    which = "bounds of Theorem 6" if len(bounds) > 1 else f"bound of Theorem {bounds[0]}"
    return Theorem(
        key=f"zhong2022:text-gap{ending}",
        label=f"After Theorem 6, {name}",
        place="Section III",
        statement=rf"The difference between the lower and the upper {which} decreases as $\theta^*$ grows.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: _pairs(*bounds),
        hypotheses=_LARGER,
        printed=lambda case: _gap(case, case["smaller"]),
        corrected=_corrected,
        computed=lambda case: _gap(case, case["larger"]),
        counterexample=counterexample,
        correction=correction,
    )


THEOREMS = (
    _false(
        tuple(_BOUNDS),
        "",
        "the gap",
        Counterexample(
            _pair("6(5)", points("0.975 0.025"), points("0.95 0.05"), Setting(2, 1, Rational(1, 5))),
            0.36772478,
            1.17865500,
            r"theta* grows from 1/20 to 1/10, both below D/n",
        ),
        r"True of (1), (2), (4) and (6); of (5) for $D < \theta^* n$, where its lower bound is one; of (3) and (7) "
        r"only among sets on which the bounds depend through $\theta^*$ alone.",
    ),
    Theorem(
        key="zhong2022:text-gap-range",
        label="After Theorem 6, where the gap shrinks",
        place="Section III",
        statement=r"The difference between the lower and the upper bounds of Theorem 6(1), (2), (4) and (6) decreases "
        r"as $\theta^*$ grows.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: _pairs("6(1)", "6(2)", "6(4)", "6(6)"),
        hypotheses=_LARGER
        & Hypothesis("the bound is (1), (2), (4) or (6)", lambda case: case["bound"] not in ("6(3)", "6(5)", "6(7)")),
        printed=lambda case: _gap(case, case["smaller"]),
        computed=lambda case: _gap(case, case["larger"]),
    ),
    _false(
        ("6(3)",),
        "-maximal-information",
        "the gap for maximal information",
        Counterexample(
            _pair("6(3)", points("0.51 0.49"), points("0.5 0.5", "0.99 0.01"), Setting(2, 1, Rational(1, 5))),
            0.01718768,
            0.88673193,
            r"theta* grows from 0.98 to 1, but the upper bound depends on the rarest category of any distribution",
        ),
        r"True for single distributions and $n = 1$; otherwise the upper bound depends on more of the set than "
        r"$\theta^*$.",
    ),
    _false(
        ("6(7)",),
        "-information",
        "the gap for mutual information",
        Counterexample(
            _pair("6(7)", points("0.27 0.28 0.19 0.26"), points("0.4 0.2 0.2 0.2"), Setting(4, 1, Rational(1, 100))),
            0.40308153,
            0.64008163,
            r"theta* grows from 0.76 to 0.8, but eta grows from 0.28 to 0.4",
        ),
        r"True for sets with the same $\eta$, on which the lower bound depends as well.",
    ),
)
