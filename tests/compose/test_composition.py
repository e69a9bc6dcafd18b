"""Sequential and parallel composition and the accountant, against losses of the composed matrices."""

import math
import random

import pytest
from tests.compose.test_loss_distribution import together
from tests.convert.channels import channel

from epstar.compose import (
    ADDITIVE,
    Accountant,
    parallel_loss,
    parallel_optimum,
    parallel_rule,
    sequential,
)
from epstar.convert import Guarantee
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism, ProductMechanism, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
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
from epstar.source import Everything, Finite, Prior
from epstar.universe import Alphabet, Graph

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])


def notions(chance: random.Random) -> list[Notion]:
    order = RenyiDifferentialPrivacy(chance.choice(["1", "3/2", "2"]))
    assert RenyiDifferentialPrivacy in ADDITIVE
    return [DifferentialPrivacy(), order, MutualInformation(), Capacity(), MaximalLeakage(), MinEntropyCapacity()]


@pytest.mark.parametrize("seed", range(40))
def test_levels_of_additive_notions_bound_the_composition(seed: int) -> None:
    chance = random.Random(seed)
    first, prior = channel(chance)
    second = channel(chance)[0]
    while second.shape[0] != first.shape[0]:
        second = channel(chance)[0]
    both = together(first, second)
    for notion in notions(chance):
        law = prior if isinstance(notion, MutualInformation) else None
        parts = [Guarantee.of(mechanism, notion, law) for mechanism in (first, second)]
        total = sequential(parts).guarantee.level
        loss = notion.loss(both, law).lower
        assert loss is not None
        assert total.is_infinite or loss.lower <= total.upper


def test_approximate_levels_and_deltas_add_up() -> None:
    one = Guarantee(ApproximateDifferentialPrivacy("1/10"), "log(2)")
    total = sequential([one, one, one]).guarantee
    assert str(total.level) == "log(8)"
    assert total.notion == ApproximateDifferentialPrivacy("3/10")


def test_the_accountant_is_exact_for_fixed_mechanisms() -> None:
    ledger = Accountant(COIN.universe).add(COIN, times=3)
    cube = together(together(COIN, COIN), COIN)
    for delta in ("1/100", "1/10", "3/8"):
        notion = ApproximateDifferentialPrivacy(delta)
        assert str(ledger.total(notion).guarantee.level) == str(notion.loss(cube).upper)


@pytest.mark.parametrize("seed", range(4))
def test_totals_are_never_below_the_loss_of_the_composition(seed: int) -> None:
    chance = random.Random(50 + seed)
    first, prior = channel(chance)
    second = channel(chance)[0]
    while second.shape[0] != first.shape[0]:
        second = channel(chance)[0]
    both = together(first, second)
    ledger = Accountant(first.universe).add(first).add(second)
    for notion in (
        DifferentialPrivacy(),
        ApproximateDifferentialPrivacy("1/20"),
        MaximalLeakage(),
        Capacity(),
        MutualInformation(),
        PointwiseLeakage(),
        LocalInformationPrivacy(),
        MaximalInformation(),
        MinEntropyLeakage(),
    ):
        law = prior if notion.needs_source and not isinstance(notion, Capacity) else None
        total = ledger.total(notion, law).guarantee.level
        loss = notion.loss(both, law).lower
        assert loss is not None
        assert total.is_infinite or loss.lower <= total.upper, notion.name


def test_guarantees_and_mechanisms_are_added_together() -> None:
    coin = Alphabet(2)
    ledger = Accountant(coin).add(COIN).add(Guarantee(DifferentialPrivacy(), "log(2)"))
    assert str(ledger.total(DifferentialPrivacy()).guarantee.level) == "log(6)"
    leak = ledger.total(MaximalLeakage())
    # Added as leakages they make log(3/2 * 4/3) = log 2; as differential privacy, log 6, which leaks log(12/7) on one
    # bit; as relative entropies still less.
    assert leak.added_in == RenyiDifferentialPrivacy(1)
    assert math.log(3 / 2) < leak.guarantee.level.upper < math.log(12 / 7)
    assert str(Accountant(coin).total(DifferentialPrivacy()).guarantee.level) == "0"


