"""Claims as sentences."""

from __future__ import annotations

from epstar.claims import Attained, Excluded, Setting
from epstar.distortion import Gain
from epstar.exact import Real
from epstar.rounding import nats


def excluded_in_words(setting: Setting, claim: Excluded) -> str:
    """Return what is excluded as a sentence."""
    title, what = _measured(setting), _quantity(setting)
    if claim.open == "loss":
        kept = "" if claim.distortion.is_infinite else f" and {what} {_at_most(setting, claim.distortion)}"
        if claim.loss.is_infinite:
            return f"{_no_mechanism(setting)} has a finite loss of {title}{kept}."
        return f"{_no_mechanism(setting)} has a loss of {title} below {nats(number_in_words(claim.loss))}{kept}."
    kept = f"a loss of {title} at most {nats(number_in_words(claim.loss))}"
    if claim.distortion.is_infinite:
        return f"{_no_mechanism(setting)} has {kept}."
    if claim.loss.is_infinite:
        return f"{_no_mechanism(setting)} has {what} {_beyond(setting, claim.distortion)}."
    return f"{_no_mechanism(setting, f'with {kept}')} has {what} {_beyond(setting, claim.distortion)}."


def attained_in_words(setting: Setting, claim: Attained) -> str:
    """Return what is attained as a sentence."""
    title, what = _measured(setting), _quantity(setting)
    loss = "" if claim.loss.is_infinite else f" a loss of {title} at most {nats(number_in_words(claim.loss))} and"
    keeps = f"; it keeps {kept_in_words(setting)}" if kept_in_words(setting) else ""
    return f"The mechanism of the proof has{loss} {what} {_at_most(setting, claim.distortion)}{keeps}."


def _measured(setting: Setting) -> str:
    """What the loss is of: the notion, about the secret if there is one."""
    title = lower_case(setting.notion.full_title)
    if setting.secret is None:
        return title
    return f"{title} about the secret ({_listed([str(label) for label in setting.secret.universe.labels])})"


def _no_mechanism(setting: Setting, before: str = "") -> str:
    kept = kept_in_words(setting)
    words = ["No mechanism", before, f"{'and ' if before else 'that keeps '}{kept}" if kept else ""]
    return " ".join(word for word in words if word)


def kept_in_words(setting: Setting) -> str:
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
        said.append(f"{lower_case(notion.full_title)} at {nats(number_in_words(level))}")
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


def _at_most(setting: Setting, distortion: Real) -> str:
    if distortion.is_infinite:
        return "of any size"
    if isinstance(setting.distortion, Gain):
        return f"at least {number_in_words(distortion * -1)}"
    return f"at most {number_in_words(distortion)}"


def _beyond(setting: Setting, distortion: Real) -> str:
    if isinstance(setting.distortion, Gain):
        return f"above {number_in_words(distortion * -1)}"
    return f"below {number_in_words(distortion)}"


def number_in_words(value: Real) -> str:
    """Return a number in full where that is short, else its first digits."""
    if value.is_infinite:
        return "infinity"
    written = str(value)
    decimal = f"{float(value):.12g}"
    if len(written) > 24:
        return f"about {decimal}"
    is_plain = value.rational is not None and value.rational.q == 1
    return written if is_plain else f"{written} = {decimal}"


def lower_case(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title[0].lower() + title[1:]
