"""What a release file says about a column, measured again from the integers that were sampled.

A digest shows that a file was not damaged; anyone who alters it can write a new one. So the report believes
nothing that it can compute: losses and distortion are found again from the mechanism in the file.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.arguments import whole_number
from epstar.distortion import Distortion, Gain
from epstar.errors import EpstarError, InvalidInput, Undecided
from epstar.exact import Rational, Real, rational
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism
from epstar.notions import (
    DifferentialPrivacy,
    Notion,
    from_problem,
)
from epstar.notions.base import Loss
from epstar.problem_file import read_source
from epstar.release.column import Column
from epstar.release.distance import read_distance
from epstar.release.document import column_of
from epstar.release.guarantee import Guarantee, differential_privacy_total, guarantees
from epstar.release.place import digest_of
from epstar.release.report.secrets import Hidden, hidden
from epstar.release.secret_entry import misjudged_shares, per_secret
from epstar.release.tickets import loss_of
from epstar.release.wrong_frequencies import Misjudged
from epstar.source import Source
from epstar.universe import Universe

_CURVE_POINTS = 33
_CURVE_SECONDS = 5.0
# Beyond this many values an answer may take longer than the whole picture should.


class Understated(InvalidInput):
    """A release file states less than its mechanisms lose or distort, or another number than they have."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The release file states {what}; it was altered, so do not rely on it.")


@dataclass(frozen=True)
class TableFact:
    """A released table: its name and rows, its digest, and whether it lies beside the release file."""

    name: str
    rows: int
    sha256: str
    is_present: bool


@dataclass(frozen=True)
class ColumnFacts:
    """One released column, or several that share a mechanism, with everything measured again."""

    column: Column
    mechanism: AnyMechanism
    source: Source
    distortion: Distortion
    worst_case: Rational | None
    guarantees: tuple[Guarantee, ...]
    budget: Notion | None
    method: str
    theorem: str
    secret: Hidden | None = None
    about: tuple[Guarantee, ...] = ()
    """What is lost about the secret, where one is protected."""

    @property
    def chosen_by(self) -> tuple[Guarantee, ...]:
        """The losses of what the mechanism protects: of the secret, or of the values."""
        return self.guarantees if self.secret is None else self.about

    @property
    def protected(self) -> Universe:
        """The values between which those losses are measured."""
        return self.mechanism.universe if self.column.secret is None else self.column.secret.universe

    @property
    def is_gain(self) -> bool:
        """Whether the distortion is a utility turned round."""
        return isinstance(self.distortion, Gain)


@dataclass(frozen=True)
class TradeOff:
    """Proven points (loss, least distortion or best utility) in order of loss, and the point that was chosen."""

    notion: Notion
    points: tuple[tuple[float, float], ...]
    chosen: tuple[float, float]
    is_gain: bool


def tables_of(document: Mapping[str, Any], folder: Path) -> tuple[TableFact, ...]:
    """Return the released tables; those that lie in `folder` are compared with their digests.

    Raises:
        InvalidInput: if a table was changed after its release, or the file is malformed.
    """
    found = []
    for entry in document["tables"]:
        # A name in the file is a name in the folder, and never a way out of it.
        path = folder / Path(entry["name"]).name
        is_present = path.is_file()
        if is_present and digest_of(path) != entry["sha256"]:
            raise InvalidInput(
                f"{path.name} is not the table that the release file describes; restore the original, or move the "
                "release file to a folder of its own to report on it alone."
            )
        found.append(
            TableFact(
                str(entry["name"]), whole_number(entry["rows"], "A number of rows", 0), str(entry["sha256"]), is_present
            )
        )
    return tuple(found)


def total_of(document: Mapping[str, Any], columns: Sequence[ColumnFacts]) -> Real | None:
    """Return what a record loses by all columns, None for no finite loss, after comparing the sums that a file states.

    Raises:
        InvalidInput: if it states a smaller one, of the record or about a secret.
    """
    total = differential_privacy_total([facts.guarantees for facts in columns])
    sums = [(float("inf") if total is None else total.lower, document["per_record"])]
    secrets = {one["name"]: one for one in document.get("per_secret", ())}
    sums += [(_number(one["upper"]), secrets[one["name"]]) for one in per_secret(document["columns"])]
    _check_units(stated for _, stated in sums)
    if any(_number(stated["upper"]) < lost for lost, stated in sums):
        raise Understated("that a record loses less than its columns together do")
    return total


