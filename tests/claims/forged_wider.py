"""Claims about secrets, limits, further guarantees and families of bounds: true ones, and those one guard refuses."""

from __future__ import annotations

from tests.proofs.certificates import EVEN, TWO, Document, proof, response
from tests.proofs.forgeries import attained, excluded

POINT = {"points": [[["1", 0]]]}
THREE = response(2, "3/4", "1/4")


def wider(document: Document, **fields: object) -> Document:
    """Return a proof with more fields in its problem."""
    return {**document, "problem": {**document["problem"], **fields}}


# Entries of at most 4/5: the cost is 1/5 at any loss. Half of each bound on the diagonal, and prices of 1/2.
UPPER = {"mechanism": {"upper": "4/5"}}
CAPPED = {"laws": [["1", 0]], "limits": [["upper", 0, 0, "1/2"], ["upper", 1, 1, "1/2"]], "rows": ["1/2", "1/2"]}
LIMITED = wider(
    proof(
        "differential_privacy",
        EVEN,
        attained=attained("log(4)", "1/5", response(2, "4/5", "1/5")),
        excluded=excluded("10", "1/5", CAPPED),
    ),
    **UPPER,
)
# At e^L = 3 the cost of two even inputs is 1/4: an eighth of one ratio at each output, and prices of 1/8.
EIGHTHS = {"laws": [["1", 0]], "rows": ["1/8", "1/8"]}


def eighths(*prefix: int) -> Document:
    """Return the step by the ratios of a guarantee, read at a point."""
    return {**EIGHTHS, "ratios": [[*prefix, 0, 1, 0, "1/8"], [*prefix, 1, 0, 1, "1/8"]]}


SECRET = {"secret": {"of": ["a", "b"]}}
BEHIND = wider(
    proof(
        "differential_privacy",
        EVEN,
        attained=attained("log(3)", "1/4", THREE),
        excluded=excluded("log(3)", "1/4", eighths(0, 0), **POINT),
    ),
    **SECRET,
)
ALSO = {"also": [{"notion": {"name": "differential_privacy"}, "loss": "log(3)"}]}
FURTHER = wider(
    proof(
        "differential_privacy",
        EVEN,
        attained=attained("10", "1/4", THREE),
        excluded=excluded("10", "1/4", eighths(1, 0), **POINT),
    ),
    **ALSO,
)
# At mu = 1/10 and the threshold 1 two rows differ by 0.0399 at most: half of the bound at output 0 leaves 0.48 of cost.
HALF = {"laws": [["1", 0]], "ratios": [[0, 0, 0, 0, 1, 0, "1/2"]], "rows": ["1/2", "0"]}
NORMAL = proof(
    "gaussian_differential_privacy",
    EVEN,
    attained=attained("27/20", "1/4", THREE, orders=["-27/40"]),
    excluded=excluded("1/10", "12/25", HALF, **POINT, numbers=["1"]),
)
CONCENTRATED_AT = ["51/50", "11/10", "3/2", "3"]
CONCENTRATED = proof(
    "concentrated_differential_privacy",
    EVEN,
    attained=attained("3/5", "1/4", THREE, orders=CONCENTRATED_AT),
)
BESIDE = wider(
    proof(
        "differential_privacy", EVEN, attained=attained("log(3)", "1/4", THREE, further=[{"orders": CONCENTRATED_AT}])
    ),
    also=[{"notion": {"name": "concentrated_differential_privacy"}, "loss": "3/5"}],
)
# Rows of 3/4 and 1/4 have rho below 11/20, and sum sqrt(p q) below e^(-rho/4): that would cost 0.2547 with certainty.
ROOT = {
    "laws": [["1", 0]],
    "sums": [[[0, 0, 0, 0, 1], "7547/10000", [["3", "1/3"]]]],
    "rows": ["-1/4", "-1/4"],
}
# Input 1 never gives output 0. A bound that allows everything says nothing of input 0.
ONE_WAY = {"mechanism": {"allowed": [[True, True], [False, True]]}}
SPREADING: list[Document] = [{"ratios": [[0, 0, 0, 1, 0, "1"]]}, {"laws": [["1", 0]], "rows": ["1/2", "0"]}]
CLOSED = wider(proof("differential_privacy", EVEN, excluded=excluded("5", "1/2", *SPREADING, **POINT)), **ONE_WAY)
DATABASES = {"databases": {"size": 2, "rows": 2}}
FOUR = {"prior": ["1/4"] * 4}
ROWS = [[{"source": EVEN, "attained": attained("log(3)", "1/4", THREE)}, 2]]
BY_ROWS = proof(
    "differential_privacy", FOUR, universe=DATABASES, attained={"loss": "log(3)", "distortion": "1/2", "rows": ROWS}
)
PART = {
    "source": EVEN,
    "excluded": excluded("log(3)", "1/4", {**EIGHTHS, "ratios": [[0, 1, 0, "1/8"], [1, 0, 1, "1/8"]]}),
}
EXCLUDED_BY_ROWS = proof(
    "differential_privacy",
    FOUR,
    universe=DATABASES,
    excluded={"loss": "log(3)", "distortion": "1/2", "open": "distortion", "rows": [[PART, 2]]},
)

