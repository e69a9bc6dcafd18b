"""Every flow without a mouse: files, releases, conversions, audits and theorems, by Tab, arrows, Enter and typing."""

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Opener
from tests.browser.test_access import tab_to

pytestmark = pytest.mark.xdist_group("explorer")


def turn_to(page: Page, view: str, ready: str) -> None:
    """Follow the link to a view."""
    page.evaluate("document.activeElement?.blur()")
    tab_to(page, view)
    page.keyboard.press("Enter")
    page.wait_for_selector(ready)


def test_a_table_is_released_by_the_keyboard(open_page: Opener) -> None:
    page = open_page()
    turn_to(page, "Release", ".drop")
    for name in ("Try it with an example", "Start from the values in the table"):
        tab_to(page, name)
        page.keyboard.press("Enter")
    tab_to(page, "Privacy loss ε in nats")
    page.keyboard.press("Control+a")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("at most 73.2 %").first).to_be_visible()
    tab_to(page, "age")
    page.keyboard.press("Space")
    expect(page.get_by_text("age will be released exactly as in your table")).to_be_visible()
    tab_to(page, "Release the table")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1,000 rows were released.")).to_be_visible()
    tab_to(page, "Released table")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith(".csv")


def test_guarantees_mechanisms_and_theorems_are_reached_by_the_keyboard(open_page: Opener) -> None:
    page = open_page()
    turn_to(page, "Convert", "#follows-title")
    tab_to(page, "Loss in nats")
    page.keyboard.press("Control+a")
    page.keyboard.type("ln(3)")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="Differential privacy").first).to_contain_text("ln 3")
    turn_to(page, "Audit", ".heat")
    tab_to(page, "A row of probabilities")
    page.keyboard.press("Control+a")
    page.keyboard.type("2/3 1/3\n1/3 2/3")
    tab_to(page, "Audit")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="Differential privacy").first).to_contain_text("ln 2")
    turn_to(page, "Theorems", ".theorem")
    tab_to(page, "Words")
    page.keyboard.type("quasi-convex")
    page.keyboard.press("Enter")
    expect(page.get_by_text("616 of 616 claims")).to_have_count(0)
    tab_to(page, "Details")
    page.keyboard.press("Enter")
    expect(page.locator(".theorem").first).to_contain_text("Place")


def test_a_problem_file_is_written_by_the_keyboard(open_page: Opener) -> None:
    page = open_page()
    tab_to(page, "What is protected")
    page.keyboard.press("End")
    expect(page.get_by_label("The problem in JSON")).to_be_visible()
    tab_to(page, "The problem in JSON")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(
        '{"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]},'
        ' "distortion": {"name": "hamming"}, "at": {"distortion": "1/4"}}'
    )
    page.keyboard.press("Tab")
    expect(page.locator(".headline")).to_contain_text("no mechanism loses less than ln(3/2)")