def column_facts(entry: Mapping[str, Any]) -> ColumnFacts:
    """Return a column of a release file, measured again.

    Raises:
        InvalidInput: if the file states a loss or a distortion that its mechanism does not have.
    """
    column = column_of(entry)
    assert column.mechanism is not None
    mechanism = column.mechanism
    source = read_source(entry["source"], mechanism.universe)
    distortion = read_distance(entry["distortion"])
    given = entry if column.secret is None else entry["secret"]
    budget = from_problem(given["budget"]["notion"]) if "budget" in given else None
    extra = () if budget is None else (budget,)
    found = guarantees(mechanism, source, extra)
    _compare(found, entry["guarantees"], lambda notion: loss_of(mechanism, notion, source, None))
    _compare_budget(found, entry, lambda notion: loss_of(mechanism, notion, source, None))
    about: tuple[Guarantee, ...] = ()
    if column.secret is not None:
        about = guarantees(mechanism, source, extra, column.secret)
        _compare(about, given["guarantees"], lambda notion: loss_of(mechanism, notion, source, column.secret))
        _compare_budget(about, given, lambda notion: loss_of(mechanism, notion, source, column.secret))
        _compare_misjudged(misjudged_shares(mechanism, column.secret, source), given["if_frequencies_are_off"])
    return ColumnFacts(
        column,
        mechanism,
        source,
        distortion,
        _worst_case(mechanism, distortion, source, entry["distortion"]),
        found,
        budget,
        str(entry["method"]),
        str(entry["theorem"]),
        hidden(entry, column),
        about,
    )


def _compare(
    found: Sequence[Guarantee], stated: Sequence[Mapping[str, Any]], measured: Callable[[Notion], Loss | None]
) -> None:
    """Compare every loss that a file states with what its mechanism has; notions that were not measured are now."""
    known = {guarantee.notion: guarantee.loss for guarantee in found}
    _check_units(stated)
    for entry in stated:
        if not {"lower", "upper", "exact"} & set(entry):
            continue
        parameters = {key: entry[key] for key in ("order", "delta", "reading", "gain", "others") if key in entry}
        notion = from_problem({"name": entry["notion"], **parameters})
        loss = known.get(notion) or measured(notion)
        if loss is None or loss.lower is None or loss.upper is None:
            raise Understated(f"a loss by {notion.title} that cannot be measured")
        _compare_ends(entry, loss.lower, loss.upper, f"loss by {notion.title}")


def _compare_budget(
    found: Sequence[Guarantee], given: Mapping[str, Any], measured: Callable[[Notion], Loss | None]
) -> None:
    """Refuse a budget that the mechanism surely exceeds."""
    if "budget" in given:
        notion, budget = from_problem(given["budget"]["notion"]), Real.of(given["budget"]["loss"])
        known = {guarantee.notion: guarantee.loss for guarantee in found}
        loss = known[notion] if notion in known else measured(notion)
        if loss is not None and loss.lower is not None and not _may_be_at_most(loss.lower, budget):
            raise Understated("a smaller budget than its mechanism loses")


def _compare_ends(entry: Mapping[str, Any], lower: Real, upper: Real, what: str) -> None:
    """Refuse ends of a number that do not hold it; two enclosures of one number overlap, however they were found."""
    stated = {end: _number(entry[end]) for end in ("lower", "upper") if end in entry}
    if "exact" in entry:
        exact = Real.of(entry["exact"])
        stated |= {"lower": max(exact.lower, stated["lower"]), "upper": min(exact.upper, stated["upper"])}
        if not (_may_be_at_most(lower, exact) and _may_be_at_most(exact, upper)):
            raise Understated(f"another exact {what} than its mechanism has")
    if not stated.get("upper", math.inf) >= lower.lower:
        raise Understated(f"a smaller {what} than its mechanism has")
    if not stated.get("lower", -math.inf) <= upper.upper:
        raise Understated(f"a larger {what} than its mechanism has")


def _may_be_at_most(first: Real, second: Real) -> bool:
    """Return whether a number is not surely larger than another; those that are known exactly are compared so."""
    try:
        return first <= second
    except Undecided:
        return True


def _check_units(stated: Iterable[Mapping[str, Any]]) -> None:
    """Refuse losses in another unit than nats: all that are measured are in these."""
    if any(entry.get("unit", "nats") != "nats" for entry in stated):
        raise Understated("a loss in another unit than nats")


def _compare_misjudged(found: Sequence[Misjudged], stated: Sequence[Mapping[str, Any]]) -> None:
    _check_units(stated)
    for one, entry in zip(found, stated, strict=True):
        ends = (one.differential_privacy, "differential_privacy"), (one.maximal_leakage, "maximal_leakage")
        if rational(entry["by"]) != one.share or any(not _number(entry[name]) >= loss.lower for loss, name in ends):
            raise Understated("a smaller loss about a secret under wrong frequencies than its mechanism has")


def _number(value: Any) -> float:
    return float("inf") if value == "infinity" else float(value)


def _worst_case(
    mechanism: AnyMechanism, distortion: Distortion, source: Source, stated: Mapping[str, Any]
) -> Rational | None:
    if "worst_case" not in stated:
        return None
    value = mechanism.distortion(distortion, source).value
    _compare_ends(stated["worst_case"], Real.of(value), Real.of(value), "distortion")
    return value


def trade_off(facts: ColumnFacts, seconds: float = _CURVE_SECONDS) -> TradeOff | None:
    """Return the trade-off around the released mechanism, in the notion that it was chosen by.

    Points are found from coarse to fine until `seconds` have passed. None if there is nothing to draw: an infinite
    loss, a distortion that was not measured, or fewer than three points.
    """
    notion = facts.budget or DifferentialPrivacy()
    loss = next((item.loss for item in facts.chosen_by if item.notion == notion), None)
    if loss is None or loss.upper is None or loss.upper.is_infinite or facts.worst_case is None:
        return None
    sign = -1.0 if facts.is_gain else 1.0
    chosen = (loss.upper.upper, sign * Real.of(facts.worst_case).upper)
    # Sixteenths of the range keep the numbers small, so that exact answers stay cheap.
    largest = Rational(max(1, round(32 * chosen[0])), 16)
    levels = [largest * step / (_CURVE_POINTS - 1) for step in range(_CURVE_POINTS)]
    points = _points(facts, notion, levels, time.monotonic() + seconds)
    return TradeOff(notion, tuple(sorted(points)), chosen, facts.is_gain) if len(points) >= 3 else None


def _points(facts: ColumnFacts, notion: Notion, levels: Sequence[Rational], until: float) -> list[tuple[float, float]]:
    """The trade-off, answer by answer until the time is over."""
    universe, secret = facts.mechanism.universe, facts.column.secret
    frontier = Frontier(notion, facts.source, facts.distortion, universe, secret=secret)
    points = []
    for step in _coarse_to_fine(len(levels)):
        left, level = until - time.monotonic(), levels[step]
        if left <= 0:
            break
        try:
            found = frontier.distortion_at(loss=level, time_limit=left)
        except EpstarError:
            # Some notions have no mechanism below a certain level, and the picture starts there.
            continue
        if not found.timed_out:
            points.append((Real.of(level).upper, found.lower if facts.is_gain else found.upper))
    return points


def _coarse_to_fine(count: int) -> Iterator[int]:
    """Yield 0 .. count-1, halving the gaps; count-1 must be a power of two.

    >>> list(_coarse_to_fine(5))
    [0, 4, 2, 1, 3]
    """
    last = count - 1
    yield from (0, last)
    gap = last // 2
    while gap:
        yield from range(gap, last, 2 * gap)
        gap //= 2
