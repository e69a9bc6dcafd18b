"""No fault in the evidence makes a checker accept an interval that does not hold the true value.

The true value lies in the interval of the untouched proof, whose width is a few units of rounding. A faulty proof may
be rejected, or accepted with an interval that meets it; it may not raise anything but the checker's own errors.
"""

import random
from dataclasses import dataclass

import check_proof
import pytest
from tests.proofs.cases import PROBLEMS, Case, case, checked_by_epstar, checked_by_the_second
from tests.proofs.mutations import mutated

from epstar.errors import EpstarError


@dataclass
class Tally:
    """How the checkers judged the faulty proofs."""

    accepted: int = 0
    rejected: int = 0


def judge(found: tuple[float, float] | None, original: Case, tally: Tally, seed: str) -> None:
    if found is None:
        tally.rejected += 1
        return
    tally.accepted += 1
    lower, upper = found
    assert lower <= original.upper, f"{seed}: the lower bound {lower} exceeds the true value {original.upper}"
    assert upper >= original.lower, f"{seed}: the upper bound {upper} is below the true value {original.lower}"


def by_epstar(proof: object) -> tuple[float, float] | None:
    try:
        return checked_by_epstar(proof)
    except EpstarError:
        return None


def by_the_second(proof: object) -> tuple[float, float] | None:
    try:
        return checked_by_the_second(proof)
    except (check_proof.Refused, check_proof.Unreadable, EpstarError):
        return None


def campaign(first: int, count: int, every: int) -> tuple[Tally, Tally]:
    """Judge `count` faulty proofs with epstar's checker, and one in `every` with the second."""
    ours, second = Tally(), Tally()
    for seed in range(first, first + count):
        generator = random.Random(seed)
        original = case(seed % len(PROBLEMS))
        others = [case(generator.randrange(len(PROBLEMS))).proof for _ in range(2)]
        proof = mutated(original.proof, others, generator)
        judge(by_epstar(proof), original, ours, f"epstar, seed {seed}")
        if seed % every == 0:
            judge(by_the_second(proof), original, second, f"second, seed {seed}")
    return ours, second


def test_no_fault_makes_a_checker_accept_a_falsehood() -> None:
    ours, second = campaign(first=0, count=3000, every=3)
    # A campaign in which nothing is accepted, or nothing rejected, would show little.
    assert min(ours.accepted, ours.rejected, second.accepted, second.rejected) > 100


@pytest.mark.full
@pytest.mark.parametrize("part", range(20))
def test_no_fault_among_a_hundred_thousand(part: int) -> None:
    ours, second = campaign(first=3000 + 5000 * part, count=5000, every=5)
    assert min(ours.accepted, ours.rejected, second.accepted, second.rejected) > 100
