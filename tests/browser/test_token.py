"""The token in the browser: it opens the page, leaves the address bar, and stays where no script can read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.actions import PATIENCE_MS
from tests.browser.conftest import Opener
from tests.web.live import Served

from epstar.web.server import opening_page

pytestmark = pytest.mark.xdist_group("explorer")


def test_the_token_leaves_the_address_bar_and_the_rest_of_the_address_stays(open_page: Opener, served: Served) -> None:
    page = open_page("#notions=differential_privacy&at=1%2F4")
    assert page.url.startswith(f"{served.address}#")
    assert "at=1%2F4" in page.url
    assert page.evaluate("document.cookie") == ""
    assert str(served.token) not in page.content()
    kept = {cookie["name"]: cookie for cookie in page.context.cookies()}
    token = kept[f"epstar_token_{served.port}"]
    assert (token["value"], token["httpOnly"], token["sameSite"]) == (served.token, True, "Strict")
    page.reload()
    page.wait_for_selector(".headline")
    other = page.context.new_page()
    other.goto(f"{served.address}api.html")
    expect(other.locator(".opblock").first).to_be_visible()
    other.close()


def test_the_page_opens_from_the_file_that_leads_a_browser_there(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    """A file is another site, from which no strict cookie is sent: the page must open nevertheless, and open again."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(opening_page(tmp_path, served.page()).as_uri())
    page.wait_for_selector(".headline")
    assert page.url == served.address
    page.reload()
    page.wait_for_selector(".headline")
    context.close()


def test_without_the_token_the_page_says_what_to_do(browser: Browser, served: Served) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(served.address)
    expect(page.get_by_text("open the address that `epstar serve` printed")).to_be_visible()
    context.close()
