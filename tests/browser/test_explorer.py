"""The explorer in a real browser: what it opens with, dragging, clicking, typing, choosing, sharing."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Response, expect
from tests.browser.actions import (
    complete,
    curves,
    expect_address,
    expect_headline,
    headline,
    place_of,
    settled,
    wait_until,
)
from tests.browser.conftest import Opener

from epstar.answer_file import read_evidence
from epstar.mechanism import AnyMechanism
from epstar.web.asked import Question
from epstar.web.opening import OPENING

pytestmark = pytest.mark.xdist_group("explorer")

SMALL = "#labels=a%2Cb%2Cc&weights=5%2C3%2C2&notions=differential_privacy%2Cmaximal_leakage"


def test_the_page_opens_with_a_finished_example(open_page: Opener) -> None:
    asked: list[tuple[str, Any]] = []
    page = open_page(
        on_request=lambda request: (
            asked.append((urlsplit(request.url).path, request.post_data_json)) if request.method == "POST" else None
        ),
    )
    settled(page)
    expect_headline(page, "At distortion 1/5 no mechanism loses less than ln 16 ≈ 2.7726 nats of differential privacy")
    assert page.locator(".heat tbody tr").count() == 5
    assert page.locator(".heat tbody td").first.inner_text() == ".800"
    expect(page.get_by_text("✓ The proof holds")).to_be_visible()
    assert page.locator("table.stacked tbody tr").count() == 12
    expect(
        page.get_by_text("The output “never” is 16 times as likely for the input “never” as for “rarely”.")
    ).to_be_visible()
    assert len(curves(page)) == 3
    expect(page.get_by_text("△ geometric")).to_be_visible()
    # What it asks is what the server computes beforehand, so that it opens at once.
    prepared = {(f"/api/{task}", json.dumps(document, sort_keys=True)) for task, document in OPENING}
    first = {
        (path, json.dumps(body, sort_keys=True)) for path, body in asked if path not in ("/api/audit", "/api/check")
    }
    assert first == prepared


def test_curves_show_bands_breakpoints_jumps_and_baselines(open_page: Opener) -> None:
    page = open_page()
    complete(page)
    traces = page.evaluate(
        "document.querySelector('.chart').data"
        ".map((t) => ({ fill: t.fill, symbol: t.marker?.symbol, text: t.text, y: t.y }))"
    )
    assert sum(trace.get("fill") == "tonexty" for trace in traces) == 3
    jumps = [trace for trace in traces if "Jump at 16/25" in str((trace.get("text") or [""])[0])]
    assert len(jumps) == 1
    assert jumps[0]["y"] == pytest.approx([0.2513144, 0.0], abs=1e-6)
    assert {"x-thin-open", "triangle-up-open", "square-open"} <= {str(trace.get("symbol")) for trace in traces}
    page.get_by_label("Compare with the usual mechanisms").uncheck()
    wait_until(page, "!document.querySelector('.chart').data.some((t) => t.marker?.symbol === 'square-open')")


def test_dragging_a_bar_changes_the_prior_and_the_answer(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    before = headline(page)
    box = page.get_by_role("slider", name="Probability of never").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.36 * box["width"], box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 10, steps=4)
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 10, steps=4)
    page.mouse.up()
    expect(page.get_by_label("Probability of never, as a number")).to_have_value(re.compile(r"^0\.(6[89]|7[012]?)\d*$"))
    values = [
        Fraction(value) for value in page.locator(".bar input.value").evaluate_all("all => all.map((i) => i.value)")
    ]
    assert values[0] == pytest.approx(Fraction(7, 10), abs=0.02)
    assert sum(values) == 1
    expect(page.locator(".headline")).not_to_have_text(before)
    expect_address(page, "weights=7")


def test_a_point_is_chosen_by_clicking_it_or_by_typing_its_distortion(open_page: Opener) -> None:
    page = open_page()
    complete(page)
    leakage = curves(page)[1]
    index = next(i for i, x in enumerate(leakage["x"]) if x == pytest.approx(0.32))
    page.mouse.click(*place_of(page, leakage["x"][index], leakage["y"][index]))
    expect_headline(page, "At distortion 8/25 no mechanism loses less than")
    expect_headline(page, "of maximal leakage")
    expect(page.get_by_role("radio", name="Maximal leakage")).to_be_checked()
    expect_address(page, "at=8%2F25")
    page.get_by_label("Distortion, exactly").fill("3/10")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect_headline(page, "At distortion 3/10")
    page.get_by_label("Distortion, exactly").fill("a lot")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect(page.get_by_label("Distortion, exactly")).to_have_attribute("aria-invalid", "true")


def test_counts_are_pasted_and_stay_on_the_machine(open_page: Opener) -> None:
    page = open_page(expects_refusals=True)
    page.get_by_text("Paste counts (CSV)").click()
    box = page.get_by_label("A name and a count on each line")
    box.fill("colour,count\nred,many")
    page.get_by_role("button", name="Use these counts").click()
    expect(page.get_by_text("The line of “red” has no whole number as its count")).to_be_visible()
    # Without headings the first line counts, and is not left out because its number is written in another way.
    box.fill('pink,"1,000"\ngreen,20\nblue,10\n')
    page.get_by_role("button", name="Use these counts").click()
    expect(page.get_by_text("The line of “pink” has no whole number as its count")).to_be_visible()
    box.fill('colour,count\n"red, dark",70\ngreen,20\nblue,10\n')
    page.get_by_role("button", name="Use these counts").click()
    expect_headline(page, "At distortion 1/5")
    expect(page.locator(".bar")).to_have_count(3)
    expect(page.get_by_label("Name of letter 1")).to_have_value("red, dark")
    page.get_by_label("What is known of their law").select_option("counts")
    expect(page.get_by_label("Count of green")).to_have_value("20")
    expect(page.locator(".reach").first).to_be_visible()
    expect_headline(page, "At distortion 1/5")


@pytest.mark.parametrize(
    ("kind", "label", "value"),
    [
        ("box", "Margin of each probability", "0.02"),
        ("ball", "Total margin (L1 distance)", "1/20"),
        ("hull", "Priors, one on each line", "2/5, 1/5, 1/5, 1/10, 1/10\n0.36 0.28 0.18 0.12 0.06"),
        ("everything", None, None),
    ],
)
def test_source_sets(open_page: Opener, kind: str, label: str | None, value: str | None) -> None:
    page = open_page("#notions=differential_privacy%2Cmaximal_leakage")
    settled(page)
    asked = {"box": "17/50", "ball": "1/20", "hull": "2/5", "everything": "everything"}[kind]

    def is_asked(response: Response) -> bool:
        return "/api/solve" in response.url and asked in str(response.request.post_data)

    with page.expect_response(is_asked):
        page.get_by_label("What is known of their law").select_option(kind)
        if label is not None and value is not None:
            page.get_by_label(label).fill(value)
            page.get_by_label(label).blur()
    settled(page)
    assert len(curves(page)) == 2
    assert page.locator(".notice").count() == 0


def test_notions_costs_and_gains_can_be_chosen(open_page: Opener) -> None:
    page = open_page(SMALL, expects_refusals=True)
    page.get_by_role("checkbox", name="Maximal leakage", exact=True).uncheck()
    page.get_by_role("checkbox", name="Approximate differential privacy").check()
    page.get_by_label("Slack δ").fill("1/20")
    page.get_by_label("Slack δ").blur()
    expect(page.get_by_role("radio", name="Approximate differential privacy (δ = 1/20)")).to_be_visible()
    page.get_by_label("Cost of a wrong answer").select_option("gain")
    expect(page.get_by_label("Utility, exactly")).to_be_visible()
    page.get_by_label("Utility, exactly").fill("4/5")
    page.get_by_label("Utility, exactly").press("Enter")
    expect_headline(page, "At utility 4/5 no mechanism loses less than")
    page.get_by_label("A row for each input, a column for each output").fill("1, 2")
    page.get_by_label("A row for each input, a column for each output").blur()
    expect(page.locator(".notice").first).to_be_visible()


def test_a_query_is_answered_on_its_graph(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy", expects_refusals=True)
    page.get_by_label("What is to be protected").select_option("query")
    page.get_by_label("Individuals").fill("4")
    page.get_by_label("Individuals").blur()
    wait_until(page, "document.querySelectorAll('.bar').length === 5")
    page.get_by_label("Distortion, exactly").fill("1/2")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect_headline(page, "At distortion 1/2")
    expect(page.get_by_text("Leaked about one individual")).to_be_visible()
    expect(page.locator(".heat tbody tr")).to_have_count(5)
    page.get_by_label("Individuals").fill("9999")
    page.get_by_label("Individuals").blur()
    expect(page.get_by_text("The page takes at most 64 inputs")).to_be_visible()


def test_a_view_can_be_shared_by_its_address(open_page: Opener) -> None:
    page = open_page()
    page.get_by_role("checkbox", name="Mutual information", exact=True).uncheck()
    page.get_by_role("button", name="Remove always").click()
    page.get_by_label("Distortion, exactly").fill("1/4")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect_headline(page, "At distortion 1/4")
    # The answer before the letter was removed has five rows.
    expect(page.locator(".heat tbody tr")).to_have_count(4)
    settled(page)
    expect_address(page, "at=1%2F4")
    other = open_page(page.evaluate("location.hash"))
    settled(other)
    assert headline(other) == headline(page)
    assert other.locator(".bar").count() == 4
    assert len(curves(other)) == 2
    damaged = open_page(
        "#labels=a,b&weights=1,x&focus=99&view=nowhere&notions=&nothing=1&source=%25", is_ready="#curves-title"
    )
    expect(damaged.get_by_text("Choose at least one notion")).to_be_visible()


def test_everything_can_be_taken_away(open_page: Opener, downloads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = open_page()
    settled(page)
    taken = {}
    digests = set()
    for button in page.locator(".downloads button").all():
        with page.expect_download() as waiting:
            button.click()
        name = str(button.get_attribute("data-file"))
        waiting.value.save_as(downloads / name)
        assert waiting.value.suggested_filename == name
        digest = re.search(r"[-_]([0-9a-f]{8})\.", name)
        assert digest is not None
        digests.add(digest[1])
        taken[name.replace(digest[0], ".")] = (downloads / name).read_bytes()
    assert list(taken) == [
        "answer.json",
        "proof.json",
        "mechanism.json",
        "mechanism.csv",
        "column.release.json",
        "trade-off.svg",
        "trade-off.png",
        "same_answer.py",
    ]
    # All are about one question, and are named by it.
    asked = next(document for task, document in OPENING if task == "solve")
    assert digests == {Question.read("solve", json.dumps(asked)).digest[:8]}
    assert page.get_by_text(f"epstar check answer-{digests.pop()}.json").count() == 1
    assert str(read_evidence(json.loads(taken["proof.json"])).check().upper) == "log(16)"
    assert AnyMechanism.from_json(json.loads(taken["mechanism.json"])).shape == (5, 5)
    assert taken["mechanism.csv"].decode().splitlines()[1].startswith("never,0.8,")
    assert json.loads(taken["column.release.json"])["schema"] == "epstar/release/1"
    assert b"<svg" in taken["trade-off.svg"]
    assert taken["trade-off.png"].startswith(b"\x89PNG")
    exec(compile(taken["same_answer.py"], "same_answer.py", "exec"), {})
    assert re.match(r"2\.77258\d+ 2\.77258\d+ proven", capsys.readouterr().out)


def test_a_long_computation_shows_progress_and_can_be_cancelled(open_page: Opener) -> None:
    letters = "%2C".join(f"x{i}" for i in range(12))
    weights = "%2C".join(str(i + 1) for i in range(12))
    asked = "source=ball%2C0.1%2C0.95%2Cbox%2C&cost=squared%2C&notions=local_information_privacy&at=2"
    page = open_page(f"#labels={letters}&weights={weights}&{asked}", is_ready=None)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The computation was cancelled")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()


def test_a_refusal_is_shown_as_it_is_said(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy", expects_refusals=True)
    settled(page)
    for letter in range(2):
        page.get_by_role("button", name="Add a letter").click()
        expect(page.locator(".bar")).to_have_count(6 + letter)
    page.get_by_label("What is known of their law").select_option("hull")
    page.get_by_label("Priors, one on each line").fill("1/2 1/2")
    page.get_by_label("Priors, one on each line").blur()
    expect(page.locator(".notice").first).to_contain_text("The source speaks about 2 inputs and the universe has 7")
    page.get_by_label("Priors, one on each line").fill("one half")
    page.get_by_label("Priors, one on each line").blur()
    expect(page.locator(".notice").first).to_contain_text("“one”, which is no number")
