"""The explorer in a real browser: what it opens with, dragging, clicking, typing, choosing, sharing."""

import json
import re
from fractions import Fraction
from itertools import pairwise
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
    unfold,
    wait_until,
)
from tests.browser.conftest import Opener

from epstar.mechanism import AnyMechanism
from epstar.release import read_release
from epstar.statement import established
from epstar.web.preload import OPENING
from epstar.web.question import Question

pytestmark = pytest.mark.xdist_group("explorer")

THREE = "#notions=differential_privacy%2Cmaximal_leakage%2Cmutual_information"
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
    expect(page.locator(".badges").get_by_text("✓ The proof holds")).to_be_visible()
    # The distortion and the risk in words, and as a picture.
    expect(page.locator(".meaning")).to_have_text("On average at most 20 % of the released values are wrong.")
    expect(page.locator(".risk")).to_contain_text("guesses right with probability at most 94.2 % instead of 50 %")
    expect(page.get_by_role("img", name="A guess between two values")).to_contain_text("at most 94.2 %")
    assert page.locator("table.stacked tbody tr").count() == 12
    unfold(page, "What this mechanism loses by every measure")
    expect(
        page.get_by_text("The output “never” is 16 times as likely for the input “never” as for “rarely”.")
    ).to_be_visible()
    assert len(curves(page)) == 1
    # What it asks is what the server computes beforehand, so that it opens at once.
    prepared = {(f"/api/{task}", json.dumps(document, sort_keys=True)) for task, document in OPENING}
    first = {
        (path, json.dumps(body, sort_keys=True)) for path, body in asked if path not in ("/api/audit", "/api/check")
    }
    assert first == prepared


def test_curves_show_bands_breakpoints_jumps_and_baselines(open_page: Opener) -> None:
    page = open_page(THREE)
    complete(page)
    assert page.locator(".plot .band").count() == page.locator(".plot .line").count() == 3
    drawn = page.evaluate("document.querySelector('.chart').chart.content")
    (jump,) = (point for point in drawn["breakpoints"] if point["kind"] == "jump")
    assert (jump["title"], jump["distortion"]) == ("Differential privacy", "16/25")
    assert [jump["left"]["upper"], jump["right"]["upper"]] == pytest.approx([0.2513144, 0.0], abs=1e-6)
    # Its two ends are drawn apart, and no line leads from one to the other.
    assert page.locator(".plot .open").count() == page.locator(".plot .jump").count() == 1
    # Only the loss of differential privacy has no bound at distortion 0, where the arrow stands.
    expect(page.locator(".plot .endless")).to_have_count(1)
    assert page.locator(".plot .endless title").text_content() == "No mechanism limits the loss at 0"
    heights = page.evaluate(
        "[...document.querySelectorAll('.plot .line')].map((l) => l.getAttribute('points').split(' ')"
        ".map((p) => p.split(',').map(Number)))"
    )
    for line in heights:
        assert all(b[0] > a[0] + 0.01 or abs(b[1] - a[1]) < 0.5 for a, b in pairwise(line))
    page.get_by_label("Compare with the usual mechanisms").check()
    expect(page.get_by_text("△ geometric")).to_be_visible()
    assert page.locator(".plot .baseline").count() > 12
    page.get_by_label("Compare with the usual mechanisms").uncheck()
    expect(page.locator(".plot .baseline")).to_have_count(0)


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
    expect_address(page, "shares=0.7")


def test_a_point_is_chosen_by_clicking_it_or_by_typing_its_distortion(open_page: Opener) -> None:
    page = open_page(THREE)
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
    unfold(page, "Paste a list")
    box = page.get_by_label("A name and a probability or count on each line")
    box.fill("colour,count\nred,many")
    page.get_by_role("button", name="Use this list").click()
    expect(page.get_by_text("The line of “red” has no number after its name")).to_be_visible()
    # Without headings the first line counts, and is not left out because its number is written in another way.
    box.fill('pink,"1,000"\ngreen,20\nblue,10\n')
    page.get_by_role("button", name="Use this list").click()
    expect(page.get_by_text("The line of “pink” has no number after its name")).to_be_visible()
    box.fill('colour,count\n"red, dark",70\ngreen,20\nblue,10\n')
    page.get_by_role("button", name="Use this list").click()
    # Other data, another curve: its middle is looked at.
    expect_headline(page, "At distortion 3/20")
    expect(page.locator(".bar")).to_have_count(3)
    expect(page.get_by_label("Name of category 1")).to_have_value("red, dark")
    expect(page.get_by_text("100 in all")).to_be_visible()
    unfold(page, "What is known about the frequencies")
    page.get_by_label("What is known about the frequencies").select_option("counts")
    expect(page.get_by_label("Count of green")).to_have_value("20")
    expect(page.locator(".reach").first).to_be_visible()
    expect_headline(page, "At distortion 3/20")