@pytest.mark.parametrize(
    "notion",
    [
        DifferentialPrivacy(),
        RenyiDifferentialPrivacy(2),
        MaximalLeakage(),
        MaximalInformation(),
        MutualInformation(),
        SibsonMutualInformation(2),
        ApproximateDifferentialPrivacy("1/10"),
    ],
)
def test_losses_of_rows_make_the_loss_of_a_product(notion: Notion) -> None:
    row, prior = randomised_response(Alphabet(2), ratio=3), Prior(["1/3", "2/3"])
    law = prior if notion.needs_source else None
    one = notion.loss(row, law).upper
    product = together_rows(row)
    pair = Prior([p * q for p in prior.probabilities for q in prior.probabilities]) if law else None
    wanted = notion.loss(product, pair).value
    assert float(parallel_loss(notion, [one, one])) == pytest.approx(wanted, abs=1e-12)


def together_rows(row: Mechanism) -> Mechanism:
    """The matrix of two rows treated alike, on databases of two rows."""
    return ProductMechanism(row, 2).dense()


def test_products_are_optimal_for_some_notions_and_not_for_others() -> None:
    prior = Prior(["7/10", "3/10"])
    leak = parallel_optimum(Frontier(MaximalLeakage(), prior, Hamming()), 2, "3/10")
    assert leak.rule.optimal_among == "identical products"
    assert float(leak.upper) == pytest.approx(0.81093022, abs=1e-8)  # over all mechanisms it is 0.69314718
    private = parallel_optimum(Frontier(DifferentialPrivacy(), prior, Hamming()), 2, "3/10")
    assert private.rule.optimal_among == "all mechanisms"
    assert float(private.upper) == pytest.approx(float(private.one_row.interval.upper))
    information = parallel_optimum(Frontier(MutualInformation(), prior, Hamming()), 3, "3/10")
    assert float(information.upper) == pytest.approx(3 * float(information.one_row.interval.upper))


def test_a_law_that_is_known_to_lie_in_a_set() -> None:
    pair = Finite([["9/10", "1/10"], ["1/10", "9/10"]])
    private = parallel_optimum(Frontier(DifferentialPrivacy(), pair, Hamming()), 2, "1/2")
    assert str(private.upper) == "log(3)"  # over all mechanisms it is 0.94098334
    assert private.rule.optimal_among == "identical products"
    whole = parallel_optimum(Frontier(DifferentialPrivacy(), Everything(2), Hamming()), 2, "1/2")
    assert (str(whole.upper), whole.rule.optimal_among) == ("log(3)", "all mechanisms")
    loose = parallel_optimum(Frontier(ApproximateDifferentialPrivacy("1/10"), Everything(2), Hamming()), 2, "1/2")
    assert str(loose.upper) == "log(13/5)"  # event-wise: log (m-1)(n(1-delta)-D)/D


def test_refusals() -> None:
    dp = Guarantee(DifferentialPrivacy(), 1)
    with pytest.raises(InvalidInput, match="list of guarantees is empty"):
        sequential([])
    with pytest.raises(InvalidInput, match="one notion, universe and source"):
        sequential([dp, Guarantee(MaximalLeakage(), 1)])
    with pytest.raises(InvalidInput, match="do not add up"):
        sequential([Guarantee(Identifiability(), 1, source=Prior(["1/2", "1/2"]))] * 2)
    with pytest.raises(InvalidInput, match="pointwise reading"):
        sequential([Guarantee(ApproximateDifferentialPrivacy("1/10", "pointwise"), 1)] * 2)
    with pytest.raises(InvalidInput, match="another universe"):
        Accountant(Alphabet(3)).add(COIN)
    with pytest.raises(InvalidInput, match="Floats prove nothing"):
        Accountant(Alphabet(2)).add(Mechanism([[0.5, 0.5], [0.25, 0.75]]))
    with pytest.raises(InvalidInput, match="at least 1"):
        Accountant(Alphabet(2)).add(COIN, times=0)
    with pytest.raises(InvalidInput, match="what is known about it"):
        Accountant(Alphabet(2)).add(COIN).total(MutualInformation())
    with pytest.raises(InvalidInput, match="negative"):
        parallel_loss(DifferentialPrivacy(), [-1])
    with pytest.raises(InvalidInput, match="list of losses is empty"):
        parallel_loss(DifferentialPrivacy(), [])
    with pytest.raises(InvalidInput, match="measure the product"):
        parallel_rule(LocalInformationPrivacy())
    with pytest.raises(InvalidInput, match="starts from one row"):
        parallel_optimum(Frontier(DifferentialPrivacy(), Prior(["1/2", "1/2"]), Hamming(), Graph.line(2)), 2, 1)
    assert Real.of(0) <= parallel_loss(DifferentialPrivacy(), [0])
