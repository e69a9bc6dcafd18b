"""Pictures of the explorer for README and the documentation: `python -m docs.screens`, with Chromium installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent / "screens"
_PICTURES: tuple[tuple[str, Literal["light", "dark"], str], ...] = (
    ("explorer.png", "light", ""),
    ("release.png", "light", "view=release"),
)
_PATIENCE = 300_000


def _shown(page: Page, name: str) -> None:
    """Wait until there is something to see."""
    if name == "release.png":
        page.get_by_role("button", name="Try it with an example").click()
        page.get_by_role("button", name="Start from the values in the table").click()
        page.wait_for_selector(".frequency .expected")
        page.get_by_role("button", name="Release the table").click()
        page.wait_for_selector(".downloads")
        page.locator("#precision-title").evaluate("(title) => title.scrollIntoView()")
    else:
        page.wait_for_selector(".checking.good")
        page.wait_for_selector(".plot .line")


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
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
