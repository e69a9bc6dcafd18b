"""Statistical audits: bounds that are exceeded as rarely as they say, and power that is what they say."""

import math
import random
import sys
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from epstar.audit import AuditFailed, Command, audit_black_box, detectable_loss, power
from epstar.audit.grouping import Between, grouping
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism, randomised_response
from epstar.notions import (
    ConcentratedDifferentialPrivacy,
    GaussianDifferentialPrivacy,
    GLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.release import plan
from epstar.release.interval import lower_bounds, upper_bounds
from epstar.release.sampler import Sampler
from epstar.source import Prior
from epstar.universe import Alphabet


class Box:
    """A sampler as a black box."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def __call__(self, given: Hashable, count: int) -> Sequence[Hashable]:
        assert isinstance(given, int)
        found: list[Hashable] = self.sampler.sample(np.full(count, given, dtype=np.uint8)).tolist()
        return found


class Simulated:
    """A randomised response from a seeded generator, for repeated trials."""

    def __init__(self, level: float, size: int, seed: int) -> None:
        self.kept, self.size, self.rng = (
            math.exp(level) / (math.exp(level) + size - 1),
            size,
            np.random.default_rng(seed),
        )

    def __call__(self, given: Hashable, count: int) -> Sequence[Hashable]:
        assert isinstance(given, int)
        shift = self.rng.integers(1, self.size, count)
        found: list[Hashable] = ((given + np.where(self.rng.random(count) < self.kept, 0, shift)) % self.size).tolist()
        return found


@pytest.mark.parametrize("level", ["1/2", "2"])
def test_the_bound_is_below_the_loss_and_near_it(level: str) -> None:
    sampler = plan(randomised_response(Alphabet(4), level)).sampler
    # So many answers that only ten standard deviations would take the bound too far from the loss.
    samples, confidence = 200_000, "0.999999999999"
    audit = audit_black_box(Box(sampler), 0, 1, samples=samples, confidence=confidence, claimed=level)
    assert audit.bound <= Real.of(level)
    assert float(audit.bound) > 0.9 * float(Real.of(level)) - 0.1
    assert audit.detectable > float(audit.claimed)
    assert not audit.exceeds_claim
    assert audit.event in ((0,), (1,))
    assert audit.first_lower > audit.second_upper
    # A claim of much less is refuted.
    claim = Rational(7, 10) * Real.of(level).below() - Rational(1, 20)
    assert audit_black_box(Box(sampler), 0, 1, samples=samples, confidence=confidence, claimed=claim).exceeds_claim


def test_a_bound_is_wrong_no_more_often_than_it_says() -> None:
    level, trials, confidence = 0.4, 150, 0.9
    wrong = sum(
        float(audit_black_box(Simulated(level, 3, seed), 0, 1, samples=400, confidence="0.9").bound) > level
        for seed in range(trials)
    )
    # At most one in ten may be wrong; this many or more would happen once in a million times.
    assert wrong <= binom.isf(1e-6, trials, 1 - confidence)


def test_a_constant_black_box_is_not_accused() -> None:
    def constant(given: Hashable, count: int) -> Sequence[Hashable]:
        return ["same"] * count

    audit = audit_black_box(constant, "a", "b", samples=1000)
    assert audit.bound <= Real.of(0)
    assert not audit.exceeds_claim


def test_a_black_box_without_protection_is_found_out_in_either_order() -> None:
    def honest(given: Hashable, count: int) -> Sequence[Hashable]:
        return [given] * count

    for pair in (("a", "b"), ("b", "a")):
        audit = audit_black_box(honest, *pair, samples=10_000, claimed=5)
        assert audit.exceeds_claim
        assert audit.counts == (5000, 0)
        assert float(audit.bound) > 6


def test_the_one_protected_direction_does_not_hide_the_other() -> None:
    # The second input never gives "yes": the loss is infinite, but only from the first to the second.
    def lopsided(given: Hashable, count: int) -> Sequence[Hashable]:
        rng = np.random.default_rng(0)
        return ["yes" if given == 0 and coin < 0.1 else "no" for coin in rng.random(count)]

    audit = audit_black_box(lopsided, 1, 0, samples=20_000)
    assert audit.inputs == (0, 1)
    assert audit.event == ("yes",)
    assert float(audit.bound) > 4


def test_slack_is_taken_off_before_the_logarithm() -> None:
    def leaky(given: Hashable, count: int) -> Sequence[Hashable]:
        shown = count // 10
        return [given] * shown + ["?"] * (count - shown)

    class Shuffled:
        def __call__(self, given: Hashable, count: int) -> Sequence[Hashable]:
            answers = list(leaky(given, count))
            np.random.default_rng(1).shuffle(answers)
            return answers

    assert audit_black_box(Shuffled(), "a", "b", samples=20_000, delta=0).exceeds_claim
    assert not audit_black_box(Shuffled(), "a", "b", samples=20_000, delta="0.12").exceeds_claim


def test_the_power_is_the_frequency_of_success() -> None:
    kept = 1 / (1 + math.exp(-1.0))
    claimed, draws, confidence = 0.85, 1500, 0.95
    expected = power(kept, 1 - kept, draws, confidence, claimed)
    trials = 200
    found = sum(
        audit_black_box(
            Simulated(1.0, 2, seed), 0, 1, samples=2 * draws, confidence="0.95", claimed="0.85"
        ).exceeds_claim
        for seed in range(trials)
    )
    assert 0.1 < expected < 0.95
    assert abs(found - trials * expected) < 5 * math.sqrt(trials * expected * (1 - expected)) + 0.02 * trials


@pytest.mark.parametrize("claimed", [0.0, 1.0, 3.0])
def test_the_detectable_loss_is_detected_and_falls_with_the_number_of_draws(claimed: float) -> None:
    losses = [detectable_loss(draws, 0.999, claimed) for draws in (1_000, 10_000, 100_000)]
    assert losses[0] > losses[1] > losses[2] > claimed
    kept = 1 / (1 + math.exp(-losses[1]))
    assert power(kept, 1 - kept, 10_000, 0.999, claimed) >= 0.99
    assert detectable_loss(3, 0.999, claimed) == math.inf


def test_the_detectable_loss_counts_the_slack() -> None:
    loss = detectable_loss(5_000, 0.999, 0.5, 0.05)
    kept = 1 / (1 + math.exp(-loss))
    rng = np.random.default_rng(4)
    trials = 4_000
    tail = (1 - 0.999) / 2
    many, few = rng.binomial(5_000, kept, trials), rng.binomial(5_000, 1 - kept, trials)
    found = (lower_bounds(many, 5_000, tail) - 0.05) / upper_bounds(few, 5_000, tail) > math.exp(0.5)
    assert abs(found.mean() - 0.99) < 5 * math.sqrt(0.99 * 0.01 / trials)
    assert loss > detectable_loss(5_000, 0.999, 0.5)
    assert audit_black_box(Simulated(1, 2, 0), 0, 1, samples=400, delta="1/20").detectable > (
        audit_black_box(Simulated(1, 2, 0), 0, 1, samples=400).detectable
    )


@pytest.mark.parametrize("written", [float, str], ids=["numbers", "texts"])
def test_a_mechanism_that_adds_continuous_noise_is_seen_through(written: type) -> None:
    rng = np.random.default_rng(8)

    def noisy(given: Hashable, count: int) -> Sequence[Hashable]:
        assert isinstance(given, int)
        return [written(answer) for answer in rng.laplace(given, 1.0, count).tolist()]

    audit = audit_black_box(noisy, 0, 1, samples=60_000, claimed="0.8")
    assert audit.exceeds_claim
    assert float(audit.bound) < 1
    assert all(isinstance(part, Between) for part in audit.event)


def test_a_rare_answer_that_gives_an_input_away_is_not_lost_among_many_numbers() -> None:
    rng = np.random.default_rng(9)

    def leaking(given: Hashable, count: int) -> Sequence[Hashable]:
        answers = rng.integers(0, 100_000, count)
        answers[(rng.random(count) < 0.01) & (given == 1)] = 777
        found: list[Hashable] = answers.tolist()
        return found

    audit = audit_black_box(leaking, 0, 1, samples=20_000)
    assert audit.event == (777,)
    assert float(audit.bound) > 1


def test_answers_that_are_no_numbers_or_frequent_stand_for_themselves() -> None:
    group = grouping([*[3] * 50, *[number / 7 for number in range(500)], "word", float("nan"), None, ("a", 1)])
    assert group(3) == 3
    assert group("word") == "word"
    assert group(None) is None
    assert group(("a", 1)) == ("a", 1)
    assert group("nan") == "nan"
    assert group(10**400) == 10**400
    assert group("2.5") == group(2.5) == group(2.4999999)
    assert str(group(-math.inf)).startswith("above -inf and up to 1")
    assert str(group(math.inf)).endswith("up to inf")
    assert grouping(["a"] * 5)(1.5) == Between(-math.inf, math.inf)


def test_a_program_is_a_black_box_too() -> None:
    program = (
        "import sys, random\nfor _ in range(int(sys.argv[2])): print(sys.argv[1] if random.random() < 0.9 else 'z')"
    )
    command = Command((sys.executable, "-c", program, "{input}", "{count}"))
    audit = audit_black_box(command, "x", "y", samples=2000, claimed=3)
    assert audit.exceeds_claim
    assert audit.event in (("x",), ("y",))
    with pytest.raises(AuditFailed, match="exit status 3"):
        Command((sys.executable, "-c", "raise SystemExit(3)"))("x", 1)
    with pytest.raises(AuditFailed, match="FileNotFoundError"):
        Command(("no-such-program-anywhere",))("x", 1)
    with pytest.raises(AuditFailed, match="0 answers where 4"):
        audit_black_box(Command((sys.executable, "-c", "")), "x", "y", samples=4)


@pytest.mark.parametrize(("samples", "confidence"), [(3, "0.9"), (10, "0.5"), (10, 1)])
def test_audits_that_could_say_nothing_are_refused(samples: int, confidence: object) -> None:
    with pytest.raises(InvalidInput):
        audit_black_box(Simulated(1, 2, 0), 0, 1, samples=samples, confidence=confidence)


def coins(given: object, count: int) -> list[str]:
    draw = random.Random(f"{given} {count}")
    return ["heads" if draw.random() < (0.75 if given == "yes" else 0.25) else "tails" for _ in range(count)]


EVEN = Prior(["1/2", "1/2"])


@pytest.mark.parametrize("inputs", [("yes", "no"), ("no", "yes")])
@pytest.mark.parametrize(
    ("notion", "source", "loss"),
    [
        (GaussianDifferentialPrivacy(), None, 2 * NormalDist().inv_cdf(0.75)),
        (ConcentratedDifferentialPrivacy(), None, math.log(3) / 2),
        (RenyiDifferentialPrivacy(2), None, math.log(0.75**2 / 0.25 + 0.25**2 / 0.75)),
        (GLeakage([[1, 0], [0, 1]]), EVEN, math.log(1.5)),
        (GLeakage([[9, 1], [0, 2]]), Prior(["1/4", "3/4"]), None),
        (MutualInformation(), EVEN, math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_other_notions_are_bounded_through_the_event(
    notion: Notion, source: Prior | None, loss: float | None, inputs: tuple[str, str]
) -> None:
    audit = audit_black_box(coins, *inputs, samples=40_000, notion=notion, source=source)
    rows = [["3/4", "1/4"], ["1/4", "3/4"]] if inputs[0] == "yes" else [["1/4", "3/4"], ["3/4", "1/4"]]
    true = notion.loss(Mechanism(rows), EVEN if source is None else source).value
    if loss is not None:
        assert true == pytest.approx(loss, abs=1e-9)
    assert 0.8 * true < float(audit.bound) <= true
    assert audit.detectable == math.inf


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"notion": GLeakage([[1, 0], [0, 1]])}, "give a prior"),
        ({"notion": GaussianDifferentialPrivacy(), "delta": "1/10"}, "leave it out"),
        ({"notion": MutualInformation(), "source": Prior(["1/2", "1/4", "1/4"])}, "two are compared"),
    ],
)
def test_what_does_not_fit_a_notion_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        audit_black_box(coins, "yes", "no", samples=100, **given)
