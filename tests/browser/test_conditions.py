"""What else a question may say: a loss instead of a distortion, conditions, a statistic, a whole problem file."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.actions import expect_address, expect_headline, unfold, wait_until
from tests.browser.conftest import Opener
from tests.web.test_conditions import CONDITIONS, PLAIN

pytestmark = pytest.mark.xdist_group("explorer")


def write(page: Page, label: str, text: str) -> None:
    """Type into a field and leave it."""
    page.get_by_label(label).fill(text)
    page.get_by_label(label).blur()


def test_a_loss_can_be_given_instead_of_a_distortion(open_page: Opener) -> None:
    page = open_page(expects_refusals=True)
    write(page, "or privacy loss", "ln(3)")
    expect_headline(page, "At ln 3 nats of differential privacy no mechanism has a smaller distortion than 127/250")
    expect(page.get_by_text("at most 75 %").first).to_be_visible()
    # The point is on the curve, where the answer says it is.
    wait_until(page, "Math.abs(document.querySelector('.chart').chart?.content.chosen?.x - 0.508) < 1e-9")
    expect(page.locator(".plot .chosen")).to_be_visible()
    page.get_by_label("or privacy loss").fill("three")
    page.get_by_label("or privacy loss").press("Enter")
    expect(page.locator(".answer")).to_contain_text("“three” is not a loss; write a number, such as 1 or ln(3).")
    write(page, "Distortion, exactly", "1/5")
    expect_headline(page, "At distortion 1/5 no mechanism loses less than ln 16")
    expect(page.get_by_label("or privacy loss")).to_have_value("")


def test_conditions_are_kept_and_named(open_page: Opener) -> None:
    page = open_page("#at=loss%3D1", expects_refusals=True)
    expect_headline(page, "At 1 nat of differential privacy")
    unfold(page, "Further conditions")
    write(page, "Largest probability", "3/5")
    expect(page.locator(".answer")).to_contain_text("It also keeps the upper bound 3/5 of entries.")
    page.get_by_role("button", name="Add a guarantee").click()
    write(page, "Loss of the further guarantee 1, in nats", "0.4")
    expect(page.locator(".answer")).to_contain_text("and maximal leakage at 2/5 = 0.4 nats.")
    expect(page.locator(".checking.good")).to_be_visible()
    write(page, "Secret behind the data", "low, high")
    expect(page.locator(".answer")).to_contain_text("The secret has 2 values and there are 5 categories")
    write(page, "Secret behind the data", "low, low, low, high, high")
    expect_headline(page, "of differential privacy about the secret no mechanism has a smaller distortion than")
    expect(page.get_by_text("A secret, bounds, 1 further guarantee")).to_be_visible()
    # The address holds all of it.
    shown = page.locator(".headline").inner_text()
    expect_address(page, "high%2C+high")
    page.reload()
    expect_headline(page, shown)


def test_a_hint_groups_and_means_are_conditions_too(open_page: Opener) -> None:
    page = open_page("#at=loss%3D1", expects_refusals=True)
    expect_headline(page, "At 1 nat of differential privacy")
    size = page.locator(".bar").count()
    unfold(page, "Further conditions")
    rising = [place / (2 * size) + 0.25 for place in range(size)]
    written = "; ".join(
        f"{name}: {', '.join(f'{share if is_low else 1 - share:.3f}' for share in rising)}"
        for name, is_low in (("low", True), ("high", False))
    )
    write(page, "Secret behind the data", "low: 0.5, 0.5")
    expect(page.locator(".answer")).to_contain_text("“low” of the secret has 2 values and there are")
    write(page, "Secret behind the data", written.replace("0.250", "x", 1))
    expect(page.locator(".answer")).to_contain_text("“x” is not a number; write how likely this value of the secret is")
    write(page, "Secret behind the data", written)
    expect_headline(page, "of differential privacy about the secret")
    expect(page.locator(".checking.good")).to_be_visible()
    write(page, "Secret behind the data", "")
    write(page, "Groups that are never left", "a, b")
    expect(page.locator(".answer")).to_contain_text("You wrote 2 values and there are")
    write(page, "Groups that are never left", ", ".join("n" if place < 2 else "s" for place in range(size)))
    expect(page.locator(".answer .notice")).to_contain_text("No mechanism keeps a loss of 1 nat")
    write(page, "Groups that are never left", "")
    write(page, "Values whose mean stays right", ", ".join(str(place) for place in range(size)))
    expect(page.get_by_text("A mean kept")).to_be_visible()


def test_the_error_of_a_statistic_is_a_cost(open_page: Opener) -> None:
    page = open_page(expects_refusals=True)
    unfold(page, "Cost of a wrong answer")
    page.get_by_label("Cost of a wrong answer").select_option("frequencies")
    write(page, "People who answer", "2000")
    write(page, "or privacy loss", "1")
    expect_headline(page, "At 1 nat of differential privacy no mechanism has a smaller error than ≈ 0.006")
    expect(page.locator(".checking.good")).to_be_visible()


def test_a_problem_file_takes_the_place_of_the_form(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(expects_refusals=True)
    before = page.locator(".headline").inner_text()
    page.get_by_label("What is protected").select_option("file")
    # The file says what the form said, and the answer stays.
    assert json.loads(page.get_by_label("The problem in JSON").input_value()) == opening_question()
    expect_headline(page, before)
    asked = {
        "notion": {"name": "g_leakage", "gain": [[1, 0], [0, 2]]},
        "source": {"box": {"lower": ["1/2", "2/5"], "upper": ["3/5", "1/2"]}},
        "distortion": {"name": "hamming"},
        "at": {"loss": "1/10"},
    }
    write(page, "The problem in JSON", json.dumps(asked))
    expect(page.locator(".answer .notice")).to_contain_text("is measured at a prior, or at a finite list of them")
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({**asked, "source": {"prior": ["0.50", "0.50"]}}), encoding="utf-8")
    page.get_by_label("Open a problem file").set_input_files(path)
    expect_headline(page, "At 1/10 nats of g-leakage no mechanism has a smaller distortion than ≈ 0.1974")
    expect(page.locator(".heat tbody tr")).to_have_count(2)
    write(page, "The problem in JSON", '{"notion":')
    expect(page.locator(".answer .notice")).to_contain_text("The problem file is not JSON")
    page.get_by_label("What is protected").select_option("categories")
    expect_headline(page, "no mechanism loses less than")
    expect(page.locator(".bar")).to_have_count(5)


def test_whatever_a_problem_file_says_is_answered_in_the_page(open_page: Opener) -> None:
    page = open_page()
    page.get_by_label("What is protected").select_option("file")
    for name, condition in CONDITIONS.items():
        question = {**PLAIN, **condition}
        write(page, "The problem in JSON", json.dumps(question))
        asked = (
            question["notion"]["name"]
            .replace("_", " ")
            .replace("g leakage", "g-leakage")
            .replace("gaussian", "Gaussian")
        )
        expect_headline(page, asked)
        expect(page.locator(".heat tbody tr")).to_have_count(3)
        assert page.locator(".answer .notice").count() == 0, name


def opening_question() -> object:
    """The question that the page opens with, as it writes it into the box."""
    from epstar.web.preload import OPENING

    return json.loads(json.dumps(OPENING[0][1]))
