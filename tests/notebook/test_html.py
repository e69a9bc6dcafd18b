"""Tables for notebooks: small, self-contained, escaped, readable on any ground, and honest about what is proven."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.notebook.objects import HOSTILE, answer, answers, curves, frontier, mechanisms, sources

from epstar import DifferentialPrivacy, Frontier, Mechanism, Prior, Real, Rows
from epstar.exact import Interval
from epstar.notebook.card import MOST_SHADE, SHADE
from epstar.notebook.face import Displayed
from epstar.release import Column, estimate, release
from epstar.universe import Alphabet

EVERYTHING: dict[str, object] = {
    "frontier": frontier(),
    **{f"answer, {name}": each for name, each in answers().items()},
    **{f"proof, {name}": each.proof for name, each in answers().items()},
    **{f"curve, {name}": each for name, each in curves().items()},
    **{f"mechanism, {name}": each for name, each in mechanisms().items()},
    **{f"source, {name}": each for name, each in sources().items()},
}
ALLOWED = {"div", "span", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}


class Page(HTMLParser):
    """The elements and the text of a piece of HTML; elements must be known, closed, and carry styles alone."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        for name, value in attrs:
            assert name in ("style", "scope")
            assert value is not None
            assert "url" not in value
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    @property
    def text(self) -> str:
        """Everything that can be read."""
        return " ".join(self.words).replace("\N{NO-BREAK SPACE}", " ")


def shown(value: object) -> Page:
    """The page of an object, after checking that it is one."""
    assert isinstance(value, Displayed)
    html = value._repr_html_()
    assert len(html) < 50_000
    assert "://" not in html
    return Page(html)


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_object_is_a_small_table_of_its_own(name: str) -> None:
    page = shown(EVERYTHING[name])
    assert page.text.strip()
    # A word that belongs to no user.
    assert not re.search(r"\blaws?\b|\bletters?\b", page.text)


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_object_is_a_short_line(name: str) -> None:
    line = repr(EVERYTHING[name])
    assert "\n" not in line
    assert len(line) < 160
    assert line.startswith(type(EVERYTHING[name]).__name__ + "(")


