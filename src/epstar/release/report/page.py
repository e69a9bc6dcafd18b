"""The report as one page of HTML: no scripts, no other hosts, nothing that the release file does not bear out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from epstar.citations import bibliography
from epstar.exact import Rational, Real
from epstar.release.report.column_section import column_section
from epstar.release.report.facts import ColumnFacts, TableFact, TradeOff
from epstar.release.report.markup import Child, Markup, element, fact, joined, label, section, separated
from epstar.risk import depends_on, guess_of_two
from epstar.rounding import at_most, factor, nats, percent, percent_before

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_MOST_TABLES = 20
_NOT_PROMISED = (
    "That a person took part is not hidden: the number of rows is as it was. What is protected is the value in a row.",
    (
        "The promises are about one row. A person with several rows, or with relatives in the table, loses as much "
        "for each of them."
    ),
    "A second release of the same table adds its own loss. Keep one released table, and do not draw again.",
    (
        "An attacker who can already tell a value from other knowledge can still do so. The release adds at most what "
        "is stated above."
    ),
    "A single released value may or may not be the true one. Draw conclusions from estimates over many rows.",
    "Nothing is promised about the computers that held the private table, or about copies of it.",
)


@dataclass(frozen=True)
class Contents:
    """Everything that a report shows."""

    release_file: str
    digest: str
    version: str
    tables: Sequence[TableFact]
    passed_through: Sequence[str]
    keyed_by: str | None
    columns: Sequence[ColumnFacts]
    curves: Sequence[TradeOff | None]
    total: Real | None


def page(contents: Contents) -> str:
    """Return the page."""
    title = f"Privacy report: {_whole(contents)}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=f"epstar {contents.version}"),
        element("title", title),
        # The style is ours and holds no text of anybody else.
        element("style", Markup(files(__package__).joinpath("style.css").read_text(encoding="utf-8"))),
    )
    main = element(
        "main",
        element("header", element("h1", title), *_summary(contents)),
        _what_was_done(contents),
        *(column_section(facts, curve) for facts, curve in zip(contents.columns, contents.curves, strict=True)),
        _together(contents),
        _not_promised(contents),
        _how_to_check(contents),
        _citations(contents.columns),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main), lang='en').html}\n"


def _whole(contents: Contents) -> str:
    """What was released, by name where it is one table; a release that is evaluated elsewhere lists none."""
    if len(contents.tables) == 1:
        return contents.tables[0].name
    return f"{len(contents.tables)} tables" if contents.tables else contents.release_file


def _summary(contents: Contents) -> list[Markup]:
    rows = sum(table.rows for table in contents.tables)
    columns = [facts.column for facts in contents.columns]
    drawn = [label(name) for column in columns for name in column.names if name not in column.public]
    strata = [label(name) for column in columns for name in column.public]
    names = joined(*separated(drawn))
    lead = joined(
        f"{rows:,} rows were released. " if contents.tables else "",
        "In each row the value of ",
        names,
        " was replaced by one drawn at random, by the public rule below. "
        "Whoever made the release answers for having chosen that rule without looking at the private values.",
    )
    secrets = [facts.secret for facts in contents.columns if facts.secret is not None]
    if secrets:
        limit = joined(
            "What is protected is ",
            *separated([label(secret.name) for secret in secrets]),
            ", under declared frequencies, and not the released values themselves, which are told as truly as that "
            "allows.",
        )
    elif contents.total is None:
        limit = joined(
            "There is no limit to how much one row can tell about the true values behind it: see the guarantees below."
        )
    else:
        moved, guessed = at_most(factor(contents.total).upper), percent(guess_of_two(contents.total))
        limit = joined(
            "Taken together, the drawn values of a row move the odds between any two possibilities for the true ones",
            *([", among rows with the same ", *separated(strata), ","] if strata else []),
            f" by a factor of at most {moved}: of two that seem equally likely, the right one is guessed with "
            f"probability at most {guessed} instead of {percent_before(Rational(1, 2))}.",
        )
    return [element("p", lead, class_="lead"), element("p", limit, class_="lead")]


def _what_was_done(contents: Contents) -> Markup:
    shown = contents.tables[:_MOST_TABLES]
    rows = [fact("table", joined(label(table.name), f", {table.rows:,} rows")) for table in shown]
    if len(contents.tables) > _MOST_TABLES:
        rows.append(fact("more tables", f"{len(contents.tables) - _MOST_TABLES:,}, listed in the release file"))
    for facts in contents.columns:
        names = separated([label(name) for name in facts.column.names])
        rows += [fact("released", joined(*names, _aim(facts)))]
    kept: Child = "no other columns"
    if contents.passed_through:
        kept = joined(*separated([label(name) for name in contents.passed_through]), " (as they were, unprotected)")
    rows.append(fact("passed through", kept))
    drawn: Child = "from a cryptographic generator, keyed afresh by the operating system"
    if contents.keyed_by is not None:
        drawn = joined("from a secret key and ", label(contents.keyed_by), ": the same row gets the same answer again")
    rows += [fact("randomness", drawn), fact("made by", f"epstar {contents.version}")]
    return section("What was done", element("table", element("tbody", *rows), class_="facts"))


def _aim(facts: ColumnFacts) -> str:
    about = "" if facts.secret is None else f" about {facts.secret.name}"
    if facts.budget is None:
        return ", through a mechanism that was given"
    return f", through the mechanism that changes least under its limit on {facts.budget.title}{about}"


def _together(contents: Contents) -> Markup:
    if len(contents.columns) == 1:
        return Markup("")
    if any(facts.secret is not None for facts in contents.columns):
        words = (
            "Of what several columns tell about a secret, one counts by what it loses about the secret, and every "
            "other by what it loses about its own values; the release file states the sum as per_secret."
        )
        return section("All columns together", element("p", words))
    if contents.total is None:
        return section("All columns together", element("p", "One column has no limit, so neither has the whole row."))
    words = (
        "The columns are drawn independently, so their levels of differential privacy add and the factors multiply: a "
        f"whole row loses at most {nats(at_most(contents.total.upper, 6))}, a factor of at most "
        f"{at_most(factor(contents.total).upper)}."
    )
    return section("All columns together", element("p", words))


def _not_promised(contents: Contents) -> Markup:
    items = list(_NOT_PROMISED)
    if contents.passed_through:
        items.append(
            "The columns that passed through were not changed. Whatever they tell about the others, they still tell."
        )
    for secret in (facts.secret for facts in contents.columns if facts.secret is not None):
        items.append(
            f"The values that were released to protect {secret.name} are not protected themselves. What is promised "
            f"about {secret.name} depends on the declared frequencies, and does not hold against somebody who knows "
            "more of a record than these."
        )
        items += [text.removeprefix("Warning: ") for text in secret.warnings(contents.passed_through)]
        items.append(
            f"A second release of these columns may tell the true values, and with them whatever they tell about "
            f"{secret.name}: losses about a secret do not add up as losses of records do."
        )
    if contents.keyed_by is not None:
        items.append("Whoever has the secret key can undo the release. It must stay with the private table.")
    if any(depends_on(item.notion, facts.source) for facts in contents.columns for item in facts.guarantees):
        items.append(
            "Measures that depend on the assumed frequencies promise nothing if the assumption is wrong. Differential "
            "privacy, Rényi differential privacy, maximal leakage and the capacities assume nothing."
        )
    return section("What is not promised", element("ul", *(element("li", item) for item in items)))


def _how_to_check(contents: Contents) -> Markup:
    tables = [
        element(
            "li",
            label(table.name),
            ": SHA-256 ",
            element("code", table.sha256),
            ", found beside the release file and the same." if table.is_present else ", not beside the release file.",
        )
        for table in contents.tables[:_MOST_TABLES]
    ]
    return section(
        "How to check this report",
        element(
            "p",
            "The release file ",
            label(contents.release_file),
            " holds the mechanism as integers. Its digest was computed again and is the one that it states: ",
            element("code", contents.digest),
            ". A digest shows damage and not intent, so the losses were measured again as well.",
        ),
        element("ul", *tables),
        element("p", "To make this page again: ", element("code", f"epstar report {contents.release_file}")),
    )


def _citations(columns: Sequence[ColumnFacts]) -> Markup:
    entries = bibliography("; ".join(facts.theorem for facts in columns))
    lines = [joined(line, element("br")) for line in entries.splitlines()]
    return section("What to cite", element("pre", *lines, tabindex=0))
