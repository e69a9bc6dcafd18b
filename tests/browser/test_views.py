"""The other views: conversions, audits, theorems, the API's page."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.actions import unfold
from tests.browser.conftest import Opener
from tests.web.live import ASKED

from epstar.answer_file import write_answer
from epstar.frontier import Frontier
from epstar.problem_file import read_problem
from epstar.release import estimate

pytestmark = pytest.mark.xdist_group("explorer")


def test_a_guarantee_is_converted(open_page: Opener) -> None:
    page = open_page("#view=convert", is_ready="#follows-title", expects_refusals=True)
    page.get_by_label("Loss in nats").fill("log(3)")
    page.get_by_label("Loss in nats").press("Enter")
    row = page.get_by_role("row", name="Maximal leakage")
    expect(row).to_contain_text("ln(15/7)")
    expect(row).to_contain_text("Alvim et al. (2011)")
    page.get_by_label("Loss in nats").fill("much")
    page.get_by_label("Loss in nats").press("Enter")
    expect(page.get_by_role("alert").last).to_contain_text("is not a number")


def test_a_table_is_released(open_page: Opener, downloads: Path) -> None:
    page = open_page("#view=release", is_ready=".drop", expects_refusals=True)
    expect(page.get_by_text("The table stays on this computer")).to_be_visible()
    choose = page.get_by_label("Choose a CSV file", exact=True)

    def chosen(text: str) -> None:
        choose.set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()})

    for text, sentence in (("", "empty"), ("a;b\n1;2\n", "semicolons"), ("a,b\n1\n", "Row 2 has 1 cells")):
        chosen(text)
        expect(page.get_by_role("alert").first).to_contain_text(sentence)
    chosen('smokes,town\n"yes",A\n' + "no,B\n" * 120 + "yes,C\n" * 78 + ",D\n")
    expect(page.get_by_text("200 rows, 2 columns")).to_be_visible()
    page.get_by_role("button", name="Start from the values in the table").click()
    expect(page.get_by_text("Read this list before you go on")).to_be_visible()
    page.get_by_label("1 empty cell counts as").select_option("no")
    # The precision that is wanted, the loss that it needs, and the other way round.
    page.get_by_label("Each frequency within ± percentage points").fill("1")
    page.get_by_label("Each frequency within ± percentage points").press("Enter")
    expect(page.get_by_text("no loss is enough")).to_be_visible()
    page.get_by_label("Privacy loss ε in nats").fill("ln(3)")
    page.get_by_label("Privacy loss ε in nats").press("Enter")
    expect(page.locator(".meter")).to_contain_text("at most 75 %")
    # The loss is chosen before the private frequencies are looked at.
    expect(page.locator(".frequency").first).to_be_hidden()
    unfold(page, "The frequencies in your table")
    expect(page.locator(".frequency").first).to_contain_text("60.5 %")
    expect(page.locator(".frequency .expected")).to_have_count(2)
    page.get_by_label("town").check()
    expect(page.get_by_text("town will be released exactly as in your table")).to_be_visible()
    page.get_by_role("button", name="Release the table").click()
    expect(page.get_by_text("200 rows were released")).to_be_visible()
    taken = []
    for button in page.locator(".downloads button").all():
        with page.expect_download() as waiting:
            button.click()
        waiting.value.save_as(downloads / waiting.value.suggested_filename)
        taken.append(waiting.value.suggested_filename)
    name = "people.released.csv"
    assert taken == [name, f"{name}.release.json", f"{name}.report.html"]
    # What was taken away is a release by itself, and tells what the page draws.
    found = estimate(downloads / name, "smokes", method="likelihood").frequency("no")
    expect(page.locator(".frequency").first).to_contain_text(f"the released table says {100 * found:.1f} %")
    expect(page.get_by_label("Command")).to_contain_text("--loss 'ln(3)' --sets 1 --keep town")
    # Another release of the same table is another answer of everybody.
    page.get_by_label("town").uncheck()
    expect(page.locator(".downloads")).to_have_count(0)
    page.get_by_role("button", name="Release the table").click()
    expect(page.get_by_text("together they lose up to 2.197 nats")).to_be_visible()


def test_a_secret_is_protected_instead_of_the_column(open_page: Opener) -> None:
    page = open_page("#view=release", is_ready=".drop", expects_refusals=True)
    content = ("smokes,town\n" + "no,B\n" * 120 + "yes,C\n" * 80).encode()
    choose = page.get_by_label("Choose a CSV file", exact=True)
    choose.set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Start from the values in the table").click()
    page.get_by_label("Privacy loss ε in nats").fill("1/2")
    page.get_by_label("Privacy loss ε in nats").press("Enter")
    expect(page.locator(".meter")).to_contain_text("at most 62.3 %")
    unfold(page, "Protect something else that this column hints at")
    page.get_by_label("What it hints at").fill("income")
    page.get_by_label("What it hints at").blur()
    expect(page.get_by_text("This is about income, and not about “smokes”.")).to_be_visible()
    page.get_by_role("button", name="Release the table").click()
    expect(page.get_by_text("A secret needs a name and public counts")).to_be_visible()
    for counts, said in ((", low, high\nno, 1, 2", "also for “yes”"), (", low, high\nno, 10, 30\nyes, 30, 20", "")):
        page.get_by_label("Public counts of both").fill(counts)
        page.get_by_label("Public counts of both").blur()
        page.get_by_role("button", name="Release the table").click()
        if said:
            expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_text("200 rows were released")).to_be_visible()
    expect(page.get_by_text("income is protected, and not the released values of smokes")).to_be_visible()
    expect(page.get_by_label("Command")).to_contain_text("--secret")
    page.get_by_label("Public counts of both").fill(", low, high\nno, 10, 40\nyes, 30, 20")
    page.get_by_label("Public counts of both").blur()
    page.get_by_role("button", name="Release the table").click()
    expect(page.get_by_text("together they may tell the true values")).to_be_visible()


def test_a_mechanism_is_audited_and_a_proof_checked(open_page: Opener) -> None:
    page = open_page("#view=audit", is_ready=".heat", expects_refusals=True)
    expect(page.get_by_text("The output “0” is 6 times as likely for the input “0” as for “1”.")).to_be_visible()
    box = page.get_by_label("A row of probabilities for each input")
    box.fill(json.dumps(write_answer(Frontier.answer(read_problem(ASKED)))))
    page.get_by_role("button", name="Audit").click()
    expect(
        page.get_by_text(re.compile(r"No mechanism has a loss of differential privacy below log\(12\)"))
    ).to_be_visible()
    box.fill(',yes,"no, never"\nsmoker,0.75,0.25\nother,0.25,0.75\n')
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_text("The output “yes” is 3 times as likely for the input “smoker”")).to_be_visible()
    box.fill("1/2, 1/3\n0, 1")
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_role("alert")).to_contain_text("sum")


def test_theorems_are_filtered_opened_and_rerun(open_page: Opener) -> None:
    page = open_page("#view=theorems", is_ready=".theorem")
    page.get_by_role("button", name="False").click()
    page.get_by_label("Paper", exact=True).select_option("kalantari2018")
    page.get_by_label("Words", exact=True).fill("convex function of the mechanism")
    page.get_by_label("Words", exact=True).press("Enter")
    expect(page.locator(".theorem")).to_have_count(1)
    expect(page.locator(".badge.bad").first).to_have_text("✗ false")
    page.get_by_role("button", name="Details of Kalantari, Sankar and Sarwate (2018), Lemma 1").click()
    # The counterexample as a picture: its mechanism, and what is claimed beside what is true.
    expect(page.locator(".theorem .levels .claimed, .theorem .heat").first).to_be_visible()
    page.get_by_role("button", name="Rerun the counterexample").click()
    expect(page.locator("main").get_by_text("✗ The claim fails on it, again")).to_be_visible()
    page.get_by_role("button", name="Rerun all its cases").click()
    expect(page.locator("main").get_by_text("✓ The verdict stands")).to_be_visible()
    expect(page.locator("math").first).to_be_attached()


def test_all_formulas_are_drawn(open_page: Opener) -> None:
    page = open_page("#view=theorems", is_ready=".theorem")
    texts = page.evaluate(
        """async () => {
            const { withFormulas } = await import("/js/math.js");
            const { theorems } = await (await fetch("/api/theorems")).json();
            const text = (part) => part.textContent ?? part;
            return theorems.map(({ statement }) => withFormulas(statement).map(text).join(""));
        }"""
    )
    assert len(texts) > 400
    assert [text for text in texts if "$" in text or "\\" in text] == []
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".theorem")).to_have_count(60)


def test_going_back_goes_back(open_page: Opener) -> None:
    page = open_page()
    page.get_by_role("link", name="Convert").click()
    expect(page.get_by_text("What follows")).to_be_visible()
    page.go_back()
    expect(page.locator("#curves-title")).to_be_visible()
    expect(page.get_by_role("link", name="Explore")).to_have_attribute("aria-current", "page")


def test_the_page_of_the_api_works_without_other_hosts(open_page: Opener) -> None:
    page = open_page("api.html", is_ready=".opblock")
    expect(page.locator(".opblock")).to_have_count(22)
    page.get_by_text("Answer one question, with the mechanism and the proof").click()
    page.get_by_role("button", name="Try it out").click()
    # As long as a busy machine may take.
    page.locator("tr[data-param-name=wait] input").fill("30")
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")
