"""The report: nothing false, nothing unescaped, nothing from elsewhere, whole or not at all."""

from __future__ import annotations

import csv
import json
import re
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epstar.distortion import Absolute, Gain
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism, TopRandomisedResponse
from epstar.notions import (
    NOTIONS,
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.release import Column, release
from epstar.release.atomic_files import WriteFailed
from epstar.release.document import sealed
from epstar.release.guarantee import guarantees
from epstar.release.report import default_output, report
from epstar.release.report.facts import column_facts, trade_off
from epstar.release.report.markup import element, escaped, label
from epstar.release.report.pictures import heat_map
from epstar.release.report.sentences import explained
from epstar.risk import guess_of_two
from epstar.rounding import at_most, factor, percent
from epstar.source import Ball, Box, Everything, Finite, Hull, Prior, Source
from epstar.universe import Alphabet

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)",
    "</style></title><svg onload=alert(4)>",
    "שלום עולם",
    "a\u202eb\u2066",
    "&lt;b&gt; &amp;",
    "x" * 200,
]


ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "h1", "h2", "h3", "p", "ul", "li"),
    *(
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "div",
        "span",
        "bdi",
        "dl",
        "dt",
        "dd",
        "code",
        "pre",
        "br",
    ),
    *("figure", "figcaption", "svg", "line", "polyline", "circle", "text"),
}


class Page(HTMLParser):
    """Collects what a browser would see: the elements with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def released(folder: Path, columns: list[Column], **options: Any) -> Path:
    """Release a table of ten rows that hold the first category of each column, and return the release file."""
    names = [name for column in columns for name in column.names]
    first = [str(part.labels[0]) for column in columns for part in column.categories]
    with (folder / "private.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow([*names, "kept"])
        writer.writerows([[*first, "1"]] * 10)
    return release(folder / "private.csv", folder / "out.csv", columns, keep_others=True, **options).release_file


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every point of a trade-off: on a busy machine some would come too late."""
    monkeypatch.setattr("epstar.release.report.trade_off", partial(trade_off, seconds=1800.0))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    return released(folder, [Column("disease", ["flu", "cold", "none"])], notion=DifferentialPrivacy(), loss="log(3)")


def test_the_page_says_what_the_numbers_are(plain: Path, tmp_path: Path) -> None:
    done = report(plain, tmp_path / "page.html")
    page = Page(done.output.read_text(encoding="utf-8"))
    assert page.open == []
    # Odds move by at most 3; of two values 3/4 is guessed, of three 3/5, and 2/5 are changed.
    assert "factor of at most 3." in page.text
    assert "A value stays as it is with probability 0.6; otherwise" in page.text
    assert "at most 75 % instead of 50 %" in page.text
    assert "at most 60 % instead of 33.3 %" in page.text
    assert "At most 40.1 % of the values are changed" in page.text
    assert "kept (as they were, unprotected)" in page.text
    assert json.loads(plain.read_text(encoding="utf-8"))["digest"] in page.text
    assert "found beside the release file and the same" in page.text
    assert {"svg", "table", "main", "h1"} <= {tag for tag, _ in page.elements}
    assert ("html", {"lang": "en"}) in page.elements
    assert "@article{kalantari2018," in page.texts


def test_the_page_needs_nothing_from_elsewhere(plain: Path, tmp_path: Path) -> None:
    written = report(plain, tmp_path / "page.html").output.read_text(encoding="utf-8")
    page = Page(written)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {t for t, _ in page.elements}
    assert not re.search(r"https?:|url\(|@import|javascript:", written)
    assert any("default-src 'none'" in (attributes.get("content") or "") for _, attributes in page.elements)
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("href", "src")]


def test_every_picture_has_a_name_and_every_heading_its_level(plain: Path, tmp_path: Path) -> None:
    page = Page(report(plain, tmp_path / "page.html").output.read_text(encoding="utf-8"))
    for tag, attributes in page.elements:
        if tag == "svg" or attributes.get("role") == "group":
            assert attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_hostile_labels_are_text(tmp_path: Path) -> None:
    columns = [Column("</title><b>", HOSTILE), Column('" onload="', ["<i>", "\u202e"])]
    file = released(tmp_path, columns, notion=DifferentialPrivacy(), loss=1)
    written = report(file).output.read_text(encoding="utf-8")
    page = Page(written)
    assert page.open == []
    assert {tag for tag, _ in page.elements} <= ALLOWED
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    for text in HOSTILE[:5]:
        assert text in page.texts
    assert "\u202e" not in written
    assert "a\\u202eb\\u2066" in page.texts


