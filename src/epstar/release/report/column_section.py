"""What a report says about one column: how values are replaced, what that guarantees, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.distortion import Distortion, Hamming, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions import DifferentialPrivacy, MaximalLeakage, Notion
from epstar.release.distance import Between
from epstar.release.guarantee import Guarantee
from epstar.release.report.facts import ColumnFacts, TradeOff
from epstar.release.report.markup import Child, Markup, element, fact, joined, label, section, separated
from epstar.release.report.pictures import drawing, guess_bars, heat_map
from epstar.release.report.sentences import Explained, explained
from epstar.risk import guess_of_all, guess_of_two, source_in_words
from epstar.rounding import Share, about, at_least, at_most, percent
from epstar.universe import Universe

_MOST_LABELS = 40


def column_section(facts: ColumnFacts, curve: TradeOff | None) -> Markup:
    """Return everything that a report says about one column, or several that share a mechanism."""
    names = joined(*separated([label(name) for name in facts.column.names]))
    return section(
        joined("Column " if len(facts.column.names) == 1 else "Columns ", names),
        element("table", element("tbody", *_column_facts(facts)), class_="facts"),
        element("h3", "How values are replaced"),
        *_kept(facts.mechanism),
        heat_map(facts.mechanism),
        element("h3", "How much better an attacker can guess"),
        guess_bars(_guesses(facts)),
        *_secret(facts),
        element("h3", "Each guarantee in plain words" if facts.secret is None else "What the released values lose"),
        _promises(facts, facts.guarantees, facts.mechanism.universe),
        element("h3", "Privacy against usefulness"),
        *_trade_off(facts, curve),
    )


def _secret(facts: ColumnFacts) -> list[Markup]:
    """What is promised about a secret, and on what that rests."""
    if facts.secret is None:
        return []
    words = [element("p", sentence) for sentence in facts.secret.sentences()]
    heading = element("h3", "What is promised about ", label(facts.secret.name))
    return [heading, *words, _promises(facts, facts.about, facts.protected)]


def _kept(mechanism: AnyMechanism) -> list[Markup]:
    """How often a value stays as it is, where values and outputs are the same."""
    try:
        changed = mechanism.costs(Hamming())
    except InvalidInput:
        return []
    least, most = (about(float(Real.of(ONE - cost))) for cost in (max(changed), min(changed)))
    often = f"with probability {least}" if least == most else f"with probability {least} to {most}, depending on it"
    return [element("p", f"A value stays as it is {often}; otherwise another is drawn.")]


def _column_facts(facts: ColumnFacts) -> list[Markup]:
    rows: list[Markup] = []
    for name, part in zip(facts.column.names, facts.column.categories, strict=True):
        shown = separated([label(value) for value in part.labels[:_MOST_LABELS]])
        more = len(part.labels) - _MOST_LABELS
        rest = f", and {more:,} more" if more > 0 else ""
        notes: list[Child] = []
        if part.missing is not None:
            notes += ["; missing values count as ", label(part.missing)]
        if part.other is not None:
            notes += ["; values that are not listed count as ", label(part.other)]
        rows.append(fact(joined("values of ", label(name)), joined(*shown, rest, *notes)))
    rows.append(fact("assumed", source_in_words(facts.source)))
    rows.append(fact("cost", _cost(facts)))
    found = "It was given." if facts.method == "given" else f"{facts.method}; {facts.theorem}"
    rows.append(fact("mechanism found by", found))
    return rows


def _cost(facts: ColumnFacts) -> str:
    if facts.worst_case is None:
        return "The distortion was not measured, because the outputs are not the inputs."
    worst = Real.of(facts.worst_case).upper
    if facts.is_gain:
        return (
            f"The utility is at least {at_least(-worst)}, averaged over the rows, in the worst case of what is assumed."
        )
    if isinstance(facts.distortion, Hamming):
        share = percent(facts.worst_case)
        return f"At most {share} of the values are changed on average, in the worst case of what is assumed."
    return (
        f"{_distance(facts.distortion)} is at most {at_most(worst)} on average, in the worst case of what is assumed."
    )


def _distance(distortion: Distortion) -> str:
    if not isinstance(distortion, Between):
        return "The distortion"
    kind = "squared" if isinstance(distortion.cost, Squared) else "absolute"
    return f"The {kind} difference between the {distortion.scale} of the true and the released category"


def _guesses(facts: ColumnFacts) -> list[tuple[str, Rational, Share]]:
    found = []
    size, name = facts.protected.size, "" if facts.secret is None else f" of {facts.secret.name}"
    pairwise = _level(facts.chosen_by, DifferentialPrivacy())
    if pairwise is not None:
        found.append((f"Which of two equally likely values{name} is it?", Rational(1, 2), guess_of_two(pairwise)))
    leakage = _level(facts.chosen_by, MaximalLeakage())
    if leakage is not None:
        question = f"Which of all {size:,} values{name} is it, if all are equally likely?"
        found.append((question, Rational(1, size), guess_of_all(leakage, size)))
    return found


def _level(found: Sequence[Guarantee], notion: Notion) -> Real | None:
    loss = next((item.loss for item in found if item.notion == notion), None)
    return None if loss is None else loss.upper


def _promises(facts: ColumnFacts, found: Sequence[Guarantee], universe: Universe) -> Markup:
    told = [(item, explained(item, universe, facts.source)) for item in found]
    is_about_secret = facts.secret is not None and found is facts.about
    rows = [_promise(facts, item, words, universe, is_about_secret) for item, words in told if words is not None]
    notes = "Every number was computed again from the integers in the release file, and is rounded up."
    missing = [item.notion.title for item, words in told if words is None]
    if missing and is_about_secret:
        notes += f" Not measured, because the frequencies of a secret are not free: {', '.join(missing)}."
    elif missing:
        notes += f" Not measured, because the mechanism is large: {', '.join(missing)}."
    return joined(element("dl", *rows, class_="promises"), element("p", notes, class_="quiet"))


def _promise(
    facts: ColumnFacts, item: Guarantee, words: Explained, universe: Universe, is_about_secret: bool
) -> Markup:
    sentence: list[Child] = [words.sentence]
    if isinstance(item.notion, DifferentialPrivacy) and item.loss is not None:
        witness, labels = item.loss.witness, universe.labels
        if len(witness.inputs) == 2 and len(witness.outputs) == 1:
            first, second = (label(labels[x]) for x in witness.inputs)
            shown = label(facts.mechanism.outputs[witness.outputs[0]])
            sentence += [" The worst case: ", first, " against ", second, " when ", shown, " is released."]
    if words.rests_on_source or is_about_secret:
        sentence.append(" It depends on the assumed frequencies.")
    return element(
        "div",
        element("dt", words.title, " ", element("span", words.level, class_="level")),
        element("dd", *sentence),
    )


def _trade_off(facts: ColumnFacts, curve: TradeOff | None) -> list[Markup]:
    if curve is None:
        return [
            element(
                "p",
                "No trade-off is drawn: the loss or the distortion of this mechanism has no finite value, or the "
                "optimum could not be computed in time.",
            )
        ]
    what = "utility" if facts.is_gain else "distortion"
    if isinstance(facts.distortion, Hamming):
        what = "share of changed values"
    if facts.method == "given":
        told = "The mechanism was given, so it need not lie on the curve; below the curve there is none."
    else:
        told = "No mechanism lies below the curve: what was released is as useful as this level of privacy allows."
    if facts.is_gain:
        told = told.replace("below", "above")
    return [element("p", told), drawing(curve, curve.notion.title, what)]
