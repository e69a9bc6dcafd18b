"""Whatever a problem file can say, the page can say: files of every kind go into its editor and back, unchanged."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Response, Route, expect
from tests.browser.actions import PATIENCE_MS, expect_headline, unfold, wait_until
from tests.browser.conftest import Opener
from tests.web.problem_kinds import KINDS, PLAIN, ROWS, UNIVERSES, text_of

from epstar.frontier import Frontier
from epstar.json_document import parse_json
from epstar.problem_file import read_problem, write_problem

pytestmark = pytest.mark.xdist_group("explorer")
BOX = "The problem in JSON"


def texts() -> dict[str, str]:
    """Problem files by their names: those of every kind, and those in the files that EPSTAR_PROBLEMS lists."""
    found = {name: text_of(problem) for name, problem in KINDS.items()}
    for path in filter(None, os.environ.get("EPSTAR_PROBLEMS", "").split(":")):
        listed = json.loads(Path(path).read_text(encoding="utf-8"))
        found |= {f"{Path(path).name} {i}": json.dumps(entry["problem"]) for i, entry in enumerate(listed)}
    return found


def is_solve(response: Response) -> bool:
    return "/api/solve" in response.url


def plain(document: object) -> object:
    """A document with its decimals as texts, so that 0.50 and 0.5 differ."""
    return json.loads(json.dumps(document, default=str))


def expected(text: str) -> tuple[object, object]:
    """What a file says: its entries as they are written, and the question at its point, or at the middle of many."""
    file = parse_json(text)
    assert isinstance(file, dict)
    if "curve" in file["at"]:
        file["at"] = {"distortion": file["at"]["curve"][len(file["at"]["curve"]) // 2]}
    return said(file)


def said(document: dict[str, Any]) -> tuple[object, object]:
    """The entries of a question as they are written, except for the point and the notion; and all that it means."""
    entries = {key: value for key, value in document.items() if key not in ("at", "notion")}
    return plain(entries), write_problem(read_problem(document))


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)], ids=["some", "all"])
def test_every_problem_file_goes_into_the_editor_and_back_unchanged(every: int, open_page: Opener) -> None:
    asked: list[str] = []
    page = open_page(
        expects_refusals=True,
        on_request=lambda request: asked.append(str(request.post_data)) if "/api/solve" in request.url else None,
    )
    page.get_by_label("What is protected").select_option("file")

    def refuse(route: Route) -> None:
        # What is asked is looked at, and need not be answered here.
        route.fulfill(status=422, json={"error": "Not now."})

    def check_asked(name: str, text: str) -> None:
        for _ in range(PATIENCE_MS // 20):
            if any(said(parsed) == expected(text) for one in asked if isinstance(parsed := parse_json(one), dict)):
                break
            page.wait_for_timeout(20)
        else:
            raise AssertionError(f"{name}: the page asks {asked[-1:]}, and the file says {text}")
        assert page.get_by_label(BOX).input_value() == text, name
        asked.clear()

    page.route("**/api/*?*", refuse)
    for place, (name, text) in enumerate([*texts().items()][::every]):
        page.get_by_label(BOX).fill(text)
        page.get_by_label(BOX).blur()
        check_asked(name, text)
        if place % 30 == 0:
            # The address holds it, too.
            wait_until(page, "decodeURIComponent(location.hash.replaceAll('+', ' ')).includes(argument)", text)
            asked.clear()
            page.reload()
            check_asked(name, text)


def test_every_universe_and_all_rows_are_answered_in_the_page(open_page: Opener) -> None:
    page = open_page()
    page.get_by_label("What is protected").select_option("file")
    universes = [{**PLAIN, **inputs} for inputs in UNIVERSES.values()]
    rows = [problem for name, problem in KINDS.items() if name.startswith("rows ")]
    assert len(rows) == len(ROWS)
    for number, problem in enumerate([*universes, *rows]):
        # A point of its own, so that each is a question of its own.
        asked: dict[str, Any] = {**problem, "at": {"distortion": f"{400 + number}/1000"}}
        place = asked["at"]["distortion"]

        def is_asked(response: Response, place: str = place) -> bool:
            return is_solve(response) and place in str(response.request.post_data)

        with page.expect_response(is_asked):
            page.get_by_label(BOX).fill(text_of(asked))
            page.get_by_label(BOX).blur()
        expect_headline(page, "no mechanism loses less than")
        expect(page.locator(".answer .notice")).to_have_count(0)
        answer = Frontier.answer(read_problem(parse_json(text_of(asked))))
        shown = page.locator(".headline strong").get_attribute("title")
        ends = re.fullmatch(r"At least (\S+), at most (\S+)", str(shown))
        assert ends is not None
        assert (float(ends[1]), float(ends[2])) == (answer.lower, answer.upper)


def test_rows_that_differ_are_asked_for_in_the_form(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy")
    page.get_by_label("What is protected").select_option("databases")
    expect_headline(page, "no mechanism loses less than")
    unfold(page, "What is known about the frequencies")
    page.get_by_label("What is known about the frequencies").select_option("everything")
    with page.expect_response(lambda response: is_solve(response) and '"iid":false' in str(response.request.post_data)):
        page.get_by_label("Each row may have frequencies of its own").check()
    expect_headline(page, "no mechanism loses less than")
    wait_until(page, "/universe=databases[^&]*1(&|$)/.test(location.hash)")
    page.reload()
    expect_headline(page, "no mechanism loses less than")
    unfold(page, "What is known about the frequencies")
    expect(page.get_by_label("Each row may have frequencies of its own")).to_be_checked()


def test_a_file_that_is_too_long_or_broken_is_answered_by_a_sentence(open_page: Opener) -> None:
    page = open_page(expects_refusals=True)
    page.get_by_label("What is protected").select_option("file")
    notice = page.locator(".answer .notice")
    for text, sentence in (
        (text_of(PLAIN) + " " * 400_000, "characters, and the page takes 400,000; use `epstar solve` for it"),
        ("[1, 2]", "A problem file is one JSON object in braces"),
        (text_of({**PLAIN, "universe": [], "source": {"box": None}}), "The universe must be a JSON object in braces"),
        (text_of({**PLAIN, "source": 3}), "The source must be a JSON object in braces"),
        ('{"notion": {"name": "differential_privacy"}, "source": {"prior": [1]}}', "has no distortion; add it"),
        ("{", "The problem file is not JSON"),
    ):
        # What follows each other quickly is undone together.
        page.wait_for_timeout(400)
        page.get_by_label(BOX).evaluate("(box, text) => { box.value = text; }", text)
        page.get_by_label(BOX).dispatch_event("change")
        expect(notice).to_contain_text(sentence)
    page.get_by_role("button", name="Undo").click()
    expect(notice).to_contain_text("has no distortion; add it")