@given(st.text())
def test_any_text_is_escaped_and_can_be_written(text: str) -> None:
    made = element("p", text, label(text), class_=text).html
    assert made.encode()
    page = Page(made)
    assert [tag for tag, _ in page.elements] == ["p", "bdi"]
    assert page.open == []
    assert "<" not in escaped(text)


@given(st.floats(1e-9, 1e9), st.integers(1, 12))
def test_bounds_are_rounded_up(value: float, digits: int) -> None:
    shown = float(at_most(value, digits).replace(",", ""))
    assert value <= shown <= value * (1 + 2 * 10.0 ** (1 - digits))


@given(st.fractions(1, 1000))
def test_shares_and_factors_are_rounded_up(ratio: Any) -> None:
    level = Real.log(Rational(ratio.numerator, ratio.denominator))
    assert factor(level).upper >= ratio
    assert Real.of(guess_of_two(level)).upper >= ratio / (1 + ratio)
    assert float(percent(guess_of_two(level))[:-2]) >= 100 * ratio / (1 + ratio)


@pytest.mark.parametrize("name", NOTIONS)
def test_every_notion_has_its_own_words(name: str) -> None:
    needed: dict[str, list[Any]] = {"approximate_differential_privacy": ["1/10"], "g_leakage": [[[1, 0], [0, 1]]]}
    parameters = needed.get(name, [])
    if name in ("renyi_differential_privacy", "sibson_mutual_information"):
        parameters = ["3/2"]
    notion = NOTIONS[name](*parameters)
    mechanism = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    source = Prior(["1/2", "1/2"])
    (first, *_) = guarantees(mechanism, source, (notion,))
    words = explained(first, mechanism.universe, source)
    assert words is not None
    assert "The loss by" not in words.sentence
    assert words.rests_on_source == (notion.needs_source and name != "capacity")


def test_an_infinite_loss_is_no_promise() -> None:
    mechanism = Mechanism([[1, 0], [0, 1]])
    (first, *_) = guarantees(mechanism, Everything(2), (DifferentialPrivacy(),))
    words = explained(first, mechanism.universe, Everything(2))
    assert words is not None
    assert "No promise" in words.sentence


