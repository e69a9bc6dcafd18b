"""Pictures of the explorer for README and the documentation: `python -m docs.screens`, with Chromium installed."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from epstar import Frontier

FOLDER = Path(__file__).parent / "screens"
_PICTURES: tuple[tuple[str, Literal["light", "dark"], str], ...] = (
    # The example of README.
    ("explorer.png", "light", "labels=never%2Csometimes%2Coften%2Calways&shares=0.4%2C0.3%2C0.2%2C0.1"),
    ("release.png", "light", "view=release"),
)
_PATIENCE = 300_000
_ANSWERS = {"never": 0.36, "rarely": 0.28, "sometimes": 0.18, "often": 0.12, "always": 0.06}
# The widget of a notebook, with a model that nobody changes.
_WIDGET = """
async ([script, style, state]) => {
    const sheet = document.createElement("style");
    sheet.textContent = style;
    document.head.append(sheet);
    const { default: widget } = await import(`data:text/javascript;base64,${script}`);
    const model = { get: (name) => state[name], on: () => undefined, off: () => undefined };
    widget.render({ model, el: document.querySelector("main") });
}
"""


def _shown(page: Page, name: str) -> None:
    """Wait until there is something to see."""
    if name == "release.png":
        page.get_by_role("button", name="Try it with an example").click()
        page.get_by_role("button", name="Start from the values in the table").click()
        page.get_by_text("The frequencies in your table").click()
        page.wait_for_selector(".frequency .expected")
        page.get_by_role("button", name="Release the table").click()
        page.wait_for_selector(".downloads")
        page.locator("#precision-title").evaluate("(title) => title.scrollIntoView()")
    else:
        page.wait_for_selector(".checking.good")
        page.wait_for_selector(".plot .line")


def _notebook(browser: Browser) -> None:
    """Take the picture of the explorer of a notebook."""
    explorer = Frontier("dp", _ANSWERS, "hamming").explore(distortion="1/5")
    page = browser.new_page(viewport={"width": 1020, "height": 560})
    page.set_content("<!doctype html><body style='font:15px sans-serif;margin:16px'><main></main>")
    state = {name: getattr(explorer, name) for name in ("labels", "notions", "question", "shown", "curve")}
    page.evaluate(_WIDGET, [base64.b64encode(explorer._esm.encode()).decode(), explorer._css, state])
    page.screenshot(path=FOLDER / "notebook.png")


def main() -> None:
    """Start a server, open it, and take the pictures."""
    command = [sys.executable, "-m", "epstar", "serve", "--port", "0", "--no-browser", "--no-token", "--json"]
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name, scheme, state in _PICTURES:
            page = browser.new_page(viewport={"width": 1440, "height": 1000}, color_scheme=scheme)
            page.set_default_timeout(_PATIENCE)
            page.goto(f"{address}#{state}")
            _shown(page, name)
            page.screenshot(path=FOLDER / name)
        _notebook(browser)
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
