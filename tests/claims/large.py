"""Documents of claims that are large enough for the rule in arrays: true ones by hand, and each with one fault.

With 64 inputs and outputs there are 4,096 entries. Under the uniform distribution p = 1/64 every claim here can be
checked with a pencil.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from typing import Any

Json = dict[str, Any]
SIDE = 64
UNIFORM = [f"1/{SIDE}"] * SIDE
HAMMING = {"name": "hamming"}
# Every wrong answer costs 1, written out.
TABLE = {"matrix": [["0" if x == y else "1" for y in range(SIDE)] for x in range(SIDE)]}
# The right answer costs 1, the others 2: no distortion is below 1.
DEAR = {"matrix": [["1" if x == y else "2" for y in range(SIDE)] for x in range(SIDE)]}
HAIR = Fraction(1, 10**30)
_DOWN = Context(prec=40, rounding=ROUND_FLOOR)


def document(notion: Json, excluded: Json, distortion: Json = HAMMING, **rest: Any) -> Json:
    """Return a proof of what is excluded about 64 categories."""
    problem = {"notion": notion, "source": {"prior": UNIFORM}, "distortion": distortion, **rest}
    return {"schema": "epstar/proof/2", "problem": problem, "excluded": excluded}


def excluded(loss: str, distortion: object, step: Json, end: str = "distortion", **rest: Any) -> Json:
    """Return a claim of one step under the uniform distribution."""
    return {"loss": loss, "distortion": str(distortion), "open": end, **rest, "steps": [{"laws": [["1", 0]], **step}]}


def prices(price: object, first: object | None = None) -> list[str]:
    """Return equal multiples of all rows, but perhaps for the first."""
    return [str(price if first is None else first), *[str(price)] * (SIDE - 1)]


# Row prices P of a spread at e^L = 3: 63 (1/64 - P) = 3 P, so that P = 63 / (64 * 66), and the distortion is 64 P.
SPREAD_PRICE = Fraction(63, 64 * 66)
# A maximum by its diagonal at e^L = 2: 1 - 2/64.
SHARES = [[y, y, "1"] for y in range(SIDE)]
# The conjugate at the slope 5: e^(64 P) (1 + 63 e^-5) = 64, rounded down.
_SUM = _DOWN.ln(_DOWN.divide(_DOWN.create_decimal(64), 1 + 63 * _DOWN.exp(_DOWN.create_decimal(-5))))
CONJUGATE_SUM = Fraction(_DOWN.create_decimal(_SUM)).limit_denominator(10**9) - Fraction(1, 10**8)


def spread(price: Fraction = SPREAD_PRICE, distortion: Fraction = 64 * SPREAD_PRICE, **step: Any) -> Json:
    """Return the claim that differential privacy at log 3 costs 21/22."""
    return excluded("log(3)", distortion, {"rows": prices(price), "spread": True, **step})


def maximum(shares: list[list[Any]] = SHARES, price: object = "1/64", **step: Any) -> Json:
    """Return the claim that no maximal leakage below log 2 has a distortion of 31/32."""
    return excluded("log(2)", "31/32", {"sums": [[[], "1/64", shares]], "rows": prices(price), **step}, "loss")


def conjugate(more: Fraction = Fraction(0), **step: Any) -> Json:
    """Return what a mutual information is at the least where the distortion is 1/4."""
    loss, price = CONJUGATE_SUM - Fraction(5, 4), CONJUGATE_SUM / SIDE + more
    sums = {"sums": [[[0], "1", "conjugate"]], "rows": prices(price), **step}
    found = excluded(str(loss), "1/4", sums, "loss", points=[[["1", 0]]])
    found["steps"][0]["laws"] = [["5", 0]]
    return found


def tangents(
    place: str, distortion: object = "-1/100", loss: str = "1/10", multiple: str = "1/100", **rest: Any
) -> Json:
    """Return a claim by tangents of one divergence at one place: what they add to one row they take from another."""
    name, rows = rest.pop("name", [0, 1]), ["-1/50", "-1/50", *["0"] * (SIDE - 2)]
    return excluded(loss, distortion, {"sums": [[name, multiple, [[place] * SIDE]]], "rows": rows, **rest})


def renyi(order: str) -> Json:
    """Return a notion of Rényi's."""
    return {"name": "renyi_differential_privacy", "order": order}


PRIVACY = {"name": "differential_privacy"}
LEAKAGE = {"name": "maximal_leakage"}
INFORMATION = {"name": "mutual_information"}


