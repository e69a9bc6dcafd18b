"""The rule on certificates made by hand, and each of its premises broken: exactly and in arrays alike."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.claims.certificates import CERTIFICATES, Certificate

from epstar.claims import Excluded, Places, Shares, Step, SumUse
from epstar.claims.bounded_floats import conjugate_holds
from epstar.claims.face import Face
from epstar.claims.form import Form
from epstar.claims.premises import premises
from epstar.claims.rule import check_steps, fits, least_in_arrays
from epstar.distortion import Hamming, Matrix
from epstar.errors import EpstarError, ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, rationals
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalLeakage,
    RenyiDifferentialPrivacy,
)

HAIR = Rational(1, 10**30)


# From how many terms on a step is read in arrays, where one of their forms fits: never, and always.
MANY = {"exact": math.inf, "arrays": 0}


@pytest.fixture(params=list(MANY))
def many(request: pytest.FixtureRequest) -> float:
    return MANY[str(request.param)]


def holds(certificate: Certificate, claim: Excluded, many: float) -> bool:
    """Return whether a claim is accepted; anything but an error of epstar's own is a failure of the test."""
    try:
        check_steps(certificate.setting, claim, many)
    except EpstarError:
        return False
    return True


def first(claim: Excluded, step: Step) -> Excluded:
    """Return the claim with its first step replaced."""
    return replace(claim, steps=(step, *claim.steps[1:]))


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: c.name)
def test_a_certificate_holds(certificate: Certificate, many: float) -> None:
    check_steps(certificate.setting, certificate.claim, many)


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: c.name)
def test_floats_tell_what_they_can(certificate: Certificate) -> None:
    setting = certificate.setting
    if isinstance(setting.distortion, Hamming) and certificate.claim.symmetry is None:  # which needs no floats
        setting = replace(setting, distortion=Matrix(setting.distortion.matrix(setting.universe)))
    form = Form(premises(setting, certificate.claim), certificate.claim.steps[0])
    if form.conjugate is not None:
        assert conjugate_holds(form)
    elif form.sums and fits(form, Face(), 0):
        # Equality is beyond floats, which leave it to exact arithmetic; maxima are never theirs.
        assert not holds_in_floats(form)
    if certificate.name == "tangents of powers":
        loose = replace(certificate.claim, distortion=Real.of("249999/1000000"))
        step = replace(loose.steps[0], rows=rationals(["0.2070312", "0.2070312"]))
        assert holds_in_floats(Form(premises(certificate.setting, loose), step))


def holds_in_floats(form: Form) -> bool:
    """Return whether floats tell of tangents that no coefficient is negative."""
    least = least_in_arrays(form, Face(), 0)
    return least is not None and all(price <= most for price, most in zip(form.prices, least, strict=True))


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: c.name)
@pytest.mark.parametrize("move", [HAIR, Rational(1, 10**12), Rational(1, 100), ONE])
def test_no_claim_can_be_moved(certificate: Certificate, move: Rational, many: float) -> None:
    """Each certificate but those of loose numbers is as sharp as it can be: any move makes it false."""
    claim = certificate.claim
    if "conjugate" in certificate.name or "below the least" in certificate.name:
        move *= 10  # the numbers of the first leave 1/250 of room, those of the second 1/100
        if move < 1:
            return
    if claim.loss.is_infinite or claim.open == "distortion":
        assert claim.distortion.rational is not None
        moved = replace(claim, distortion=Real.of(claim.distortion.rational + move))
    else:
        ratio = Real.exp(claim.loss).above()
        moved = replace(claim, loss=Real.log(ratio * (1 + move)))
    assert not holds(certificate, moved, many)


def with_step(change: Callable[[Step], Step]) -> Callable[[Excluded], Excluded]:
    return lambda claim: first(claim, change(claim.steps[0]))


def _change_use(step: Step, change: Callable[[SumUse], SumUse]) -> Step:
    return replace(step, sums=tuple(change(use) for use in step.sums))


def _negative_place(use: SumUse) -> SumUse:
    tangents = use.tangents
    if isinstance(tangents, Places):
        table = tuple(tuple(None if r is None else -r for r in row) for row in tangents.table)
        return replace(use, tangents=Places(table))
    if isinstance(tangents, Shares):
        return replace(use, tangents=Shares(tuple((y, x, -share) for y, x, share in tangents.entries)))
    return replace(use, multiplier=-use.multiplier)


def _greedy(use: SumUse) -> SumUse:
    if isinstance(use.tangents, Shares):
        more = Rational(11, 10)
        return replace(use, tangents=Shares(tuple((y, x, share * more) for y, x, share in use.tangents.entries)))
    return replace(use, tangents=Shares(()))