def test_probabilities_are_kept_as_they_are_typed(open_page: Opener) -> None:
    page = open_page()
    settled(page)
    typed = ["1/2", "0.25", "12.5%", "0.125", "0"]
    for name, value in zip(("never", "rarely", "sometimes", "often", "always"), typed, strict=True):
        field = page.get_by_label(f"Probability of {name}, as a number")
        field.fill(value)
        field.press("Enter")
    shown = page.locator(".bar input.value").evaluate_all("all => all.map((i) => i.value)")
    assert shown == typed
    expect(page.get_by_text("Sum 1 ✓")).to_be_visible()
    expect_headline(page, "At distortion 1/5")
    page.get_by_label("Probability of always, as a number").fill("0.25")
    page.get_by_label("Probability of always, as a number").press("Enter")
    expect(page.get_by_text("Sum 1.25, and it should be 1.")).to_be_visible()
    expect(page.locator(".answer")).to_contain_text("The probabilities add up to 1.25, and not to 1")
    # What follows each other quickly, as a slider's steps do, is undone together.
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Scale to 1").click()
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("2/5")
    expect_headline(page, "At distortion 1/5")
    # Undo, and Back, go to the question before.
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Probability of always, as a number")).to_have_value("0.25")
    expect(page.get_by_label("Probability of never, as a number")).to_have_value("1/2")
    page.go_back()
    expect(page.get_by_label("Probability of always, as a number")).not_to_have_value("0.25")


def test_ten_thousand_categories_are_pasted(open_page: Opener) -> None:
    page = open_page("#notions=maximal_leakage")
    settled(page)
    unfold(page, "Paste a list")
    box = page.get_by_label("A name and a probability or count on each line")
    # As a file that is opened does; typing so much is another matter.
    box.evaluate("(box, text) => { box.value = text; }", "\n".join(f"item {i},{i + 1}" for i in range(10_000)))
    page.get_by_role("button", name="Use this list").click()
    expect(page.get_by_text("… and 9,900 more")).to_be_visible()
    expect_headline(page, "of maximal leakage")
    expect(page.get_by_text("too many to draw")).to_be_visible()


