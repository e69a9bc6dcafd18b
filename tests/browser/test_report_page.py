"""The report of a release with hostile labels in a real Chromium: nothing runs or is fetched, all can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.actions import PATIENCE_MS
from tests.release.test_report import HOSTILE, released

from epstar.notions import DifferentialPrivacy
from epstar.release import Column
from epstar.release.report import report

pytestmark = pytest.mark.xdist_group("explorer")

# The least ratio of luminances between each text and what lies behind it, layer upon layer.
CONTRAST = """
() => {
    const numbers = (colour) => {
        const found = colour.match(/[\\d.]+/g).map(Number);
        return found.length === 3 ? [...found, 1] : found;
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
    const background = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) layers.unshift(numbers(getComputedStyle(at).backgroundColor));
        return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
    };
    const luminance = (colour) => {
        const linear = colour.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const texts = [...document.querySelectorAll("main *")].filter((node) =>
        !node.closest("svg") && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
    const ratio = (node) => {
        const behind = background(node);
        const ink = luminance(over(numbers(getComputedStyle(node).color), behind));
        const paper = luminance(behind);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    };
    return Math.min(...texts.map(ratio));
}
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    columns = [Column("</title><b>", HOSTILE), Column('" onload="', [f"<i>{i}" for i in range(30)])]
    return report(released(folder, columns, notion=DifferentialPrivacy(), loss=4)).output


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, page_file: Path) -> Iterator[Page]:
    """The page, on which nothing may go wrong behind the scenes."""
    problems: list[str] = []
    context = browser.new_context(color_scheme=request.param)
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    opened.on("dialog", lambda dialog: problems.append(dialog.message))
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda asked: problems.append(asked.url) if asked.url != page_file.as_uri() else None)
    opened.goto(page_file.as_uri())
    yield opened
    context.close()
    assert problems == []


def test_hostile_labels_are_shown_and_do_nothing(page: Page) -> None:
    text = page.locator("main").inner_text()
    for label in HOSTILE[:5]:
        assert label in text
    assert page.locator("script, img, iframe, link, b, i").count() == 0
    assert page.title() == "Privacy report: out.csv"


def test_every_text_stands_out_from_what_is_behind_it(page: Page) -> None:
    assert page.evaluate(CONTRAST) >= 4.5


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_the_page_fits_every_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_can_be_printed(page: Page) -> None:
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