BROKEN: dict[str, Callable[[Excluded], Excluded]] = {
    "a negative multiple of a distortion": with_step(
        lambda s: replace(s, laws=(*((-w, law) for w, law in s.laws), *s.laws, *s.laws))
    ),
    "a law outside the source": with_step(
        lambda s: replace(s, laws=tuple((w, rationals(["3", "-2"]) if law else (ONE,)) for w, law in s.laws))
    ),
    "a law of another size": with_step(lambda s: replace(s, laws=tuple((w, (*law, ZERO)) for w, law in s.laws))),
    "negative multiples of bounds": with_step(
        lambda s: _change_use(
            replace(s, ratios=tuple((name, y, -m) for name, y, m in s.ratios)),
            lambda use: replace(use, multiplier=-use.multiplier),
        )
    ),
    "no multiple of a sum": with_step(lambda s: _change_use(s, lambda use: replace(use, multiplier=ZERO))),
    "negative places": with_step(lambda s: _change_use(s, _negative_place)),
    "shares of more than one": with_step(lambda s: _change_use(s, _greedy)),
    "a bound that the notion has not": with_step(
        lambda s: _change_use(
            replace(s, ratios=tuple(((7, 7, 7, 7), y, m) for _, y, m in s.ratios)),
            lambda use: replace(use, name=(7, 7, 7)),
        )
    ),
    "an output that does not exist": with_step(
        lambda s: replace(s, ratios=tuple((name, y + 2, m) for name, y, m in s.ratios), rows=(*s.rows, ONE))
    ),
    "too few rows": with_step(lambda s: replace(s, rows=(*s.rows, ZERO))),
    "larger rows": with_step(lambda s: replace(s, rows=tuple(r + HAIR for r in s.rows) or (HAIR,) * 2)),
    "no step at all": lambda claim: replace(claim, steps=()),
    "a step after the contradiction": lambda claim: replace(claim, steps=(*claim.steps, claim.steps[0])),
    "an infinite distortion": lambda claim: replace(claim, distortion=INFINITY),
    "an infinite loss that is closed": lambda claim: replace(claim, loss=INFINITY, open="distortion"),
    "an order that the notion has not, or a larger one": lambda claim: replace(claim, order=Rational(7)),
    "too many digits": lambda claim: replace(claim, digits=10**6),
    "a point outside the source": lambda claim: replace(
        claim, points=tuple(((ONE, rationals(["3/2", "-1/2"])),) for _ in claim.points) or (((ONE, (ONE,)),),)
    ),
    "weights of a point that sum to less than one": lambda claim: replace(
        claim,
        points=tuple(tuple((w / 2, law) for w, law in point) for point in claim.points) or (((ZERO, (ONE, ZERO)),),),
    ),
}
# Faults that leave a claim as it is, or as true: nothing is there to be broken.
HARMLESS = {
    ("no multiple of a sum", "sums"),
    ("negative places", "sums"),
    ("shares of more than one", "sums"),
    ("negative multiples of bounds", "bounds"),
    ("a bound that the notion has not", "bounds"),
}


def _is_harmless(fault: str, name: str, claim: Excluded) -> bool:
    step = claim.steps[0]
    has = {"sums": bool(step.sums), "bounds": bool(step.sums or step.ratios)}
    if fault == "an infinite distortion":
        return not step.laws
    if fault == "an infinite loss that is closed":
        return "below the least" in name  # which no mechanism has, whatever it loses
    if fault == "larger rows":
        return "conjugate" in name  # its numbers leave some room
    if fault == "shares of more than one":
        return not step.sums
    return any(one == fault and not has[kind] for one, kind in HARMLESS)


@pytest.mark.parametrize("fault", list(BROKEN))
@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: c.name)
def test_no_premise_can_be_broken(certificate: Certificate, fault: str, many: float) -> None:
    broken = BROKEN[fault](certificate.claim)
    if not _is_harmless(fault, certificate.name, certificate.claim):
        assert not holds(certificate, broken, many)


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: c.name)
def test_no_multiple_can_be_dropped(certificate: Certificate, many: float) -> None:
    step = certificate.claim.steps[0]
    for k in range(len(step.ratios)):
        dropped = replace(step, ratios=step.ratios[:k] + step.ratios[k + 1 :])
        assert not holds(certificate, first(certificate.claim, dropped), many)
    for k in range(len(step.sums)):
        dropped = replace(step, sums=step.sums[:k] + step.sums[k + 1 :])
        assert not holds(certificate, first(certificate.claim, dropped), many)


def test_a_closed_loss_leaves_no_face_under_a_spread(many: float) -> None:
    """At a total of zero the entries with positive coefficients are least in their column, and need not vanish."""
    certificate = CERTIFICATES[0]
    law, spread = certificate.claim.steps
    closed = replace(certificate.claim, open="distortion", steps=(replace(law, laws=()), spread))
    assert not holds(certificate, closed, many)
    # Randomised response attains what is excluded with the loss open, so nothing may follow from two steps.
    unweighted = replace(certificate.claim, open="distortion", steps=(Step(rows=rationals(["0", "0"])), spread))
    assert not holds(certificate, unweighted, many)


def test_another_notion_is_not_proven_by_the_same_steps(many: float) -> None:
    certificate = CERTIFICATES[0]
    weaker = replace(certificate.setting, notion=ApproximateDifferentialPrivacy("1/100"))
    with pytest.raises(ProofRejected):
        check_steps(weaker, certificate.claim, many)
    for notion in (MaximalLeakage(), RenyiDifferentialPrivacy(2)):
        with pytest.raises(ProofRejected):
            check_steps(replace(certificate.setting, notion=notion), certificate.claim, many)


def test_a_loss_is_never_negative() -> None:
    certificate = CERTIFICATES[0]
    assert isinstance(certificate.setting.notion, DifferentialPrivacy)
    nothing = Excluded(Real.of(0), Real.of("1/6"), "loss")
    assert holds(certificate, nothing, math.inf)
    assert not holds(certificate, replace(nothing, loss=Real.of(HAIR)), math.inf)
    assert not holds(certificate, replace(nothing, open="distortion"), math.inf)