def true() -> Iterator[tuple[str, Json]]:
    """Yield documents that hold: one for each form of arrays, and for each border beyond which exact numbers decide."""
    yield "spread", document(PRIVACY, spread())
    yield "spread of a table", document(PRIVACY, spread(), TABLE)
    yield (
        "spread of long numbers",
        document(PRIVACY, spread(SPREAD_PRICE - Fraction(1, 3**800), 20 * SPREAD_PRICE), TABLE),
    )
    fine = {"matrix": [["0" if x == y else f"{10**400 + x}/{10**400}" for y in range(SIDE)] for x in range(SIDE)]}
    yield "spread of long costs", document(PRIVACY, spread(SPREAD_PRICE, 60 * SPREAD_PRICE), fine)
    yield "spread with a ratio", document(PRIVACY, spread(ratios=[[0, 1, 0, "0"]]))
    yield (
        "a distortion below the least",
        document(LEAKAGE, excluded("infinity", "99/100", {"rows": prices("1/64")}, "loss"), DEAR),
    )
    yield (
        "the least distortion",
        document(PRIVACY, {**excluded("0", "1", {"rows": prices("1/64")}, "distortion")}, DEAR),
    )
    forced = excluded("infinity", "0", {}, "loss")
    forced["steps"].append({"ratios": [[0, 1, 0, "1"]], "rows": ["1", *["0"] * (SIDE - 1)]})
    yield "the truth alone", document(PRIVACY, forced)
    yield "the truth alone, of a table", document(PRIVACY, forced, TABLE)
    thrice = excluded("infinity", "0", {}, "loss")
    thrice["steps"] += [{"ratios": [[0, 1, 0, "1"]]}, {"laws": [["1", 0]], "rows": ["1", *["0"] * (SIDE - 1)]}]
    yield "the truth alone, in three steps", document(PRIVACY, thrice)
    for name, cost in (("letters", HAMMING), ("a table", TABLE)):
        # Below log 3 what costs more than its price vanishes, and with it the row of the first input.
        emptied = {**spread(), "open": "loss"}
        emptied["steps"].append({"ratios": [[0, 1, 0, "1"]], "rows": ["1", *["0"] * (SIDE - 1)]})
        yield f"spread of {name}, the loss open", document(PRIVACY, emptied, cost)
    yield "maximum", document(LEAKAGE, maximum())
    yield "maximum of a table", document(LEAKAGE, maximum(), TABLE)
    halves = [[y, y, "1/2"] for y in range(SIDE)] * 2
    yield "maximum in halves", document(LEAKAGE, maximum(halves))
    yield "conjugate", document(INFORMATION, conjugate())
    yield "conjugate of a table", document(INFORMATION, conjugate(), TABLE)
    yield "conjugate to the last digit", document(INFORMATION, conjugate(Fraction(1, 64 * 10**8) - Fraction(1, 10**13)))
    for order in ("1", "2", "1/2", "40"):
        yield f"tangents of order {order}", document(renyi(order), tangents("1", "-1"))
        yield f"tangents of order {order} far out", document(renyi(order), tangents("3", "-1", "1/10", "1e-30"))
    yield "tangents of a tiny order", document(renyi("1e-20"), tangents("1", "-1"))
    yield "tangents of a huge order", document(renyi("1e20"), tangents("1", "-1", "1/10", "1e-40"))
    yield "tangents of a huge multiple", document(renyi("2"), tangents("1e-200", "-1e300", "1/10", "1e200"))
    yield "tangents at a huge loss", document(renyi("2"), tangents("1", "-1", "2000"))
    twice = tangents("1", "-1")
    twice["steps"][0]["sums"].append([[1, 0], "1/100", [["1"] * SIDE]])
    yield "tangents both ways", document(renyi("2"), twice)
    pointwise = tangents("1", "-2", rows=prices("-1/50"))
    pointwise["points"] = [[["1", 0]]]
    yield "tangents of a pointwise leakage", document({"name": "pointwise_leakage"}, pointwise)
    yield "by many distances", by_distances("1/2")
    below = by_distances("-1")
    below["excluded"]["steps"] = [{"laws": [["1"]]}]
    yield "by many distances, of no bound", below
    yield "a large mechanism", mechanism("63/2")
    huge = mechanism("1e200")
    huge["problem"]["distortion"] = {"matrix": [["1e200"] * 2 * SIDE] * 2 * SIDE}
    yield "a large mechanism of huge costs", huge


