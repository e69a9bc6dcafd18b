"""How this folder states a claim that holds as it is printed, or that is true beyond the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from epstar.exact import Interval, Real
from epstar_papers.theorem import ALWAYS, Case, Hypothesis, Relation, Theorem, Verdict


def claim(
    key: str,
    label: str,
    statement: str,
    drawn: Callable[[], Iterable[Case]],
    printed: Callable[[Case], object],
    computed: Callable[[Case], Interval | Real | float] | None = None,
    relation: Relation = Relation.EQUAL,
    place: str = "Section II",
    tolerance: float = 1e-7,
    beyond: str = "",
    hypotheses: Hypothesis = ALWAYS,
    settled: bool = False,
    proven_in: str = "",
) -> Theorem:
    """Return a claim that holds as it stands."""
    return Theorem(
        key=f"wang2016:{key}",
        label=label,
        place=place,
        statement=statement,
        verdict=Verdict.HOLDS,
        relation=relation,
        cases=drawn,
        printed=printed,
        computed=computed,
        hypotheses=hypotheses,
        tolerance=tolerance,
        beyond=beyond,
        settled=settled,
        proven_in=proven_in,
    )
