"""The notions as people choose them: a title, what it asks, and parameters to begin with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from epstar.names import SHORT_NAMES
from epstar.notions import NOTIONS, Notion, from_problem

# What a parameter that has to be given begins with.
_BEGINNINGS = {"delta": "1/100000", "order": "2"}
_QUESTIONS: Mapping[str, str] = {
    "differential_privacy": "How much likelier can one input make an output than another input?",
    "approximate_differential_privacy": "How much likelier can one input make an output, apart from rare exceptions?",
    "renyi_differential_privacy": "How far apart are the outputs of two inputs, by a moment of their likelihood ratio?",
    "mutual_information": "How much does an output tell about the input, on average?",
    "capacity": "How much does an output tell about the input on average, for the worst of the possible distributions?",
    "sibson_mutual_information": "How much does an output tell, where revealing outputs count for more?",
    "maximal_leakage": "How much easier does any guess about the input become?",
    "maximal_information": "How much likelier can an output make an input than it was before?",
    "identifiability": "After an output, how much likelier is one input than another?",
    "local_information_privacy": "By which factor can an output raise or lower the probability of an input?",
    "pointwise_leakage": "How much do outputs tell about the input that they tell most about?",
    "min_entropy_leakage": "How much likelier is a right guess of the input in one try?",
    "g_leakage": "How much more does the best guess gain, for an adversary whose gains are given?",
    "concentrated_differential_privacy": "How far apart are the outputs of two inputs, by every moment at once?",
    "gaussian_differential_privacy": "Which two normal distributions are as easy to tell apart as two inputs?",
    "min_entropy_capacity": "How much likelier is a right guess in one try, for the worst distribution of the inputs?",
}


def usual_notions() -> Iterator[Notion]:
    """Yield every notion that has curves and whose parameters are numbers, with those it begins with."""
    for name, kind in NOTIONS.items():
        if not kind.is_general and not needs_table(name):
            yield from_problem({"name": name, **{key: _BEGINNINGS[key] for key in _needed(name)}})


@dataclass(frozen=True)
class Entry:
    """A notion as people choose it."""

    name: str
    short: str
    title: str
    question: str
    parameters: Mapping[str, str]
    needs_source: bool
    unit: str

    def to_json(self) -> dict[str, object]:
        """Return the entry as JSON holds it."""
        return {**vars(self), "parameters": dict(self.parameters)}


def catalogue() -> list[Entry]:
    """Return the notions, in the order in which they are shown."""
    short = {name: key for key, name in SHORT_NAMES.items()}
    return [
        Entry(
            name,
            short.get(name, ""),
            notion.title,
            _QUESTIONS.get(name, ""),
            {key: _BEGINNINGS[key] for key in _needed(name) if key in _BEGINNINGS},
            notion.needs_source,
            notion.unit,
        )
        for name, notion in NOTIONS.items()
    ]


def needs_table(name: str) -> bool:
    """Return whether a notion has a parameter that is more than a number, such as a table of gains.

    >>> needs_table("g_leakage"), needs_table("differential_privacy")
    (True, False)
    """
    return not set(_needed(name)) <= set(_BEGINNINGS)


def _needed(name: str) -> list[str]:
    parameters = inspect.signature(NOTIONS[name]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is parameter.empty]