def by_distances(distortion: str) -> Json:
    """Return what a maximal leakage excludes of databases with thousands of rows, all by one price."""
    rows = SIDE * SIDE
    claim = {
        "loss": f"log({2 ** (rows - 1)})",
        "distortion": distortion,
        "open": "distortion",
        "symmetry": "distances",
        "steps": [{"laws": [["1"]], "rows": ["1"], "sums": [[[], f"1/{2**rows}", [[0, 0, "1"]]]]}],
    }
    rest: Json = {"source": {"rows": {"prior": ["1/2", "1/2"]}}, "universe": {"databases": {"size": 2, "rows": rows}}}
    return document(LEAKAGE, claim, **rest)


def mechanism(distortion: str, size: int = 2 * SIDE) -> Json:
    """Return the claim that answers of one half, whichever the input is in, cost their mean distance on a circle."""
    half = size // 2
    rows = [[f"1/{half}" if (x < half) == (y < half) else "0" for y in range(size)] for x in range(size)]
    costs = [[str((x - y) % half) for y in range(size)] for x in range(size)]
    asked = {"notion": LEAKAGE, "source": {"prior": [f"1/{size}"] * size}, "distortion": {"matrix": costs}}
    claim = {"loss": "log(2)", "distortion": distortion, "mechanism": {"rows": rows}}
    return {"schema": "epstar/proof/2", "problem": asked, "attained": claim}


