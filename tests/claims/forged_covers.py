"""Claims over regions that rest on a cover which leaves something out: a corner, a cone, or a hair of each.

Each claims a little less than a mechanism loses at a corner of its region, and names a cover that would prove it if
what the forgery changed were believed.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

from tests.claims.forged_attained import attained
from tests.proofs.certificates import CELLS, CURVED, Document, proof, response
from tests.proofs.covers import covered

Json = Any
Forgery = Callable[[Json, list[Json], Json], None]

# Half of the four categories is told truly; at (5/12, 5/12, 1/12, 1/12) a guess is right 41/30 times as often.
FOUR = {"ball": {"center": ["1/12", "5/6", "0", "1/12"], "radius": "5/6"}}
BOX = {"box": {"lower": ["1/2", "1/10", "1/10"], "upper": ["7/10", "2/5", "2/5"]}}
SLICE = {
    "polytope": {"matrix": [["1", "-2", "0"], ["-1", "0", "0"]], "bounds": ["0", "-1/2"], "member": ["1/2", "1/2", "0"]}
}
HULL = {"hull": [["1/2", "3/8", "1/8"], ["3/4", "1/8", "1/8"], ["1/2", "1/8", "3/8"]]}
LOCAL = {"name": "local_information_privacy", "delta": "1/20"}
HAIR = Fraction(1, 10**12)


def _said(notion: Document | str, source: Document, loss: str, size: int) -> Json:
    own = Fraction(1, 2) if size == 4 else Fraction(3, 5)
    mechanism = response(size, str(own), str((1 - own) / (size - 1)))
    return covered(proof(notion, source, attained=attained(loss, "infinity", mechanism)))


TRUE: dict[str, Document] = {
    "guesses over a ball": _said("min_entropy_leakage", FOUR, "log(41/30)", 4),
    "guesses over a box": _said("min_entropy_leakage", BOX, "log(32/25)", 3),
    "guesses over a polytope": _said("min_entropy_leakage", SLICE, "log(7/5)", 3),
    "guesses over a hull": _said("min_entropy_leakage", HULL, "log(5/4)", 3),
    "divergences over a ball": _said("pointwise_leakage", FOUR, "0.36620409622270324", 4),
    "divergences over a box": _said("pointwise_leakage", BOX, "0.30738624432947047", 3),
    "divergences over a polytope": _said("pointwise_leakage", SLICE, "0.38754267637022696", 3),
    "events over a box": _said(LOCAL, BOX, "log(43/20)", 3),
}


def _worst(document: Json) -> list[Json]:
    """Return the corners of a cover at which the mechanism loses most, measured by definition."""
    rows = [[Fraction(q) for q in row] for row in document["attained"]["mechanism"]["rows"]]
    columns = list(zip(*rows, strict=True))
    corners, source = document["attained"]["cover"]["corners"], document["problem"]["source"]
    rises = document["problem"]["notion"]["name"] == "min_entropy_leakage"

    def loss(corner: Json) -> float:
        point = [Fraction(p) for p in corner[0]]
        if not rises:
            chances = [sum((p * q for p, q in zip(point, c, strict=True)), Fraction(0)) for c in columns]
            return max(float(max(q / r for q in c)) for c, r in zip(columns, chances, strict=True))
        *p, t = point
        if "hull" in source:
            p = [
                sum((w * Fraction(a) for w, a in zip(p, c, strict=True)), Fraction(0))
                for c in zip(*source["hull"], strict=True)
            ]
        return float(sum((max(a * b for a, b in zip(p, c, strict=True)) for c in columns), Fraction(0)) / t)

    most = max(map(loss, corners))
    return [corner for corner in corners if loss(corner) > most * (1 - 1e-9)]


def _moved(point: Json, share: Fraction, towards: Json) -> list[str]:
    return [str((1 - share) * Fraction(a) + share * Fraction(b)) for a, b in zip(point, towards, strict=True)]


def _without(cover: Json, worst: list[Json], _: Json) -> None:
    cover["corners"] = [corner for corner in cover["corners"] if corner not in worst]


def _elsewhere(cover: Json, worst: list[Json], claim: Json) -> None:
    _without(cover, worst, claim)
    cover["corners"][0:1] = [
        [*corner, *(cone for other in worst for cone in other[1:])] for corner in cover["corners"][:1]
    ]


def _pulled(cover: Json, worst: list[Json], _: Json) -> None:
    inside = cover["corners"][0][0] if cover["corners"][0] not in worst else cover["corners"][-1][0]
    for corner in worst:
        corner[0] = _moved(corner[0], HAIR, inside)


def _shrunk(cover: Json, _: list[Json], __: Json) -> None:
    points = [[Fraction(p) for p in corner[0]] for corner in cover["corners"]]
    middle = [sum(column, Fraction(0)) / len(points) for column in zip(*points, strict=True)]
    for corner in cover["corners"]:
        corner[0] = _moved(corner[0], HAIR, middle)


def _bare(cover: Json, worst: list[Json], claim: Json) -> None:
    _without(cover, worst, claim)
    cover["corners"] = [corner[:1] for corner in cover["corners"]]


def _twice(cover: Json, worst: list[Json], claim: Json) -> None:
    _without(cover, worst, claim)
    cover["corners"] += [[point, *(cones * 2)] for point, *cones in deepcopy(cover["corners"])]


def _turned(cover: Json, worst: list[Json], claim: Json) -> None:
    """What is missing is patched by the cones that are left, with their sides in another order."""
    _without(cover, worst, claim)
    cover["corners"] += [[point, *(cone[::-1] for cone in cones)] for point, *cones in deepcopy(cover["corners"])]


def _repeated(cover: Json, worst: list[Json], claim: Json) -> None:
    """A side stands twice in a cone, so that it is flat and all its faces are said to cancel."""
    _without(cover, worst, claim)
    for corner in cover["corners"]:
        corner[1:] = [[cone[0], cone[0], *cone[2:]] for cone in corner[1:]]


def _long(cover: Json, worst: list[Json], claim: Json) -> None:
    _without(cover, worst, claim)
    for corner in cover["corners"]:
        corner[1:] = [cone[:-1] for cone in corner[1:]]


def _raised(cover: Json, worst: list[Json], _: Json) -> None:
    """The likeliest is said to be likelier than it is, or weights to sum to more than one."""
    for corner in worst:
        corner[0][-1] = str(Fraction(corner[0][-1]) * (1 + Fraction(1, 50)))


def _empty(cover: Json, _: list[Json], __: Json) -> None:
    cover["corners"] = []


def _missing(_: Json, __: list[Json], claim: Json) -> None:
    del claim["cover"]


def _foreign(cover: Json, worst: list[Json], claim: Json) -> None:
    """Sets of inputs are no sides of this source, or these are none of its inputs."""
    _without(cover, worst, claim)
    cover["sets"] = [*cover.get("sets", []), [], [0, 9], [0]]


def _untouched(_: Json, __: list[Json], ___: Json) -> None:
    """Nothing but the claim is false."""


FORGERIES: dict[str, Forgery] = {
    "as it is": _untouched,
    "without the worst corner": _without,
    "with its cones at another": _elsewhere,
    "with the worst corner pulled in by a hair": _pulled,
    "shrunk by a hair": _shrunk,
    "without cones": _bare,
    "with cones twice": _twice,
    "with cones turned round": _turned,
    "with a side twice in each cone": _repeated,
    "with cones too short": _long,
    "with the worst corner raised": _raised,
    "without corners": _empty,
    "not there": _missing,
    "of sets that are no sides": _foreign,
}
LESS = {
    "guesses over a ball": "log(1.3666666666666)",
    "guesses over a box": "log(1.2799999999999)",
    "guesses over a polytope": "log(1.3999999999999)",
    "guesses over a hull": "log(1.2499999999999)",
    "divergences over a ball": "0.3662040962226",
    "divergences over a box": "0.3073862443293",
    "divergences over a polytope": "0.3875426763701",
    "events over a box": "log(2.1499999999999)",
}


def _forged(document: Json, loss: str, forgery: Forgery) -> Json:
    found = deepcopy(document)
    claim = found["attained"]
    claim["loss"] = loss
    forgery(claim["cover"], _worst(found), claim)
    return found


def _changed_rows(document: Document, covers: Json) -> Json:
    found = deepcopy(document)
    found["attained"]["covers"] = covers
    found["attained"]["loss"] = "0" if document is CURVED else "log(15.9999999)"
    found["attained"]["distortion"] = "1.4999999" if document is CURVED else "0"
    return found


_SHORT = [{"corners": [[["0.2500001", "0.7499999"], [2]], [["0.7499999", "0.2500001"], [3]]]}]
_INNER = [{"corners": [[["1/2", "1/2"], [2], [3]]]}]
ROWS: dict[str, Json] = {
    f"{name}, {kind}": _changed_rows(document, covers)
    for name, document in (("rows", CURVED), ("cells", CELLS))
    for kind, covers in (
        ("shrunk", _SHORT),
        ("of one point", _INNER),
        ("none", [None]),
        ("of two rows", [*document["attained"]["covers"] * 2]),
        ("of no row", []),
        ("of one side", [{"corners": [[["1/2", "1/2"], [2]]]}]),
        ("as it is", document["attained"]["covers"]),
    )
}


def _with(name: str, loss: str = "", **fields: Json) -> Json:
    found = deepcopy(TRUE[name])
    claim = found["attained"]
    claim["loss"] = loss or claim["loss"]
    return {**found, "attained": {**claim, **fields}}


def _cover_of(name: str, loss: str = "", **fields: Json) -> Json:
    return _with(name, loss, cover={**TRUE[name]["attained"]["cover"], **fields})


# One number of the box is known, so that two of its sides are opposite: a cone of both is flat.
_KNOWN = {"box": {"lower": ["1/2", "1/10", "1/10"], "upper": ["1/2", "2/5", "2/5"]}}
_FLAT = {"corners": [[["1/2", "1/4", "1/4"], [3, 6]]]}
# The sides p(0) <= t, p(1) <= t, t <= 1 are numbered from 3; the points are on them, and no distributions.
_SUMS = {"corners": [[["0", "0", "0"], [3, 4]], [["1", "-5", "1"], [2, 3]], [["-5", "1", "1"], [2, 4]]]}
# The upper bounds of the box alone hold it; two corners of theirs are no distributions.
_BEYOND = {
    "corners": [
        [["1/5", "2/5", "2/5"], [7, 8]],
        [["7/10", "-1/10", "2/5"], [6, 8]],
        [["7/10", "2/5", "-1/10"], [6, 7]],
    ]
}
SHAPES: dict[str, Json] = {
    "a flat cone": proof(
        "pointwise_leakage", _KNOWN, attained=attained("0.24", "infinity", response(3, "3/5", "1/5"), cover=_FLAT)
    ),
    "points of no sum": proof(
        "min_entropy_leakage",
        {"everything": 2},
        attained=attained("0", "infinity", response(2, "3/5", "2/5"), cover=_SUMS),
    ),
    "sets of a box": _cover_of("divergences over a box", sets=[[0]]),
    "a set of no input": _cover_of("guesses over a ball", sets=[[4]]),
    "a corner of nothing": _cover_of("divergences over a box", corners=[[]]),
    "a point below nothing": _cover_of("divergences over a box", corners=[[["2", "-1", "0"], [0, 1]]]),
    "a point of another size": _cover_of("divergences over a box", corners=[[["1"], [0, 1]]]),
    "points beyond the simplex": _with("divergences over a box", "2", cover=_BEYOND),
    "an empty polytope": proof(
        "differential_privacy",
        {"polytope": {"matrix": [["1", "1"]], "bounds": ["0"], "member": ["1/2", "1/2"]}},
        attained=attained("0", "0", {"rows": [["1", "0"]] * 2}, multipliers=[["10"]]),
    ),
    "covers of no rows": _with("divergences over a box", covers=[None]),
}


def _boxed(forgery: Callable[[Json], Json]) -> Json:
    found = _with("divergences over a ball", LESS["divergences over a ball"])
    found["attained"]["cover"] = {"boxes": forgery(deepcopy(found["attained"]["cover"]["boxes"]))}
    return found


def _pulled_in(boxes: Json) -> Json:
    for corner in (corner for part in boxes for corner in part):
        corner[0] = _moved(corner[0], Fraction(1, 100), ["1/12", "5/6", "0", "1/12"])
    return boxes


BOXES: dict[str, Callable[[Json], Json]] = {
    "as they are": lambda boxes: boxes,
    "one left out": lambda boxes: [boxes[1], boxes[1], *boxes[2:]],
    "too few": lambda boxes: boxes[1:],
    "too many": lambda boxes: [*boxes, boxes[0]],
    "none": lambda _: [],
    "empty": lambda boxes: [[] for _ in boxes],
    "exchanged": lambda boxes: boxes[::-1],
    "without their first corners": lambda boxes: [part[1:] for part in boxes],
    "without their last corners": lambda boxes: [part[:-1] for part in boxes],
    "without cones": lambda boxes: [[[point] for point, *_ in part] for part in boxes],
    "pulled in": _pulled_in,
}
UNTRUE: dict[str, Json] = {
    **SHAPES,
    **{
        f"{name}, {kind}": _forged(TRUE[name], LESS[name], forgery)
        for name in TRUE
        if "corners" in TRUE[name]["attained"]["cover"]
        for kind, forgery in FORGERIES.items()
    },
    **{f"boxes, {kind}": _boxed(forgery) for kind, forgery in BOXES.items()},
    **ROWS,
}