@pytest.mark.parametrize(
    "source",
    [
        Everything(2),
        Prior(["1/2", "1/2"]),
        Box([0.2, 0.2], [0.8, 0.8]),
        Ball(["1/2", "1/2"], "1/10"),
        Hull([["1/2", "1/2"], ["1/3", "2/3"]]),
        Finite([["1/2", "1/2"], ["1/3", "2/3"]]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_source_is_reported(source: Source, tmp_path: Path) -> None:
    column = Column("answer", ["yes", "no"], source=source)
    page = report(released(tmp_path, [column], notion=MaximalLeakage(), loss="log(3/2)")).output
    assert "<svg" in page.read_text(encoding="utf-8")


def test_the_chosen_point_lies_on_the_curve(plain: Path) -> None:
    facts = column_facts(json.loads(plain.read_text(encoding="utf-8"))["columns"][0])
    curve = trade_off(facts, seconds=1800.0)
    assert curve is not None
    losses, costs = zip(*curve.points, strict=True)
    assert list(losses) == sorted(losses)
    assert list(costs) == sorted(costs, reverse=True)
    assert curve.points[0][0] == 0.0
    assert curve.points[0][1] == pytest.approx(2 / 3)
    below = max(point for point in curve.points if point[0] <= curve.chosen[0])
    above = min(point for point in curve.points if point[0] >= curve.chosen[0])
    assert above[1] <= curve.chosen[1] <= below[1]


def test_a_gain_is_shown_as_a_utility(tmp_path: Path) -> None:
    column = Column("answer", ["yes", "no"], source=Prior(["1/2", "1/2"]), distortion=Gain([[2, 0], [0, 1]]))
    page = report(released(tmp_path, [column], notion=DifferentialPrivacy(), loss=1)).output
    text = Page(page.read_text(encoding="utf-8")).text
    assert "The utility is at least 1.09," in text
    assert "No mechanism lies above the curve" in text


def test_a_given_mechanism_without_a_limit_is_reported_as_such(tmp_path: Path) -> None:
    column = Column("answer", mechanism=Mechanism([[1, 0], [0, 1]], Alphabet(["yes", "no"]), ["yes", "no"]))
    text = Page(report(released(tmp_path, [column])).output.read_text(encoding="utf-8")).text
    assert "There is no limit to how much one row can tell" in text
    assert "No trade-off is drawn" in text
    assert "a mechanism that was given" in text


def test_several_columns_add_up(tmp_path: Path) -> None:
    columns = [Column(name, ["yes", "no"]) for name in ("a", "b")]
    text = Page(report(released(tmp_path, columns, notion=DifferentialPrivacy(), loss=1)).output.read_text()).text
    assert "a whole row loses at most 2 nats, a factor of at most 7.39" in text


def test_large_mechanisms_are_shown_in_groups_or_in_words() -> None:
    page = Page(heat_map(TopRandomisedResponse(Alphabet(100), range(100), ratio=101)).html)
    cells = [float(text) for text in page.texts if re.fullmatch(r"0\.\d+", text)]
    assert len(cells) == 144
    assert sum(cells[:12]) == pytest.approx(1, abs=0.01)
    assert "too many to draw" in heat_map(TopRandomisedResponse(Alphabet(10**6), range(5), ratio=2)).html


@pytest.mark.parametrize("notion", [ApproximateDifferentialPrivacy("1/100"), RenyiDifferentialPrivacy(3)])
def test_the_notion_of_the_budget_comes_first(notion: Any, tmp_path: Path) -> None:
    file = released(tmp_path, [Column("answer", ["yes", "no"], source=Prior(["1/2", "1/2"]))], notion=notion, loss=1)
    assert report(file).columns[0][1][0].notion == notion


def altered(file: Path, target: Path, change: Any) -> Path:
    """Write a release file with something changed and a digest that fits."""
    document = json.loads(file.read_text(encoding="utf-8"))
    change(document)
    target.write_text(json.dumps(sealed(document)), encoding="utf-8")
    return target


def test_a_release_file_that_states_too_little_is_refused(plain: Path, tmp_path: Path) -> None:
    def less_loss(document: dict[str, Any]) -> None:
        document["columns"][0]["guarantees"][0] |= {"lower": 0.5, "upper": 0.5}

    def less_distortion(document: dict[str, Any]) -> None:
        document["columns"][0]["distortion"]["worst_case"]["upper"] = 0.1

    for change, what in ((less_loss, "smaller loss"), (less_distortion, "smaller distortion")):
        with pytest.raises(InvalidInput, match=what):
            report(altered(plain, tmp_path / "out.csv.release.json", change))
    assert not (tmp_path / "out.csv.report.html").exists()


@pytest.mark.parametrize("part", ["tables", "columns", "passed_through", "epstar", "randomness"])
def test_a_release_file_without_a_part_is_refused(part: str, plain: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="use the original"):
        report(altered(plain, tmp_path / "f.json", lambda document: document.pop(part)))


@pytest.mark.parametrize("part", ["tables", "columns", "passed_through", "randomness"])
def test_a_release_file_with_a_part_of_another_shape_is_refused(part: str, plain: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="use the original"):
        report(altered(plain, tmp_path / "f.json", lambda document: document.update({part: 5})))


def test_a_release_file_with_other_numbers_than_whole_ones_is_refused(tmp_path: Path) -> None:
    likely = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]], Alphabet(["yes", "no"]), ["yes", "no"])
    file = released(tmp_path, [Column("answer", mechanism=likely)])

    def split_ticket(document: dict[str, Any]) -> None:
        document["columns"][0]["mechanism"]["tickets"][0][0] += 0.001

    def other_width(document: dict[str, Any]) -> None:
        document["columns"][0]["mechanism"]["bits"] += 1

    def half_a_row(document: dict[str, Any]) -> None:
        document["tables"][0]["rows"] += 0.5

    for change, what in ((split_ticket, "tickets"), (other_width, "bits"), (half_a_row, "tables")):
        with pytest.raises(InvalidInput, match=what):
            report(altered(file, tmp_path / "f.json", change))


