"""The explorer of a notebook in a real browser: the widget's own script, with Python on the other side of its model."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.actions import PATIENCE_MS, poor_contrasts, unnamed

from epstar import Frontier
from epstar.notebook.explorer import Explorer

pytestmark = pytest.mark.xdist_group("explorer")
SYNCED = ("labels", "notions", "question", "shown", "curve")
# A model as anywidget hands it to the script: what is saved goes to Python, and what changes there comes back.
START = """
async ([script, style, state]) => {
    const listeners = new Map();
    const fresh = {};
    const model = {
        get: (name) => state[name],
        set: (name, value) => { state[name] = value; fresh[name] = value; },
        on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
        off: () => undefined,
        save_changes: async () => {
            for (const [name, value] of await window.saved(JSON.stringify(fresh))) {
                state[name] = value;
                for (const listener of listeners.get(`change:${name}`) ?? []) listener();
            }
        },
    };
    const sheet = document.createElement("style");
    sheet.textContent = style;
    document.head.append(sheet);
    const widget = (await import(`data:text/javascript;base64,${script}`)).default;
    window.end = widget.render({ model, el: document.querySelector("main") });
}
"""


@pytest.fixture(params=["light", "dark"])
def shown(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Page, Explorer]]:
    """A page with the explorer in it, and the explorer."""
    explorer = Frontier("dp", {"never": 0.4, "<b>often</b>": 0.3, "always": 0.3}, "hamming").explore(distortion="1/5")
    page = browser.new_page(viewport={"width": 1000, "height": 700}, color_scheme=request.param)
    page.set_default_timeout(PATIENCE_MS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    colours = "background:#111;color:#eee" if request.param == "dark" else "background:#fff;color:#111"
    page.set_content(f"<!doctype html><html lang=en><title>notebook</title><body style='{colours}'><main></main>")

    def saved(fresh: str) -> list[tuple[str, Any]]:
        before = {name: getattr(explorer, name) for name in SYNCED}
        for name, value in json.loads(fresh).items():
            setattr(explorer, name, value)
        return [(name, getattr(explorer, name)) for name in SYNCED if getattr(explorer, name) != before[name]]

    page.expose_function("saved", saved)
    state = {name: getattr(explorer, name) for name in SYNCED}
    page.evaluate(START, [base64.b64encode(explorer._esm.encode()).decode(), explorer._css, state])
    yield page, explorer
    page.evaluate("window.end()")
    page.close()
    assert problems == []


def test_it_answers_what_is_moved(shown: tuple[Page, Explorer]) -> None:
    page, explorer = shown
    expect(page.locator(".headline")).to_have_text("Least loss of differential privacy at distortion 1/5 ✓ proven")
    expect(page.locator(".value")).to_contain_text("log(8)")
    expect(page.locator("tbody tr")).to_have_count(3)
    # A label is text, whatever it holds.
    assert page.locator("b").count() == 0
    assert page.locator("svg .line").count() == 1
    assert page.locator("svg .open").count() == 1
    page.get_by_label("never").focus()
    page.keyboard.press("End")
    expect(page.locator(".value")).to_have_text("0 nats (0 bits)")
    assert explorer.question["shares"] == ["10000/10000", "0/10000", "0/10000"]
    page.get_by_label("notion").select_option("maximal_leakage")
    expect(page.locator(".headline")).to_contain_text("Least loss of maximal leakage")
    assert explorer.frontier.notion.name == "maximal_leakage"


def test_it_can_be_read_and_used_by_everybody(shown: tuple[Page, Explorer]) -> None:
    page, _ = shown
    assert unnamed(page) == []
    assert poor_contrasts(page) == []
    page.set_viewport_size({"width": 390, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("slider", name="distortion").focus()
    page.keyboard.press("Home")
    expect(page.locator(".found")).to_contain_text("infinite")
