"""Short names, for those who type them: on the command line, and as arguments of `epstar.Frontier`.

Nothing of epstar is imported here, so that `epstar --help` is quick.
"""

from collections.abc import Iterable

SHORT_NAMES = {
    "dp": "differential_privacy",
    "approximate": "approximate_differential_privacy",
    "renyi": "renyi_differential_privacy",
    "information": "mutual_information",
    "sibson": "sibson_mutual_information",
    "leakage": "maximal_leakage",
    "zcdp": "concentrated_differential_privacy",
    "gdp": "gaussian_differential_privacy",
}
"""Notions, by what people call them; their names in problem files are beside them."""

_ALSO = {
    "adp": "approximate_differential_privacy",
    "rdp": "renyi_differential_privacy",
    "mi": "mutual_information",
}

COSTS = ("hamming", "absolute", "squared")
"""Distortions that are told by their name alone."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the known word that comes nearest, and nothing where none comes near.

    >>> suggestion("slove", ["solve", "curve"])
    ' (did you mean solve?)'
    """
    from difflib import get_close_matches

    words = list(known)
    begins = [one for one in words if word and one.startswith(word)]
    near = get_close_matches(word, words, 1, 0.5) or begins[:1] or [one for one in words if word and word in one][:1]
    return f" (did you mean {near[0]}?)" if near else ""


def full_name(notion: str) -> str:
    """Return the name of a notion in problem files.

    >>> full_name("dp"), full_name("capacity")
    ('differential_privacy', 'capacity')
    """
    return SHORT_NAMES.get(notion) or _ALSO.get(notion, notion)