@pytest.mark.parametrize(("count", "title"), [(0, "f.json"), (1, "t0.csv"), (50, "50 tables")])
def test_any_number_of_tables_is_reported(count: int, title: str, plain: Path, tmp_path: Path) -> None:
    def several(document: dict[str, Any]) -> None:
        (table,) = document["tables"]
        document["tables"] = [{**table, "name": f"t{i}.csv"} for i in range(count)]

    page = Page(report(altered(plain, tmp_path / "f.json", several)).output.read_text(encoding="utf-8"))
    assert f"Privacy report: {title}" in page.texts
    assert ("rows were released" in page.text) == (count > 0)
    assert ("30, listed in the release file" in page.text) == (count == 50)


def test_a_key_is_mentioned(plain: Path, tmp_path: Path) -> None:
    def keyed(document: dict[str, Any]) -> None:
        document["randomness"] = {"kind": "keyed", "identifier": "<person>"}

    text = Page(report(altered(plain, tmp_path / "f.json", keyed)).output.read_text(encoding="utf-8")).text
    assert "from a secret key and <person> : the same row" in text
    assert "Whoever has the secret key" in text


def test_a_damaged_file_and_a_changed_table_are_refused(plain: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "out.csv.release.json"
    damaged.write_text(plain.read_text(encoding="utf-8").replace("flu", "flo"), encoding="utf-8")
    with pytest.raises(InvalidInput, match="changed after it was written"):
        report(damaged)
    damaged.write_bytes(plain.read_bytes())
    (tmp_path / "out.csv").write_text("disease\nflu\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not the table"):
        report(damaged)
    (tmp_path / "out.csv").unlink()
    assert "not beside the release file" in report(damaged).output.read_text(encoding="utf-8")


def test_a_table_is_looked_for_beside_the_release_file_alone(plain: Path, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    file = altered(
        plain, tmp_path / "inner" / "r.json", lambda document: document["tables"][0].update({"name": "../secret"})
    )
    # A name is one in the folder, and never a way out of it.
    with pytest.raises(InvalidInput, match="'tables'"):
        report(file)
    alone = altered(plain, tmp_path / "inner" / "s.json", lambda document: document["tables"][0].update({"name": "s"}))
    assert "not beside the release file" in report(alone).output.read_text(encoding="utf-8")


def test_what_was_known_before_is_not_rounded_up(tmp_path: Path) -> None:
    for size, before in ((3, "33.3 %"), (5, "20 %"), (7, "14.2 %"), (10, "10 %"), (300, "0.33 %")):
        folder = tmp_path / str(size)
        folder.mkdir()
        labels = [f"v{number}" for number in range(size)]
        page = Page(
            report(released(folder, [Column("v", labels)], notion=DifferentialPrivacy(), loss=1)).output.read_text()
        )
        text = page.text.replace("\N{NO-BREAK SPACE}", " ")
        assert f"Which of all {size} values is it, if all are equally likely? before {before} after" in text
        assert f"instead of {before}." in text


def test_the_page_says_between_what_a_difference_is(tmp_path: Path) -> None:
    column = Column("age", ["20", "30", "70"], distortion=Absolute())
    page = Page(report(released(tmp_path, [column], notion=DifferentialPrivacy(), loss=1)).output.read_text())
    assert "The absolute difference between the values of the true and the released category is at most" in page.text


def test_nothing_is_overwritten_and_nothing_half_written(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists already"):
        report(plain, target)
    assert target.read_text(encoding="utf-8") == "old"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(WriteFailed, match="no space left"):
            report(plain, target, force=True)
    assert target.read_text(encoding="utf-8") == "old"
    report(plain, target, force=True)
    assert target.read_text(encoding="utf-8").endswith("</html>\n")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_the_page_is_the_same_each_time(plain: Path, tmp_path: Path) -> None:
    pages = [report(plain, tmp_path / f"{i}.html").output.read_bytes() for i in range(2)]
    assert pages[0] == pages[1]


def test_where_a_report_goes_unless_told_otherwise() -> None:
    assert default_output(Path("a/out.parquet.release.json")) == Path("a/out.parquet.report.html")
    assert default_output(Path("a/release.json")) == Path("a/report.html")
    assert default_output(Path("a/other.json")) == Path("a/other.report.html")
