"""A real Chromium, a running server, and pages that keep the rules while they are used."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright
from tests.browser.actions import PATIENCE_MS
from tests.web.live import Served

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Reports what the content security policy stopped.
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""
USUAL: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "accept_downloads": True}
Opener = Callable[..., Page]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, which must be there: these tests are never left out."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        pytest.fail("There is no Chromium to test the page in; install it: apt-get install chromium.", pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE_MS)
        yield started
        started.close()


def context_of(browser: Browser, **options: Any) -> BrowserContext:
    """A visitor: cookies, a window and colours of their own."""
    context = browser.new_context(**{**USUAL, **options})
    context.add_init_script(WATCH)
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture(scope="session")
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """The visitor of all tests that ask for no other: what one of them was answered is remembered for the next."""
    context = context_of(browser)
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, visitor: BrowserContext, served: Served) -> Iterator[Opener]:
    """Open the page, with options as a new visitor; at the end nothing may have gone wrong behind the scenes."""
    others: list[BrowserContext] = []
    problems: list[str] = []
    pages: list[Page] = []

    def opened(
        path: str = "",
        *,
        is_ready: str | None = ".headline",
        expects_refusals: bool = False,
        on_request: Callable[[Request], None] = lambda request: None,
        **options: Any,
    ) -> Page:
        context = context_of(browser, **options) if options else visitor
        if options:
            others.append(context)
        page = context.new_page()
        pages.append(page)
        page.on("console", lambda message: _check_message(message, expects_refusals, problems))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: _check_host(request.url, served.address, problems))
        page.on("request", on_request)
        page.goto(served.page(path))
        if is_ready is not None:
            page.wait_for_selector(is_ready)
        return page

    yield opened
    for page in pages:
        problems += page.evaluate("window.violations")
        # Leaving the page cancels what it still waits for.
        page.goto("about:blank")
        page.close()
    for context in others:
        context.close()
    assert problems == []


def _check_message(message: ConsoleMessage, expects_refusals: bool, problems: list[str]) -> None:
    # The browser itself reports a refused request.
    if message.type in ("error", "warning") and not (expects_refusals and "status of 422" in message.text):
        problems.append(message.text)


def _check_host(url: str, address: str, problems: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("about", "data", "blob") and parts.netloc != urlsplit(address).netloc:
        problems.append(f"a request to another host: {url}")


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """Where downloads are kept."""
    return tmp_path