def false() -> Iterator[tuple[str, Json]]:
    """Yield documents that do not hold, each for one reason."""
    for name, cost in (("", HAMMING), (" of a table", TABLE)):
        yield f"spread{name}: price by a hair", document(PRIVACY, spread(SPREAD_PRICE + HAIR), cost)
        yield f"spread{name}: claim by a hair", document(PRIVACY, spread(SPREAD_PRICE, 64 * SPREAD_PRICE + HAIR), cost)
        yield (
            f"spread{name}: slack",
            document({"name": "approximate_differential_privacy", "delta": "1e-9"}, spread(), cost),
        )
        yield f"spread{name}: price and claim", document(PRIVACY, spread(Fraction(1, 64), Fraction(1)), cost)
    # The slack of a ratio costs a thousandth, which nobody pays.
    slack = {"name": "approximate_differential_privacy", "delta": "1/1000"}
    yield (
        "ratios with a slack",
        document(slack, excluded("log(3)", "999/1000", {"ratios": [[0, 1, 0, "1"]], "rows": prices("1/64")}), DEAR),
    )
    ratio = [[0, 1, 0, "1/64"]]
    yield (
        "ratios that take",
        document(PRIVACY, excluded("log(3)", "1", {"ratios": ratio, "rows": prices("1/64")}), DEAR),
    )
    yield "the least by a hair", document(PRIVACY, excluded("0", 1 + HAIR, {"rows": prices("1/64")}), DEAR)
    yield "the least with dear rows", document(PRIVACY, excluded("0", 2, {"rows": prices("1/32")}), DEAR)
    forced = excluded("infinity", "0", {}, "loss")
    forced["steps"].append({"ratios": [[0, 1, 1, "1"]], "rows": ["1", *["0"] * (SIDE - 1)]})
    yield "not only the truth", document(PRIVACY, forced)
    yield "not only the truth, of a table", document(PRIVACY, forced, TABLE)
    for name, cost in (("letters", HAMMING), ("a table", TABLE)):
        kept = {**spread(), "open": "loss"}
        kept["steps"].append({"rows": ["1", *["0"] * (SIDE - 1)]})
        yield f"spread of {name}: a row that is not empty", document(PRIVACY, kept, cost)
    yield "no law at all", document(PRIVACY, {**excluded("1", "1", {}), "steps": [{"rows": prices("-1/64")}]})
    yield "by many distances, by a hair", by_distances(f"{10**30 + 1}/{2 * 10**30}")
    yield "a large mechanism by a hair", mechanism(f"{63 * 10**30 - 1}/{2 * 10**30}")
    yield (
        "a large mechanism that loses more",
        {**mechanism("63/2"), "attained": {**mechanism("63/2")["attained"], "loss": "log(199/100)"}},
    )
    yield "maximum: price by a hair", document(LEAKAGE, maximum(price=Fraction(1, 64) + HAIR))
    yield "maximum: dear rows", document(LEAKAGE, maximum(price="2"))
    elsewhere = [[y, (y + 1) % SIDE, "1"] for y in range(SIDE)]
    yield "maximum: shares beside the diagonal", document(LEAKAGE, maximum(elsewhere))
    yield "maximum: shares of more than one", document(LEAKAGE, maximum([[y, y, "1"] for y in range(SIDE)] * 2, "1/64"))
    larger = [[y, y, "2"] for y in range(SIDE)]
    yield (
        "maximum: larger shares",
        document(
            LEAKAGE, excluded("log(2)", "63/64", {"sums": [[[], "1/128", larger]], "rows": prices("1/64")}, "loss")
        ),
    )
    yield "maximum: a negative share", document(LEAKAGE, maximum([*SHARES[:-1], [SIDE - 1, SIDE - 1, "-1"]]))
    yield "maximum of costs that differ", document(LEAKAGE, maximum(), {"matrix": [["0"] * SIDE] * SIDE})
    yield "conjugate: price", document(INFORMATION, conjugate(Fraction(1, 10**6)))
    yield "conjugate of a table: price", document(INFORMATION, conjugate(Fraction(1, 10**6)), TABLE)
    yield "conjugate: half its multiple", document(INFORMATION, conjugate(sums=[[[0], "1/2", "conjugate"]]))
    unused = document(INFORMATION, conjugate())
    unused["problem"]["source"] = {"prior": [*[f"1/{SIDE - 1}"] * (SIDE - 1), "0"]}
    unused["excluded"]["steps"][0]["rows"] = [*["0"] * (SIDE - 1), "5"]
    yield "conjugate: an input that never is", unused
    yield (
        "conjugate of a table: an input that never is",
        {
            **unused,
            "problem": {**unused["problem"], "distortion": TABLE},
        },
    )
    faint = document(INFORMATION, conjugate())
    faint["problem"]["source"] = {"prior": ["1e-300", f"{2 * 10**300 - SIDE}/{SIDE * 10**300}", *UNIFORM[2:]]}
    yield "conjugate: an input that hardly is", faint
    yield "conjugate: huge", document(INFORMATION, conjugate(laws=[["1e200", 0]], rows=prices("1e198")))
    for order in ("1", "2", "1/2"):
        for place in ("-1", "0", "-1e-40", "-3999/1000"):
            yield f"tangents of order {order} at {place}", document(renyi(order), tangents(place, "0"))
        yield f"tangents of order {order}: claim", document(renyi(order), tangents("1", "1/100"))
        yield f"tangents of order {order}: rows", document(renyi(order), tangents("1", "-1", rows=prices("1/64")))
        yield f"tangents of order {order}: negative multiple", document(renyi(order), tangents("1", "1", multiple="-1"))
    short = tangents("1")
    short["steps"][0]["sums"][0][2] = [["1"] * (SIDE - 1)]
    yield "a tangent too few", document(renyi("2"), short)
    null = tangents("1")
    null["steps"][0]["sums"][0][2][0][5] = None
    yield "a tangent without a place", document(renyi("2"), null)
    # What floats cannot hold vanishes, and so does what it would take.
    yield "tangents that vanish", document(renyi("2"), tangents("1e-140", "-1", "1/10", "1e-200", rows=prices(0)))
    # Below e^-700 an exponential is no longer told from e^-700.
    yield (
        "tangents beyond e^-700",
        document(renyi("2"), tangents("1", "-2", "2000", "1", rows=["1e-310", "-1/50", *prices(0)[2:]])),
    )
    yield "tangents of an order without end", document(renyi("1e300"), tangents("1", "-1e50", "1e-299", "1e40"))
    own = tangents("1", "-2", rows=prices(0, "-1/50"))
    own["points"] = [[["1", 0]]]
    yield "tangents to the law of the output", document({"name": "pointwise_leakage"}, own)
    norm = tangents("1", "-2", name=[0], rows=prices(0))
    norm["points"], norm["steps"][0]["sums"][0][2] = [[["1", 0]]], [["1"] * SIDE] * SIDE
    yield "tangents of a norm", document({"name": "sibson_mutual_information", "order": "1/2"}, norm)
    yield "tangents of huge numbers", document(renyi("2"), tangents("1e250", "-1", "1/10", "1e250"))
    yield "tangents of tiny numbers", document(renyi("2"), tangents("1e-250", "1", "1/10", "1e-250"))
