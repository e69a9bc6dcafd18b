"""The answer comes before everything else; how soon it is there is printed here and judged by the benchmarks alone."""

from __future__ import annotations

import os
from statistics import median

import pytest
from benchmarks.explorer import FIRST_GOAL, KEYS, NEXT_GOAL, seconds_to_first, seconds_to_next
from playwright.sync_api import expect
from tests.browser.actions import expect_headline, held, settled, until_asked
from tests.browser.conftest import Opener

pytestmark = pytest.mark.xdist_group("explorer")


def test_the_answer_waits_for_nothing_else(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    with held(page, "(curve|breakpoints|audit|check)") as kept:
        page.get_by_label("Probability of never, as a number").fill("0.35")
        page.get_by_label("Probability of never, as a number").press("Enter")
        expect(page.locator(".answer")).to_contain_text("The probabilities add up to 0.99")
        page.get_by_label("Probability of rarely, as a number").fill("0.29")
        page.get_by_label("Probability of rarely, as a number").press("Enter")
        expect_headline(page, "At distortion 1/5 no mechanism loses less than")
        until_asked(page, kept, 3)
        expect(page.locator(".heat tbody tr")).to_have_count(5)
        expect(page.get_by_text("Checking the proof again …")).to_be_visible()
    settled(page)


def test_how_soon_the_first_number_and_the_next_come(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    page = open_page()
    first = seconds_to_first(page)
    settled(page)
    nexts = [seconds_to_next(page, key) for key in KEYS[:3]]
    with capsys.disabled():
        print(
            f"\nfirst proven number {first:.2f} s (goal {FIRST_GOAL}), after a changed prior "
            f"{median(nexts):.2f} s (goal {NEXT_GOAL}); load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
    assert first > 0
    assert min(nexts) > 0
