"""The two bounds on Rényi differential privacy that Theorem 7 and Proposition 8 state for Class I sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from epstar.exact import Interval
from epstar.notions import Notion, RenyiDifferentialPrivacy
from epstar_papers.theorem import Case, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import formulas


def renyi(case: Case) -> Notion:
    """Return the notion of the order that a case asks for."""
    return RenyiDifferentialPrivacy(case["order"])


def renyi_bounds(
    key: str,
    label: str,
    place: str,
    statements: tuple[str, str],
    cases: Callable[[], Iterator[Case]],
    optimum: Callable[[Notion, Case], Interval],
    beyond: str,
) -> tuple[Theorem, Theorem]:
    """Return the lower and the upper bound, both of which hold; the upper one is the value up to `beyond`."""

    def least(case: Case) -> Interval:
        return optimum(renyi(case), case)

    lower, upper = statements
    return (
        Theorem(
            key=f"{key}-lower",
            label=f"{label}, lower bound",
            place=place,
            statement=lower,
            verdict=Verdict.HOLDS,
            relation=Relation.AT_LEAST,
            cases=cases,
            printed=lambda case: formulas.renyi_lower(case["setting"], case["order"]),
            computed=least,
        ),
        Theorem(
            key=f"{key}-upper",
            label=f"{label}, upper bound",
            place=place,
            statement=upper,
            verdict=Verdict.HOLDS,
            relation=Relation.AT_MOST,
            cases=cases,
            printed=lambda case: formulas.renyi_upper(case["setting"], case["order"]),
            computed=least,
            beyond=beyond,
        ),
    )