def test_to_print_a_prior_or_a_mechanism_loads_no_solver() -> None:
    program = """
import sys
from epstar import Mechanism, Prior
assert repr(Prior({"yes": 0.5, "no": 0.5})) == "Prior('yes': 1/2, 'no': 1/2)"
assert repr(Mechanism([[1, 0], [0, 1]])) == "Mechanism(2 inputs, 2 outputs, exact)"
assert "highspy" not in sys.modules and "epstar.release" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_answer_tells_the_number_its_unit_and_the_risk() -> None:
    page = shown(answer())
    assert "log(12) ≈ 2.484907 nats (3.59 bits)" in page.text
    assert "by a factor of at most 12." in page.text
    # 12 / 13 = 92.307… percent, rounded up
    assert "at most 92.4 % instead of 50 %" in page.text
    assert "✓ proven" in page.text
    assert repr(answer()) == "Answer(log(12) ≈ 2.48491 nats; proven; closed form; 4 × 4 mechanism)"
    assert "1 nat of differential privacy" in shown(answers()["distortion"]).text
    assert "3/4" in shown(answers()["utility"]).text


@pytest.mark.parametrize("odds", ["3/2", "2", "e", "7", "99", "1000", "100000/99999"])
def test_a_guess_is_rounded_up_and_by_no_more_than_it_must(odds: str) -> None:
    level = "1" if odds == "e" else f"log({odds})"
    page = shown(frontier().distortion_at(level))
    found = re.search(r"at most ([\d.]+) % instead of 50 %", page.text)
    assert found is not None
    ratio = Real.exp(Real.of(level))
    excess = Real.of(found[1]) / Real.of(100) - ratio / (ratio + Real.of(1))
    assert excess.lower >= 0 or (ratio.rational is not None and excess.upper == 0)
    assert excess.upper < 0.001 + 1e-15


def test_a_curve_says_what_each_loss_means() -> None:
    page = shown(curves()["shared"])
    assert "✓ proven" in page.text
    assert "12 of 30 points" in page.text
    assert "no limit" in page.text
    assert "at most 100 %" in page.text
    assert repr(curves()["shared"]) == "Curve(differential privacy; least loss at 30 points, distortion 0 to 3/5)"
    assert "✓ proven" in shown(curves()["answers"]).text
    # Bounds are rounded away from each other, and never past each other.
    rows = re.findall(r"\s([\d.]+)\s+([\d.]+)\s+×", page.text)
    assert len(rows) == 11
    assert all(Decimal(low) <= Decimal(high) for low, high in rows)


def test_a_badge_is_for_what_follows_from_the_proof() -> None:
    good = answer()
    too_good = Interval(Real.of(0), Real.of(2))
    forged = [
        replace(good, interval=too_good),
        replace(good, interval=Interval(Real.of("5/2"), Real.of("5/2"))),
        replace(good, mechanism=Mechanism([[1] * 1] * 4, good.proof.problem.universe, ["never"])),
        replace(good, proof=answers()["free"].proof),
    ]
    for each in forged:
        text = shown(each).text
        assert "✓" not in text
        assert "not proven" in text
    wider = replace(good, interval=Interval(Real.of(2), Real.of(3)))
    assert "✓ proven" in shown(wider).text
    assert "between 2 and 3 nats" in shown(wider).text
    partly = replace(curves()["answers"], answers=(forged[0], curves()["answers"].answers[1]))
    assert "✓ 1 of 2 points proven" in shown(partly).text


def test_a_proof_is_checked_when_it_is_looked_at() -> None:
    proof = answer().proof
    assert "✓ the proof holds" in shown(proof).text
    harder = replace(proof, problem=replace(proof.problem, given=Real.of("1/10")))
    text = shown(harder).text
    assert "✓" not in text
    assert "It does not hold:" in text


def test_a_mechanism_of_floats_claims_nothing_exact() -> None:
    assert "in floats" in shown(mechanisms()["floats"]).text
    assert "✓" not in shown(mechanisms()["exact"]).text
    assert "log(3) ≈ 1.098612 nats" in shown(mechanisms()["exact"]).text
    assert "…" in shown(mechanisms()["many"]).text


def test_sizes_and_losses_beyond_what_anybody_reads() -> None:
    rows = Frontier(DifferentialPrivacy(), Rows(Prior([0.4, 0.3, 0.2, 0.1]), 20_000), "hamming")
    found = rows.loss_at(4000)
    assert "about 2^40000 × about 2^40000 mechanism" in repr(found)
    for value in (rows, rows.source, found, found.mechanism, found.proof):
        shown(value)
        assert len(repr(value)) < 160
    text = shown(frontier().distortion_at(5000)).text
    assert "by a factor of at most e^5,000." in text
    assert "at most 100 % instead of 50 %" in text
    assert "× e^5,000" in shown(frontier().distortion_at([1, 5000])).text
    assert "No promise" in shown(frontier().loss_at(0)).text


def test_hostile_labels_are_text() -> None:
    labels = [HOSTILE, ("tuple", HOSTILE), "x" * 100_000, "plain"]
    prior = Prior(dict(zip(labels, [0.4, 0.3, 0.2, 0.1], strict=True)))
    tradeoff = Frontier(DifferentialPrivacy(), prior, "hamming")
    found = tradeoff.loss_at("1/5")
    for value in (prior, tradeoff, found, found.mechanism, found.proof, Mechanism([[1]], Alphabet([HOSTILE]))):
        page = shown(value)
        assert "\u202e" not in page.text
        assert "\x00" not in page.text
        assert len(repr(value)) < 250
    assert "<script>alert(1)</script>" in shown(found).text


def test_text_is_readable_on_light_and_on_dark() -> None:
    for ground, ink in (("ffffff", "3b3b3b"), ("ffffff", "000000"), ("1f1f1f", "cccccc"), ("111111", "ffffff")):
        under, text = (bytes.fromhex(colour) for colour in (ground, ink))
        for shade in (0.0, 0.5, 1.0):
            share = MOST_SHADE * shade
            mixed = [share * over + (1 - share) * below for over, below in zip(SHADE, under, strict=True)]
            assert contrast(mixed, list(text)) >= 4.5


def contrast(first: list[float] | list[int], second: list[float] | list[int]) -> float:
    """The contrast of two colours as WCAG 2 defines it."""

    def luminance(colour: list[float] | list[int]) -> float:
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_a_release_and_its_estimates(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,smoker\n" + "31,yes\n45,no\n28,no\n62,<i>never</i>\n" * 50, encoding="utf-8")
    column = Column("smoker", ["yes", "no", "<i>never</i>"])
    done = release(table, tmp_path / "shared.csv", column, notion=DifferentialPrivacy(), loss=1)
    assert repr(done) == "Release(200 rows in 'shared.csv'; smoker; see 'shared.csv.release.json')"
    text = shown(done).text
    assert "dropped: age" in text
    assert "guesses right with probability at most 73.2 % afterwards, instead of 50 %" in text
    assert str(tmp_path) not in text
    found = estimate(tmp_path / "shared.csv", "smoker")
    assert repr(found) == "Estimate(smoker: 3 frequencies from 200 rows, 0.95 confidence)"
    page = shown(found)
    assert "<i>never</i>" in page.text
    frame = found.to_frame()
    assert frame.columns.tolist() == ["smoker", "frequency", "lower", "upper", "unbiased"]
    assert frame["unbiased"].sum() == pytest.approx(1)
    assert (frame["lower"] <= frame["upper"]).all()
