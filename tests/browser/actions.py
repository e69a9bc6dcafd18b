"""What people do with the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect
from playwright.sync_api import TimeoutError as Hangs

# A busy machine is no fault: what takes a second alone, and is not there after so many milliseconds, hangs.
PATIENCE_MS = 90_000
ROLES = (
    "button checkbox combobox link radio radiogroup slider spinbutton textbox searchbox image progressbar complementary"
    " navigation"
)


def wait_until(page: Page, condition: str, argument: object = None) -> None:
    """Wait until a JavaScript expression is true; as a function, because the page forbids evaluating text."""
    try:
        page.wait_for_function(f"(argument) => Boolean({condition})", arg=argument, polling=50)
    except Hangs as error:
        # What the page waits for says more than that it waits.
        busy = page.locator("[aria-busy=true], .progress:visible, .notice").all_inner_texts()
        raise AssertionError(f"{condition} never came; at {page.url} the page says: {busy}") from error


def settled(page: Page) -> None:
    """Wait until the curves of all notions and the chosen point are shown."""
    wait_until(
        page,
        "document.querySelector('.explore .progress')?.hidden && document.querySelector('[aria-busy=true]') === null"
        " && document.querySelector('.headline') !== null"
        " && document.querySelector('.chart').chart?.content.curves.length"
        " === document.querySelectorAll('.legend [role=radio]').length",
    )


def complete(page: Page) -> None:
    """Wait until all breakpoints are known, too, so that the points of every curve are joined."""
    settled(page)
    wait_until(page, "document.querySelector('.chart').chart.content.curves.every((curve) => curve.isComplete)")


def unfold(page: Page, title: str) -> None:
    """Open a part of the page that is folded away."""
    part = page.locator("details", has=page.locator("summary", has_text=title)).last
    part.wait_for()
    if part.get_attribute("open") is None:
        part.locator("summary", has_text=title).first.click()


def expect_address(page: Page, part: str) -> None:
    """Wait until the address, which follows a moment later, holds this."""
    wait_until(page, "location.hash.includes(argument)", part)


def expect_no_overflow(page: Page) -> None:
    """Wait until the page is no wider than its window, which the picture follows a moment later."""
    wait_until(page, "document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def headline(page: Page) -> str:
    """The answer in one sentence."""
    return page.locator(".headline").inner_text()


def expect_headline(page: Page, text: str) -> None:
    """Wait until the answer says this."""
    expect(page.locator(".headline")).to_contain_text(text)


def place_of(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a point of the picture is on the screen."""
    place = page.evaluate(
        """([x, y]) => {
            document.querySelector(".chart").scrollIntoView({ block: "center" });
            return document.querySelector(".chart").chart.placeOf(x, y);
        }""",
        [x, y],
    )
    return place[0], place[1]


def curves(page: Page) -> list[dict[str, list[float]]]:
    """The curves in the picture, whose points can be clicked."""
    found: list[dict[str, list[float]]] = page.evaluate("document.querySelector('.chart').chart?.content.curves ?? []")
    return found


def unnamed(page: Page) -> list[str]:
    """What a screen reader would announce without a name: roles of controls and pictures in the accessibility tree."""
    session = page.context.new_cdp_session(page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    roles = set(ROLES.split())
    return [
        node["role"]["value"]
        for node in tree
        if not node["ignored"] and node["role"]["value"] in roles and not node.get("name", {}).get("value", "").strip()
    ]


@contextmanager
def held(page: Page, task: str, part: str = "") -> Iterator[list[Route]]:
    """Hold back what is asked from now on, if it mentions something; at the end it is asked and answered."""
    kept: list[Route] = []

    def keep(route: Route) -> None:
        if part in str(route.request.post_data):
            kept.append(route)
        else:
            route.continue_()

    pattern = re.compile(rf"/api/{task}\?")
    page.route(pattern, keep)
    yield kept
    for route in kept:
        route.continue_()
    page.unroute(pattern)
    for route in kept:
        answer = route.request.response()
        assert answer is not None
        answer.finished()


def until_asked(page: Page, kept: list[Route], count: int = 1) -> None:
    """Wait until so much is held back."""
    for _ in range(PATIENCE_MS // 20):
        if len(kept) >= count:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"only {len(kept)} of {count} requests were made: {[route.request.url for route in kept]}")


# The ratio of luminances between each text and what lies behind it, layer upon layer, where it is below 4.5. What is
# disabled, or only heard, need not stand out.
_CONTRAST = """
() => {
    const numbers = (colour) => {
        const found = colour.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
        // Mixed colours are written in shares of one.
        const scaled = found.map((c, i) => colour.startsWith("color(") && i < 3 ? 255 * c : c);
        return scaled.length === 3 ? [...scaled, 1] : scaled;
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
    const texts = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility()
        && !node.closest("svg, math, :disabled, .visually-hidden, .skip, option")
        && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
    const ratio = (node) => {
        const behind = background(node);
        const ink = luminance(over(numbers(getComputedStyle(node).color), behind));
        const paper = luminance(behind);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    };
    return texts.map((node) => [ratio(node), node.textContent.trim().slice(0, 40)]).filter(([found]) => found < 4.5);
}
"""


def poor_contrasts(page: Page) -> list[tuple[float, str]]:
    """The texts that do not stand out enough from what is behind them, as guidelines for accessibility measure it."""
    found: list[tuple[float, str]] = page.evaluate(_CONTRAST)
    return found
