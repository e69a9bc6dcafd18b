"""The page for everybody: keyboard, phone, zoom, dark and light, screen readers, colours."""

import math
import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect
from tests.browser.actions import (
    expect_headline,
    expect_no_overflow,
    headline,
    poor_contrasts,
    settled,
    unfold,
    unnamed,
    wait_until,
)
from tests.browser.conftest import Opener

pytestmark = pytest.mark.xdist_group("explorer")

VIEWS = {
    "explore": ".headline",
    "release": ".drop",
    "convert": "#follows-title",
    "audit": ".heat",
    "theorems": ".theorem",
}


def focused(page: Page) -> str:
    """The name of what has the focus."""
    name: str = page.evaluate(
        """() => { const e = document.activeElement;
        return e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent.trim(); }"""
    )
    return name


def tab_to(page: Page, name: str) -> None:
    """Press Tab until something has the focus; what cannot be reached is an error."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if focused(page).startswith(name):
            return
    raise AssertionError(f"{name!r} cannot be reached with Tab")


def test_everything_works_with_the_keyboard_alone(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy%2Cmaximal_leakage")
    settled(page)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the results"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    tab_to(page, "Differential privacy")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Maximal leakage")).to_be_checked()
    expect_headline(page, "of maximal leakage")
    assert focused(page) == "Maximal leakage"
    tab_to(page, "Point on the curve of maximal leakage")
    before = headline(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".headline")).not_to_have_text(before)
    tab_to(page, "Take it away")
    page.keyboard.press("Enter")
    tab_to(page, "Answer and proof")
    page.reload()
    settled(page)
    tab_to(page, "Probability of never")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("0.46")
    assert focused(page) == "Probability of never"
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("0.45")
    page.keyboard.press("Tab")
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("0.5")
    tab_to(page, "Scale to 1")
    page.keyboard.press("Enter")
    expect_headline(page, "no mechanism loses less than")
    tab_to(page, "Paste a list")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Use this list")).to_be_visible()


def test_the_focus_is_always_visible(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    for _ in range(25):
        page.keyboard.press("Tab")
        style = page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]; })()"
        )
        assert style[0] != "none", focused(page)
        assert float(style[1].removesuffix("px")) >= 1


# A window of 1280 at 200 % zoom is 640 wide; 320 is the least that a page must fit.
SIZES = [(320, 600), (360, 740), (640, 450)]


def test_no_view_is_wider_than_a_phone_or_a_zoomed_window(open_page: Opener) -> None:
    width, height = SIZES[0]
    page = open_page(viewport={"width": width, "height": height}, device_scale_factor=2, has_touch=True)
    for view, ready in VIEWS.items():
        page.get_by_role("link", name=view.capitalize()).click()
        page.wait_for_selector(ready)
        expect_no_overflow(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect_no_overflow(page)
            small = page.evaluate(
                """() => [
                    ...document.querySelectorAll("button, a, select, input:not([type=file]), summary, [role=slider]")
                ]
                .filter((e) => e.offsetParent !== null && !e.closest(".visually-hidden, .skip"))
                .filter((e) => !(e.labels?.length && ["checkbox", "radio"].includes(e.type)))
                .map((e) => [e.getBoundingClientRect().height, e.getAttribute("aria-label") ?? e.textContent])
                .filter(([height]) => height < 24)"""
            )
            assert small == [], (view, width)


def test_a_phone_can_choose_a_point_and_drag_a_bar(open_page: Opener) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    settled(page)
    unfold(page, "Data")
    page.get_by_role("slider", name="Probability of rarely").scroll_into_view_if_needed()
    box = page.get_by_role("slider", name="Probability of rarely").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + 0.6 * box["width"], box["y"] + 10)
    expect(page.get_by_label("Probability of rarely, as a number")).to_have_value(re.compile(r"^0\.(59|6|61)$"))
    settled(page)
    expect_no_overflow(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_and_light_follow_the_system_can_be_changed_and_have_enough_contrast(
    open_page: Opener, scheme: str
) -> None:
    page = open_page(color_scheme=scheme)
    other = "light" if scheme == "dark" else "dark"
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    check_contrast(page)
    page.get_by_role("button", name=f"Change to {other} colours").click()
    assert page.evaluate("document.documentElement.dataset.theme") == other
    check_contrast(page)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == other


def check_contrast(page: Page) -> None:
    """Check the colours of texts against what is behind them."""
    names = (
        "page",
        "card",
        "sunken",
        "ink",
        "ink-soft",
        "accent",
        "accent-ink",
        "accent-soft",
        "good",
        "good-soft",
        "warn",
        "warn-soft",
        "bad",
        "bad-soft",
        "heat",
    )
    tokens = page.evaluate(
        "(names) => { const style = getComputedStyle(document.documentElement);"
        "return Object.fromEntries(names.map((name) => [name, style.getPropertyValue('--' + name).trim()])); }",
        names,
    )
    pairs = [(ink, ground) for ink in ("ink", "ink-soft", "accent") for ground in ("page", "card", "sunken")]
    pairs += [
        ("accent-ink", "accent"),
        ("accent", "accent-soft"),
        ("good", "good-soft"),
        ("warn", "warn-soft"),
        ("bad", "bad-soft"),
        # Numbers in cells of every shade up to this one.
        ("ink", "heat"),
    ]
    poor = [
        (ink, ground, contrast(tokens[ink], tokens[ground]))
        for ink, ground in pairs
        if contrast(tokens[ink], tokens[ground]) < 4.5
    ]
    assert poor == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_every_view_stands_out(open_page: Opener, scheme: Literal["light", "dark"]) -> None:
    page = open_page()
    page.emulate_media(color_scheme=scheme)
    wait_until(page, "document.documentElement.dataset.theme === argument", scheme)
    settled(page)
    for view, ready in VIEWS.items():
        page.get_by_role("link", name=view.capitalize()).click()
        page.wait_for_selector(ready)
        if view == "release":
            page.get_by_role("button", name="Try it with an example").click()
            page.get_by_role("button", name="Start from the values in the table").click()
            page.get_by_role("checkbox", name="age").check()
            unfold(page, "The frequencies in your table")
            expect(page.locator(".frequency .expected").first).to_be_visible()
        assert poor_contrasts(page) == [], view


def test_nothing_moves_while_it_is_computed(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    page.evaluate(
        """() => {
            window.shifts = [];
            new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.shifts.push(
                [entry.value, ...entry.sources.map(({ node }) => node?.className ?? "")])))
                .observe({ type: "layout-shift" });
        }"""
    )
    page.get_by_role("slider", name="Probability of never").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("0.37")
    settled(page)
    shifts = page.evaluate("window.shifts")
    # Below 0.1 in all is what is called good.
    assert sum(shift[0] for shift in shifts) < 0.1, shifts


def test_a_screen_reader_hears_a_name_for_everything(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    assert page.evaluate("document.documentElement.lang") == "en"
    wait_until(page, "document.getElementById('announcer').textContent.length > 5")
    for view, ready in VIEWS.items():
        page.get_by_role("link", name=view.capitalize()).click()
        page.wait_for_selector(ready)
        if view == "convert":
            expect(page.locator("#announcer")).to_contain_text("What follows from the guarantee is shown")
        assert unnamed(page) == [], view
        assert page.locator("h1").count() == 1, view
        assert page.locator("main").count() == 1, view


def test_a_screen_reader_hears_the_answer(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    slider = page.get_by_role("slider", name="Point on the curve of differential privacy")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"distortion 0\.2\d*, least loss 2\.\d+ nats"))
    picture = page.get_by_role("img", name=re.compile("Least privacy loss against distortion"))
    expect(picture).to_have_count(1)
    page.get_by_label("Distortion, exactly").fill("1/3")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("At distortion 1/3")
    page.get_by_text("The curve as a table").click()
    expect(page.get_by_role("columnheader", name="At least")).to_have_count(1)


def test_curves_are_told_apart_without_colour_and_with_any_colour_vision() -> None:
    source = (Path(__file__).resolve().parents[2] / "src/epstar/web/static/js/palette.js").read_text(encoding="utf-8")
    dashes = re.search(r"DASHES = \[(.*?)\]", source)
    marks = re.search(r"MARKS = \[(.*?)\]", source)
    assert dashes is not None
    assert marks is not None
    assert len(set(dashes[1].split(", "))) == len(set(marks[1].split(", "))) == 7
    for palette, ground in (("LIGHT", "#ffffff"), ("DARK", "#181e27")):
        found = re.search(palette + r" = \[(.*?)\]", source)
        assert found is not None
        colours = re.findall(r"#[0-9a-f]{6}", found[1])
        assert len(colours) == 7
        assert all(contrast(colour, ground) >= 3 for colour in colours)
        for vision, matrix in VISIONS.items():
            seen = [perceived(colour, matrix) for colour in colours]
            gaps = [math.dist(a, b) for i, a in enumerate(seen) for b in seen[:i]]
            assert min(gaps) > 0.06, (palette, vision, min(gaps))


# How red, green and blue mix for people without one kind of cone (Machado, Oliveira and Fernandes 2009).
VISIONS = {
    "all cones": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """The ratio of contrast as the accessibility guidelines define it."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def perceived(colour: str, matrix: list[list[float]]) -> tuple[float, float, float]:
    """The colour in Oklab, as somebody with this vision sees it."""
    red, green, blue = (
        max(0.0, sum(weight * part for weight, part in zip(row, linear(colour), strict=True))) for row in matrix
    )
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )
