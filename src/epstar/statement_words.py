"""Claims as sentences."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from epstar.claims import Attained, Excluded, Setting
from epstar.distortion import Absolute, Gain, Hamming, Squared, has_numbers
from epstar.exact import ONE, Interval, Real
from epstar.problem import Asked
from epstar.risk import source_in_words
from epstar.rounding import lost
from epstar.source import Prior
from epstar.universe import Alphabet, Databases, Universe

# Probabilities that are listed.
_MOST_LISTED = 12
# Digits of a number that is too long to be written in full.
_DIGITS = 12
_LONGEST = 24
# Titles that begin with a name keep its capital.
_NAMES = ("Rényi", "Sibson", "Gaussian")


def setting_in_words(setting: Setting) -> str:
    """Return what claims are about: how many inputs, what is known of them, and what answers cost."""
    universe = setting.universe
    if isinstance(universe, Databases):
        # There are more of them than there are digits to count them.
        inputs = f"databases of {universe.rows} rows over {universe.alphabet.size} values"
    else:
        inputs = f"{universe.size} inputs{_compared(universe)}"
    costs = {
        Hamming: "every wrong row costs 1" if isinstance(universe, Databases) else "every wrong answer costs 1",
        Absolute: f"an answer costs its absolute error{_by_position(universe)}",
        Squared: f"an answer costs its squared error{_by_position(universe)}",
        Gain: "answers gain what a table says",
    }
    cost = costs.get(type(setting.distortion), "answers cost what a table says")
    source, known = setting.source, source_in_words(setting.source)
    if isinstance(source, Prior) and source.size <= _MOST_LISTED:
        known = f"Their probabilities are {', '.join(map(str, source.probabilities))}."
    return f"It is about {inputs}; {cost}. {known}"


def _by_position(universe: Universe) -> str:
    """Where labels that are no numbers have the places at which they are listed."""
    letters = universe.alphabet if isinstance(universe, Databases) else universe
    return "" if has_numbers(letters) else ", of positions in the list of inputs"


def excluded_in_words(setting: Setting, claim: Excluded) -> str:
    """Return what is excluded as a sentence."""
    title, what = _measured(setting), _quantity(setting)
    if claim.open == "loss":
        kept = (
            "" if claim.distortion.is_infinite else f" and {what} {_at_most(setting, claim.distortion, rounded_down)}"
        )
        if claim.loss.is_infinite:
            return f"{_no_mechanism(setting)} has a finite loss of {title}{kept}."
        loss = lost(rounded_down(claim.loss), setting.notion.unit)
        return f"{_no_mechanism(setting)} has a loss of {title} below {loss}{kept}."
    kept = f"a loss of {title} at most {lost(rounded_down(claim.loss), setting.notion.unit)}"
    if claim.distortion.is_infinite:
        return f"{_no_mechanism(setting)} has {kept}."
    if claim.loss.is_infinite:
        return f"{_no_mechanism(setting)} has {what} {_beyond(setting, claim.distortion)}."
    return f"{_no_mechanism(setting, f'with {kept}')} has {what} {_beyond(setting, claim.distortion)}."


def attained_in_words(setting: Setting, claim: Attained) -> str:
    """Return what is attained as a sentence."""
    title, what = _measured(setting), _quantity(setting)
    loss = (
        ""
        if claim.loss.is_infinite
        else f" a loss of {title} at most {lost(rounded_up(claim.loss), setting.notion.unit)} and"
    )
    keeps = f"; it keeps {kept_in_words(setting)}" if kept_in_words(setting) else ""
    return f"The mechanism of the proof has{loss} {what} {_at_most(setting, claim.distortion, rounded_up)}{keeps}."


def _measured(setting: Setting) -> str:
    """What the loss is of: the notion, about the secret if there is one."""
    title = lower_case(setting.notion.full_title)
    if setting.secret is None:
        return title
    universe = setting.secret.universe
    return f"{title} about the secret ({_listed([str(label) for label in universe.labels])}{_compared(universe)})"


def _compared(universe: Universe) -> str:
    """How many pairs of inputs are neighbours, and how far apart, where not all are at distance one."""
    if isinstance(universe, Alphabet | Databases):
        return ""
    pairs = universe.pairs()
    words = f", of which {len(pairs)} {'pair is' if len(pairs) == 1 else 'pairs are'} compared"
    known = sorted(pairs.lengths[0]) if len(pairs) > 0 else [ONE]
    near, far = rounded_down(Real.of(known[0])), rounded_up(Real.of(known[-1]))
    if known == [ONE]:
        return words
    return f"{words}, at {f'a distance of {near}' if near == far else f'distances from {near} to {far}'}"


def _no_mechanism(setting: Setting, before: str = "") -> str:
    kept = kept_in_words(setting, rounded_down)
    words = ["No mechanism", before, f"{'and ' if before else 'that keeps '}{kept}" if kept else ""]
    return " ".join(word for word in words if word)


def kept_in_words(setting: Setting, rounded: Callable[[Real], str] | None = None) -> str:
    """What a mechanism keeps beside the loss: limits on it and further guarantees; empty where there are none."""
    limits, said = setting.limits, []
    if limits.allowed is not None:
        count = len(limits.forbidden())
        said.append(f"the {count} forbidden {'transition' if count == 1 else 'transitions'}")
    for name, entries in (("lower", limits.lower), ("upper", limits.upper)):
        if entries is not None:
            value = "" if isinstance(entries, tuple) else f" {entries}"
            said.append(f"the {name} bound{'s' if isinstance(entries, tuple) else ''}{value} of entries")
    if limits.invariant:
        said.append("the frequencies (p Q = p)")
    if limits.unbiased is not None:
        said.append("the means of the inputs")
    for name, rows in (("equation", limits.equations), ("inequality", limits.inequalities)):
        if rows:
            said.append(
                f"{len(rows)} linear {name if len(rows) == 1 else name.replace('inequality', 'inequalitie') + 's'}"
            )
    for notion, level in setting.also:
        said.append(f"{lower_case(notion.full_title)} at {lost((rounded or rounded_up)(level), notion.unit)}")
    return _listed(said)


def _listed(words: list[str]) -> str:
    """Words as a list in a sentence."""
    return (
        words[0]
        if len(words) == 1
        else " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
        if words
        else ""
    )


def _quantity(setting: Setting) -> str:
    return "a utility" if isinstance(setting.distortion, Gain) else "a distortion"


def _at_most(setting: Setting, distortion: Real, rounded: Callable[[Real], str]) -> str:
    if distortion.is_infinite:
        return "of any size"
    if isinstance(setting.distortion, Gain):
        return f"at least {turned(distortion, rounded)}"
    return f"at most {rounded(distortion)}"


def _beyond(setting: Setting, distortion: Real) -> str:
    if isinstance(setting.distortion, Gain):
        return f"above {turned(distortion, rounded_down)}"
    return f"below {rounded_down(distortion)}"


def point_in_words(setting: Setting, asks: Asked, given: Real, proven: Interval) -> str:
    """Return what is proven of the best at a point of a trade-off as a sentence; a utility is turned round already."""
    title, is_gain = _measured(setting), isinstance(setting.distortion, Gain)
    if asks == "loss":
        where = f"With {_quantity(setting)} {_at_most(setting, given, rounded_down)}"
        measure = setting.notion.unit
        what, unit = f"the least loss of {title}", " nats" if measure == "nats" else f" ({measure})"
    else:
        where, unit = f"With a loss of {title} at most {lost(rounded_down(given), setting.notion.unit)}", ""
        what = "the largest utility" if is_gain else "the least distortion"
    kept = kept_in_words(setting)
    where += f", keeping {kept}," if kept else ""
    if proven.lower.is_infinite:
        return f"{where} there is no mechanism{' of finite loss' if asks == 'loss' else ''}."
    lower, upper = rounded_down(proven.lower), rounded_up(proven.upper)
    found = lower if lower == upper else f"at least {lower} and at most {upper}"
    return f"{where} {what} is {found}{unit}."


def rounded_down(value: Real) -> str:
    """Return a number in full where that is short, else its first digits, rounded down."""
    return _in_digits(value, Context(_DIGITS, ROUND_FLOOR))


def rounded_up(value: Real) -> str:
    """Return a number in full where that is short, else its first digits, rounded up."""
    return _in_digits(value, Context(_DIGITS, ROUND_CEILING))


def turned(value: Real, rounded: Callable[[Real], str]) -> str:
    """Return minus a number, rounded so that it says no more than the number rounded one way."""
    return (rounded_up if rounded is rounded_down else rounded_down)(value * -1)


def _in_digits(value: Real, context: Context) -> str:
    if value.is_infinite:
        return "infinity"
    written = str(value)
    if len(written) > _LONGEST:
        known = value.below() if context.rounding == ROUND_FLOOR else value.above()
        return str(context.divide(Decimal(int(known.p)), Decimal(int(known.q))))
    is_plain = value.rational is not None and value.rational.q == 1
    return written if is_plain else f"{written} = {float(value):.12g}"


def lower_case(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title if title.startswith(_NAMES) else title[0].lower() + title[1:]
