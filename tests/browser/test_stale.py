"""No answer stands beside a question that it does not answer: it goes at once, and one that comes late is dropped."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.actions import curves, expect_headline, held, settled, unfold, until_asked, wait_until
from tests.browser.conftest import Opener
from tests.web.live import ASKED

from epstar.answer_file import write_answer
from epstar.frontier import Frontier
from epstar.problem_file import read_problem

pytestmark = pytest.mark.xdist_group("explorer")

TWO = "#notions=differential_privacy%2Cmaximal_leakage"
CLAIMS = re.compile(r"proven|holds|no mechanism loses less|times as likely|bits on average")


def check_nothing_is_claimed(page: Page) -> None:
    """Check that no claim is in sight or can be taken away, without waiting for it to go."""
    assert page.locator(".badge.good, .headline, .heat, .downloads, table.stacked").count() == 0
    assert page.locator("main button[data-file]:not([disabled])").count() == 0
    assert CLAIMS.search(page.locator("main").inner_text()) is None


def test_while_a_slow_question_computes_nothing_of_the_last_answer_is_shown(open_page: Opener) -> None:
    page = open_page(TWO)
    settled(page)
    expect_headline(page, "ln 16")
    unfold(page, "Cost of a wrong answer")
    with held(page, "(solve|curve|ends)", "squared") as kept:
        page.get_by_label("Cost of a wrong answer").select_option("squared")
        # At once, before anything is even asked.
        check_nothing_is_claimed(page)
        assert page.locator("section[aria-busy=true]").count() == 2
        until_asked(page, kept, 1)
        check_nothing_is_claimed(page)
        expect(page.locator(".answer")).to_contain_text("Computing …")
        expect(page.get_by_text("Computing 2 curves for 5 inputs")).to_be_visible()
        assert curves(page) == []
        assert "least loss" not in str(page.locator("#chooser").get_attribute("aria-valuetext"))
    settled(page)
    expect_headline(page, "no mechanism loses less than")
    assert page.locator("main button[data-file]").count() == 8


CHANGES = {
    "a category less": "document.querySelector('.bar button.icon').click()",
    "another curve": "document.querySelector('[role=radio][aria-checked=false]').click()",
    "another point": "const c = document.getElementById('chooser'); c.value = '7'; c.dispatchEvent(new Event('input'))",
    "another prior": "document.querySelector('.track').dispatchEvent(new KeyboardEvent('keydown', {key: 'PageUp'}))",
    "another address": "location.hash = 'at=1%2F3'; dispatchEvent(new HashChangeEvent('hashchange'))",
}


def test_every_change_of_the_question_takes_the_answer_away_in_the_same_moment(open_page: Opener) -> None:
    page = open_page(TWO)
    settled(page)
    for name, change in CHANGES.items():
        claimed = "document.querySelectorAll('.headline, .badge.good, button[data-file]').length"
        left = page.evaluate(f"() => {{ {change}; return {claimed}; }}")
        assert left == 0, name
        settled(page)
        assert page.locator(".headline").count() == 1, name


def test_a_point_that_is_chosen_before_the_middle_is_known_stays(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    unfold(page, "Cost of a wrong answer")
    with held(page, "ends") as kept:
        page.get_by_label("Cost of a wrong answer").select_option("absolute")
        until_asked(page, kept)
        page.get_by_label("Distortion, exactly").fill("1/4")
        page.get_by_label("Distortion, exactly").press("Enter")
        expect_headline(page, "At distortion 1/4")
    settled(page)
    expect_headline(page, "At distortion 1/4")


def test_what_is_being_typed_is_another_question_already(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    field = page.get_by_label("Distortion, exactly")
    field.press_sequentially("9")
    check_nothing_is_claimed(page)
    expect(page.get_by_text("You are changing the question")).to_be_visible()
    field.press("Backspace")
    field.blur()
    # As it was before: so is the answer.
    expect_headline(page, "At distortion 1/5 no mechanism loses less than ln 16")
    field.fill("abc")
    field.press("Enter")
    expect(page.get_by_text("“abc” is not a number; write the distortion as 0.2 or 1/5.")).to_be_visible()
    check_nothing_is_claimed(page)
    field.fill("1/4")
    field.press("Enter")
    expect_headline(page, "At distortion 1/4 no mechanism loses less than")
    name = page.get_by_label("Probability of never, as a number")
    name.fill("1.5")
    check_nothing_is_claimed(page)
    assert page.locator("#chooser").is_disabled()
    name.press("Enter")
    page.wait_for_timeout(500)
    check_nothing_is_claimed(page)
    name.blur()
    expect_headline(page, "At distortion 1/4 no mechanism loses less than")
    expect(name).to_have_value("0.36")


def test_a_query_that_is_being_looked_up_is_another_question_already(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy")
    page.get_by_label("What is protected").select_option("query")
    wait_until(page, "document.querySelectorAll('.bar').length === 6")
    settled(page)
    with held(page, "query") as kept:
        page.get_by_label("Individuals").fill("4")
        page.get_by_label("Individuals").blur()
        until_asked(page, kept)
        page.wait_for_timeout(500)
        check_nothing_is_claimed(page)
    expect(page.locator(".heat tbody tr")).to_have_count(5)


def test_an_answer_that_comes_late_for_an_older_question_is_dropped(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    with held(page, "solve", '"1/3"') as kept:
        page.get_by_label("Distortion, exactly").fill("1/3")
        page.get_by_label("Distortion, exactly").press("Enter")
        until_asked(page, kept)
        page.get_by_label("Distortion, exactly").fill("1/4")
        page.get_by_label("Distortion, exactly").press("Enter")
        expect_headline(page, "At distortion 1/4")
    page.wait_for_timeout(500)
    expect_headline(page, "At distortion 1/4")
    assert page.locator(".headline").count() == 1


def test_a_file_that_is_ready_too_late_is_not_handed_out(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    taken: list[str] = []
    page.on("download", lambda download: taken.append(download.suggested_filename))
    unfold(page, "Take it away")
    with held(page, "release") as kept:
        page.get_by_role("button", name="Release file").click()
        until_asked(page, kept)
        page.get_by_label("Distortion, exactly").fill("1/4")
        page.get_by_label("Distortion, exactly").press("Enter")
        expect_headline(page, "At distortion 1/4")
    page.wait_for_timeout(500)
    assert taken == []


def test_an_audit_is_gone_when_something_else_is_written(open_page: Opener) -> None:
    page = open_page("#view=audit", is_ready=".heat")
    box = page.get_by_label("A row of probabilities for each input")
    box.press_sequentially(" ")
    check_nothing_is_claimed(page)
    expect(page.get_by_text("Press Audit to see what is found about it.")).to_be_visible()
    with held(page, "(audit|check)") as kept:
        box.fill(json.dumps(write_answer(Frontier.answer(read_problem(ASKED)))))
        page.get_by_role("button", name="Audit", exact=True).click()
        until_asked(page, kept)
        check_nothing_is_claimed(page)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("The audit was cancelled.")).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        box.fill("1/2, 1/2\n1/4, 3/4")
        check_nothing_is_claimed(page)
    page.wait_for_timeout(500)
    # What was asked before comes, and is about something that is written no more.
    check_nothing_is_claimed(page)
    page.get_by_role("button", name="Audit", exact=True).click()
    expect(page.locator(".heat tbody tr")).to_have_count(2)
    page.get_by_label("Use the frequencies from Explore").check()
    check_nothing_is_claimed(page)


def test_what_follows_is_gone_when_the_guarantee_changes(open_page: Opener) -> None:
    page = open_page("#view=convert", is_ready="#follows-title")
    expect(page.get_by_text("tight").first).to_be_visible()
    loss = page.get_by_label("Loss in nats")
    loss.press_sequentially("7")
    assert page.locator("section .badge.good, section td.number").count() == 0
    expect(page.get_by_text("You are changing the guarantee")).to_be_visible()
    with held(page, "convert") as kept:
        loss.press("Enter")
        until_asked(page, kept)
        assert page.locator("section .badge.good, section td.number").count() == 0
        loss.fill("2")
        loss.press("Enter")
        until_asked(page, kept, 26)
    expect(page.get_by_role("row", name="Differential privacy", exact=False).first).to_contain_text("2")
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("button", name="Remove always").click()
    page.get_by_role("link", name="Convert").click()
    expect(page.get_by_text("For 4 inputs")).to_be_visible()
