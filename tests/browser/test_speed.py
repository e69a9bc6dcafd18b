"""How soon the page answers: the first proven number, and the next one after the prior is changed."""

from __future__ import annotations

import os
from statistics import median

import pytest
from playwright.sync_api import Page
from tests.browser.actions import settled
from tests.browser.conftest import Opener

pytestmark = pytest.mark.xdist_group("explorer")

# On an idle machine of two cores the goals are 1 and 0.3 seconds; a busy machine is no fault, but to answer only after
# the proof is checked and all curves are computed, as the page once did, takes longer than this on any.
FIRST_GOAL, NEXT_GOAL = 1.0, 0.3
FIRST_MOST, NEXT_MOST = 20.0, 6.0


def seconds_to_next(page: Page, key: str) -> float:
    """Move a bar by a key and return how long it takes until another proven number is there."""
    found: float = page.evaluate(
        """(key) => new Promise((done) => {
            const start = performance.now();
            const bar = document.querySelector(".track");
            bar.focus();
            bar.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            const look = () => document.querySelector(".headline")
                ? done((performance.now() - start) / 1000) : requestAnimationFrame(look);
            requestAnimationFrame(look);
        })""",
        key,
    )
    return found


def test_the_first_number_and_the_next_come_soon(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    firsts = []
    for _ in range(3):
        page = open_page()
        firsts.append(page.evaluate("performance.getEntriesByName('first-answer')[0].startTime") / 1000)
        settled(page)
    # Each key leads to another prior, so that nothing is remembered.
    nexts = []
    for key in ("ArrowRight", "ArrowRight", "PageUp", "ArrowLeft", "ArrowLeft", "ArrowRight", "PageDown"):
        nexts.append(seconds_to_next(page, key))
        settled(page)
    with capsys.disabled():
        print(
            f"\nfirst proven number {median(firsts):.2f} s (goal {FIRST_GOAL}), after a changed prior "
            f"{median(nexts):.2f} s (goal {NEXT_GOAL}); load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
    assert median(firsts) < FIRST_MOST
    assert median(nexts) < NEXT_MOST