def test_every_kind_of_universe_can_be_asked_about(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy")
    for kind, rows in (("graph", 5), ("metric", 5), ("databases", 4)):
        page.get_by_label("What is protected").select_option(kind)
        expect(page.locator(".heat tbody tr")).to_have_count(rows)
        expect_headline(page, "no mechanism loses less than")
        if kind == "graph":
            page.get_by_label("Neighbours, two on each line").fill("never - nobody")
            page.get_by_label("Neighbours, two on each line").blur()
            expect(page.locator(".notice").first).to_contain_text(
                "“nobody” in the list of neighbours is not a category"
            )


LISTS = ("Lists of probabilities, one on each line", "2/5 2/5 1/5\n0.5, 0.3, 0.2")
SOURCES = {
    "box": ("Margin of each probability", "0.02"),
    "ball": ("Total margin (L1 distance)", "1/20"),
    "hull": LISTS,
    "finite": LISTS,
    "polytope": ("Conditions, one on each line", "-1, 0, 0 <= -2/5\n0, 0, 1 <= 1/10"),
    "everything": (None, ""),
}


def test_source_sets(open_page: Opener) -> None:
    page = open_page("#labels=a%2Cb%2Cc&shares=1%2F2%2C3%2F10%2C1%2F5&notions=differential_privacy")
    unfold(page, "What is known about the frequencies")
    for kind, (label, value) in SOURCES.items():
        asked = {"box": "12/25", "ball": "1/20", "everything": "everything"}.get(kind, "2/5")

        def is_asked(response: Response, kind: str = kind, asked: str = asked) -> bool:
            sent = str(response.request.post_data)
            return "/api/solve" in response.url and asked in sent and f'"{kind}"' in sent

        with page.expect_response(is_asked):
            page.get_by_label("What is known about the frequencies").select_option(kind)
            if label is not None:
                page.get_by_label(label).fill(value)
                page.get_by_label(label).blur()
        settled(page)
        assert len(curves(page)) == 1, kind
        assert page.locator(".notice").count() == 0, kind


def test_notions_costs_and_gains_can_be_chosen(open_page: Opener) -> None:
    page = open_page(SMALL, expects_refusals=True)
    unfold(page, "Ways to measure privacy loss")
    unfold(page, "Cost of a wrong answer")
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
    # The middle of the curve, which is looked for where nobody has chosen a point, does not take its place later.
    settled(page)
    expect_headline(page, "At utility 4/5 no mechanism loses less than")
    page.get_by_label("A row for each input, a column for each output").fill("1, 2")
    page.get_by_label("A row for each input, a column for each output").blur()
    expect(page.locator(".notice").first).to_be_visible()


def test_a_query_is_answered_on_its_graph(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy", expects_refusals=True)
    page.get_by_label("What is protected").select_option("query")
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
    expect(page.get_by_text("The page takes at most 128 inputs")).to_be_visible()


def test_a_view_can_be_shared_by_its_address(open_page: Opener) -> None:
    page = open_page(THREE.replace("mutual_information", "min_entropy_leakage"))
    unfold(page, "Ways to measure privacy loss")
    page.get_by_role("checkbox", name="Min-entropy leakage", exact=True).uncheck()
    page.get_by_role("button", name="Remove always").click()
    page.get_by_label("Distortion, exactly").fill("1/4")
    page.get_by_label("Distortion, exactly").press("Enter")
    expect_headline(page, "At distortion 1/4")
    # The answer before the category was removed has five rows.
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
    expect(damaged.get_by_text("Choose at least one way to measure privacy loss")).to_be_visible()
    # What an address cannot mean is as in the opening example.
    opened = open_page("#cost=table&source=somewhere&at=1%2F5")
    assert headline(opened) == headline(open_page())


def test_everything_can_be_taken_away(open_page: Opener, downloads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = open_page()
    settled(page)
    unfold(page, "Take it away")
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
    assert "log(16)" in " ".join(established(json.loads(taken["proof.json"])).sentences)
    assert AnyMechanism.from_json(json.loads(taken["mechanism.json"])).shape == (5, 5)
    assert taken["mechanism.csv"].decode().splitlines()[1].startswith("never,0.8,")
    (release_file,) = downloads.glob("column-*.release.json")
    assert read_release(release_file)["columns"][0]["names"] == ["answer"]
    assert b"<svg" in taken["trade-off.svg"]
    assert taken["trade-off.png"].startswith(b"\x89PNG")
    exec(compile(taken["same_answer.py"], "same_answer.py", "exec"), {})
    assert re.match(r"2\.77258\d+ 2\.77258\d+ proven", capsys.readouterr().out)


def test_a_long_computation_shows_progress_and_can_be_cancelled(open_page: Opener) -> None:
    letters = "%2C".join(f"x{i}" for i in range(12))
    weights = "%2C".join(str(i + 1) for i in range(12))
    # It takes minutes: a question that is answered sooner is over before anybody cancels it.
    asked = "source=ball%2C0.1%2C0.95%2Cbox%2C&cost=squared%2C&notions=renyi_differential_privacy%3Border%3D2&at=2"
    page = open_page(f"#labels={letters}&weights={weights}&{asked}", is_ready=None)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The computation was cancelled").first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    page.get_by_role("button", name="Try again").first.click()
    expect(page.get_by_text(re.compile(r"Computing the curve of .*: \d+ of 41 points, \d+ s"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()


def test_a_refusal_is_shown_as_it_is_said(open_page: Opener) -> None:
    page = open_page("#notions=differential_privacy", expects_refusals=True)
    settled(page)
    for letter in range(2):
        page.get_by_role("button", name="Add a category").click()
        expect(page.locator(".bar")).to_have_count(6 + letter)
    unfold(page, "What is known about the frequencies")
    page.get_by_label("What is known about the frequencies").select_option("hull")
    page.get_by_label("Lists of probabilities, one on each line").fill("1/2 1/2")
    page.get_by_label("Lists of probabilities, one on each line").blur()
    expect(page.locator(".notice").first).to_contain_text("The source speaks about 2 inputs and the universe has 7")
    page.get_by_label("Lists of probabilities, one on each line").fill("one half")
    page.get_by_label("Lists of probabilities, one on each line").blur()
    expect(page.locator(".notice").first).to_contain_text("“one”, which is not a number")
