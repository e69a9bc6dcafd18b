"""How soon the explorer answers in a real Chromium: the first proven number, and the next after a changed prior."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.notions import Record

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Seconds, on an idle machine of two cores.
FIRST_GOAL, NEXT_GOAL = 1.0, 0.3
# Each leads to another prior, so that nothing is remembered.
KEYS = ("ArrowRight", "ArrowRight", "PageUp", "ArrowLeft", "ArrowLeft", "ArrowRight", "PageDown")
_MILLISECONDS = 60_000
# A key moves a bar; then the page is looked at in every frame until another proven number stands there.
_NEXT = """
(key) => new Promise((done) => {
    const start = performance.now();
    const bar = document.querySelector(".track");
    bar.focus();
    bar.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const look = () => document.querySelector(".headline")
        ? done((performance.now() - start) / 1000) : requestAnimationFrame(look);
    requestAnimationFrame(look);
})
"""


def seconds_to_first(page: Page) -> float:
    """Return how long a page that was opened took until its first proven number was there."""
    page.wait_for_selector(".headline")
    found: float = page.evaluate("performance.getEntriesByName('first-answer')[0].startTime")
    return found / 1000


def seconds_to_next(page: Page, key: str) -> float:
    """Move a bar by a key and return how long it takes until another proven number is there."""
    found: float = page.evaluate(_NEXT, key)
    page.wait_for_function("() => document.querySelector('[aria-busy=true]') === null")
    return found


@contextmanager
def _served() -> Iterator[str]:
    command = [sys.executable, "-m", "epstar", "serve", "--port", "0", "--no-browser", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["address"]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def run() -> Record:
    """Return the medians beside their goals; the first visit of all waits for the server too, and is left out."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("There is no chromium to measure the explorer in; install it: apt-get install chromium.")
    with _served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        firsts = []
        for _ in range(6):
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(_MILLISECONDS)
            page.goto(address)
            firsts.append(seconds_to_first(page))
            page.wait_for_function("() => document.querySelector('[aria-busy=true]') === null")
        nexts = [seconds_to_next(page, key) for key in KEYS]
        browser.close()
    return {
        "the first proven number": {"seconds": median(firsts[1:]), "goal": FIRST_GOAL},
        "after a changed prior": {"seconds": median(nexts), "goal": NEXT_GOAL},
    }
