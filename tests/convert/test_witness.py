"""Claims that are too strong are broken: on graphs and databases, for all priors, for every tight notion."""

from __future__ import annotations

import pytest

from epstar.convert import Guarantee, convert, witness
from epstar.convert.guarantee import needs_source
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.query import Query
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Universe

UNIFORM = Prior(["1/3"] * 3)


def is_broken(premise: Guarantee, notion: Notion, source: Source | None = None) -> bool:
    """Whether one in a hundred less than what follows is refuted, by a mechanism whose losses are what is said."""
    kept = source if needs_source(notion) else None
    found = convert(premise, notion, source=kept)
    claim = Guarantee(notion, found.guarantee.level * Rational(99, 100), premise.universe, kept)
    broken = witness(premise, claim)
    if broken is None:
        return False
    assert isinstance(premise.notion, Notion)
    given = premise.notion.loss(broken.mechanism, premise.source)
    lost = notion.loss(broken.mechanism, kept)
    assert given.value <= premise.level.upper * (1 + 1e-12)
    assert lost.value > claim.level.lower
    assert witness(premise, Guarantee(notion, found.guarantee.level, premise.universe, kept)) is None
    return True


@pytest.mark.parametrize(
    "universe", [Databases(2, 2), Databases(3, 2), Graph.ring(6), Graph.line(5), Query.named("count", 5, 2).shape]
)
def test_leakage_on_databases_and_graphs(universe: Universe) -> None:
    assert is_broken(Guarantee(DifferentialPrivacy(), "log(2)", universe), MaximalLeakage())


@pytest.mark.parametrize(
    ("premise", "notion"),
    [
        (Guarantee(MutualInformation(), "1/10", source=Everything(3)), Capacity()),
        (Guarantee(PointwiseLeakage(), "1/10", source=Everything(3)), RenyiDifferentialPrivacy(1)),
        (Guarantee(SibsonMutualInformation(1), "1/10", source=UNIFORM), MutualInformation()),
        (Guarantee(Capacity(), "1/10", Alphabet(3)), MutualInformation()),
        (Guarantee(PointwiseLeakage(), "1/10", source=UNIFORM), MutualInformation()),
        (Guarantee(MaximalInformation(), "1/10", source=UNIFORM), MaximalLeakage()),
        (Guarantee(LocalInformationPrivacy(), "1/10", source=UNIFORM), DifferentialPrivacy()),
        (
            Guarantee(ApproximateDifferentialPrivacy("1/10"), 1, Alphabet(3), outputs=2),
            ApproximateDifferentialPrivacy("1/4"),
        ),
    ],
)
def test_what_is_tight_cannot_be_claimed_smaller(premise: Guarantee, notion: Notion) -> None:
    assert is_broken(premise, notion, premise.source if premise.source is not None else UNIFORM)


def test_the_universe_of_the_claim() -> None:
    premise = Guarantee(DifferentialPrivacy(), "log(3)")
    broken = witness(premise, Guarantee(MaximalLeakage(), "log(19/10)", Alphabet(4)))
    assert broken is not None
    assert broken.mechanism.shape[0] == 4
    with pytest.raises(InvalidInput, match="different universes"):
        witness(premise, Guarantee(MaximalLeakage(), 1, Graph.line(3)))
    with pytest.raises(InvalidInput, match="different universes"):
        witness(Guarantee(DifferentialPrivacy(), 1, Alphabet(2)), Guarantee(MaximalLeakage(), 1, Alphabet(3)))