TRUE: dict[str, Document] = {
    "limited": LIMITED,
    "behind": BEHIND,
    "further": FURTHER,
    "normal": NORMAL,
    "concentrated": CONCENTRATED,
    "concentrated beside another": BESIDE,
    "closed": CLOSED,
    "secret given": wider(BEHIND, secret={"given": [["1", "0"], ["0", "1"]], "labels": ["a", "b"]}),
    "equation kept": wider(
        proof("differential_privacy", EVEN, attained=attained("log(3)", "1/4", THREE)),
        mechanism={
            "equations": [[[["1", "0"], ["0", "0"]], "3/4"]],
            "unbiased": {"inputs": ["0", "1"], "outputs": ["-1/2", "3/2"]},
        },
    ),
}


def without(document: Document, claim: str) -> Document:
    """Return a proof without one of its claims."""
    return {key: value for key, value in document.items() if key != claim}


def step(document: Document, **fields: object) -> Document:
    """Return what a proof excludes with other fields in its last step."""
    claim = document["excluded"]
    steps = [*claim["steps"][:-1], {**claim["steps"][-1], **fields}]
    return {**without(document, "attained"), "excluded": {**claim, "steps": steps}}


UNTRUE: dict[str, Document] = {
    "by distances, of a notion that is not known by them": proof(
        "local_information_privacy",
        EVEN,
        universe={"databases": {"size": 2, "rows": 1}},
        attained={"loss": "1", "distortion": "1/4", "mechanism": {"distances": ["3/4", "1/4"]}},
    ),
    # It loses 0.131, the mean over the inputs, which are all alike.
    "by distances, of an input that loses more": proof(
        "pointwise_leakage",
        EVEN,
        universe={"databases": {"size": 2, "rows": 1}},
        attained={"loss": "13/100", "distortion": "1/4", "mechanism": {"distances": ["3/4", "1/4"]}},
    ),
    "by distances, of a mechanism within limits": wider(
        proof(
            "differential_privacy",
            EVEN,
            universe={"databases": {"size": 2, "rows": 1}},
            attained={"loss": "log(3)", "distortion": "1/4", "mechanism": {"distances": ["3/4", "1/4"]}},
        ),
        mechanism={"upper": "2/3"},
    ),
    "an output that is not allowed": wider(
        without(BEHIND, "excluded"), mechanism={"allowed": [[True, False], [True, True]]}
    ),
    "an entry above its bound": wider(without(BEHIND, "excluded"), mechanism={"upper": "1/2"}),
    "a number below what an equation asks": wider(
        without(BEHIND, "excluded"), mechanism={"equations": [[[["1", "0"], ["0", "0"]], "4/5"]]}
    ),
    "a further guarantee that is broken": wider(
        without(FURTHER, "excluded"), also=[{"notion": {"name": "differential_privacy"}, "loss": "log(2)"}]
    ),
    "a secret that is told": {**without(BEHIND, "excluded"), "attained": attained("log(2)", "1/4", THREE)},
    "an event that normal distributions do not have": {
        **NORMAL,
        "attained": attained("1", "1/4", THREE, orders=["-27/40", "-1/2"]),
    },
    "normal distributions compared nowhere": {**NORMAL, "attained": attained("27/20", "1/4", THREE)},
    "an order that is broken": {
        **CONCENTRATED,
        "attained": attained("1/2", "1/4", THREE, orders=CONCENTRATED_AT),
    },
    "orders that begin too late": {**CONCENTRATED, "attained": attained("3/5", "1/4", THREE, orders=["3/2", "3"])},
    "orders that end too early": {**CONCENTRATED, "attained": attained("3/5", "1/4", THREE, orders=["51/50"])},
    "orders that are too far apart": {
        **CONCENTRATED,
        "attained": attained("11/20", "1/4", THREE, orders=["1000001/1000000", "100"]),
    },
    "no orders": {**CONCENTRATED, "attained": attained("3/5", "1/4", THREE)},
    "hints for no guarantee": {**BESIDE, "attained": attained("log(3)", "1/4", THREE)},
    "a guarantee that is not there": step(BEHIND, ratios=eighths(1, 0)["ratios"]),
    "a point that is not there": step(BEHIND, ratios=eighths(0, 1)["ratios"]),
    "a short name": step(BEHIND, ratios=[[0, "1/8"]]),
    "a number that is not there": step(NORMAL, ratios=[[0, 0, 1, 0, 1, 0, "1/2"]]),
    "no number": step(NORMAL, ratios=[[0, 0, 0, "1/2"]]),
    "an order below one": proof(
        "concentrated_differential_privacy", EVEN, excluded=excluded("11/20", "127/500", ROOT, **POINT, numbers=["1/2"])
    ),
    "a point outside the source": {
        **without(BEHIND, "attained"),
        "excluded": {**BEHIND["excluded"], "points": [[["1", ["1/3", "2/3"]]]]},
    },
    "a point outside the source that no bound is read at": {
        **without(BEHIND, "attained"),
        "excluded": {**BEHIND["excluded"], "points": [*POINT["points"], [["1", ["1/3", "2/3"]]]]},
    },
    "a limit that is not there": step(LIMITED, limits=[["upper", 0, 2, "1/2"], ["upper", 1, 1, "1/2"]]),
    "a negative multiple of an inequality": wider(
        proof(
            "differential_privacy",
            EVEN,
            excluded=excluded(
                "10", "1/2", {"limits": [["upper", 0, 0, "-1"], ["upper", 0, 1, "-1"]], "rows": ["-1", "0"]}
            ),
        ),
        **UPPER,
    ),
    "a guarantee at an infinite level": wider(
        proof(
            "differential_privacy",
            EVEN,
            excluded=excluded(
                "5", "1/2", {"ratios": [[1, 0, 0, 1, 0, "1"]]}, {"laws": [["1", 0]], "rows": ["1/2", "0"]}, **POINT
            ),
        ),
        **ONE_WAY,
        also=[{"notion": {"name": "differential_privacy"}, "loss": "infinity"}],
    ),
    "an infinite loss that is not open": wider(
        proof("differential_privacy", EVEN, excluded=excluded("infinity", "1/2", *SPREADING, **POINT)), **ONE_WAY
    ),
    "a sum at an infinite level": wider(
        proof(
            "differential_privacy",
            EVEN,
            excluded=excluded(
                "5",
                "1/2",
                {"laws": [["1", 0]], "sums": [[[1, 0], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": ["1/2", "1/2"]},
                **POINT,
            ),
        ),
        also=[{"notion": {"name": "maximal_leakage"}, "loss": "infinity"}],
    ),
    "limits and rows": wider(BY_ROWS, mechanism={"upper": "1/2"}),
    "limits and rows that exclude": wider(EXCLUDED_BY_ROWS, secret={"of": ["a", "a", "a", "b"]}),
    "the strict loss of a further guarantee": {
        **without(FURTHER, "attained"),
        "problem": {**FURTHER["problem"], "also": [{"notion": {"name": "maximal_leakage"}, "loss": "log(3/2)"}]},
        "excluded": excluded(
            "10",
            "1/4",
            {"laws": [["1", 0]], "sums": [[[1, 0], "1/2", [[0, 0, "1"], [1, 1, "1"]]]], "rows": ["1/2", "1/2"]},
            **POINT,
            open="loss",
        ),
    },
    "a secret of two kinds": wider(BEHIND, secret={"of": ["a", "b"], "given": [["1", "0"], ["0", "1"]]}),
    "a limit that nobody knows": wider(LIMITED, mechanism={"upper": "4/5", "middle": "1/2"}),
    "means of more than inputs and outputs": wider(
        TRUE["equation kept"],
        mechanism={"unbiased": {"inputs": ["0", "1"], "outputs": ["-1/2", "3/2"], "others": []}},
    ),
    "guarantees that are no list": wider(without(BEHIND, "excluded"), also={}),
    "a guarantee with a note": wider(
        without(FURTHER, "excluded"),
        also=[{"notion": {"name": "differential_privacy"}, "loss": "log(3)", "note": "perhaps"}],
    ),
    "a secret that is null": wider(without(BEHIND, "excluded"), secret=None),
    "limits without their prior": wider(
        proof(
            "differential_privacy",
            {"finite": [["1/2", "1/2"], ["2/3", "1/3"]]},
            attained=attained("0", "1", {"rows": [["1", "0"], ["1", "0"]]}),
        ),
        mechanism={"invariant": True},
    ),
    "a region with a secret": wider(
        proof(
            "differential_privacy",
            {"everything": 2},
            attained=attained("0", "1", {"rows": [["1/2", "1/2"], ["1/2", "1/2"]]}),
        ),
        **SECRET,
    ),
    # At its corners, where the input is known, nothing leaks; between them log(8/5) does.
    "a region of a g-leakage": proof(
        {"name": "g_leakage", "gain": [["1", "0"], ["0", "1"]]},
        {"everything": 2},
        attained=attained("log(3/2)", "1/5", response(2, "4/5", "1/5")),
    ),
    "another prior": wider(proof("differential_privacy", TWO, attained=attained("log(3)", "1/5", THREE)), **SECRET),
}
