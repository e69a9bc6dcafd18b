"""Short names, for those who type them: on the command line, and as arguments of `epstar.Frontier`.

Nothing is imported here, so that `epstar --help` is quick.
"""

SHORT_NAMES = {
    "dp": "differential_privacy",
    "approximate": "approximate_differential_privacy",
    "renyi": "renyi_differential_privacy",
    "information": "mutual_information",
    "sibson": "sibson_mutual_information",
    "leakage": "maximal_leakage",
}
"""Notions, by what people call them; their names in problem files are beside them."""

COSTS = ("hamming", "absolute", "squared")
"""Distortions that are told by their name alone."""


def full_name(notion: str) -> str:
    """Return the name of a notion in problem files.

    >>> full_name("dp"), full_name("capacity")
    ('differential_privacy', 'capacity')
    """
    return SHORT_NAMES.get(notion, notion)
