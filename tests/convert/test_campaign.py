"""Every implication on very many channels: what it says is never below the loss, and a tight one could not say less.

Run with `-s` to see the figures of the long campaign.
"""

from __future__ import annotations

import dataclasses

import pytest
from tests.convert.campaign import run

from epstar.convert import EDGES, Guarantee, Implication, PrivacyCurve
from epstar.convert.guarantee import Kind
from epstar.exact import Rational, Real
from epstar.notions import ConcentratedDifferentialPrivacy, GaussianDifferentialPrivacy, RenyiDifferentialPrivacy
from epstar.source import Source

# What Gaussian privacy says of divergences is attained by normal noise, which is no channel of finitely many outputs.
OF_NOISE = (ConcentratedDifferentialPrivacy, RenyiDifferentialPrivacy)
TIGHT = [
    edge for edge in EDGES if edge.tight and not (edge.start is GaussianDifferentialPrivacy and edge.end in OF_NOISE)
]


def named(edge: Implication) -> str:
    return edge.name


@pytest.mark.parametrize("edge", EDGES, ids=named)
def test_no_channel_loses_more(edge: Implication) -> None:
    assert run(edge, groups=2, size=200, seed=1).channels >= 400


@pytest.mark.full
@pytest.mark.parametrize("edge", EDGES, ids=named)
def test_no_channel_of_a_hundred_thousand_loses_more(edge: Implication) -> None:
    outcome = run(edge, groups=50, size=2000, seed=2)
    assert outcome.channels >= 100_000
    print(f"\n{edge.name}: {outcome.channels} channels, least slack {outcome.least_slack:.2e}")


def weakened(edge: Implication, share: Rational) -> Implication:
    """The same edge with everything it says made smaller: too strong a claim."""

    def rule(guarantee: Guarantee, target: Kind, source: Source | None) -> Real | PrivacyCurve | None:
        found = edge.rule(guarantee, target, source)
        if found is None:
            return None
        return found.scaled(share) if isinstance(found, PrivacyCurve) else found * share

    return dataclasses.replace(edge, rule=rule)


@pytest.mark.parametrize("edge", TIGHT, ids=named)
def test_a_tight_edge_that_says_one_in_a_hundred_less_is_found_out(edge: Implication) -> None:
    with pytest.raises(AssertionError):
        run(weakened(edge, Rational(99, 100)), groups=50, size=500, seed=3)
