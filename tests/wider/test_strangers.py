"""Questions as strangers ask them, in problem files: each has a proven answer that both checkers accept."""

from __future__ import annotations

import io
import json
from typing import Any

import check_proof
import pytest
from tests.wider.test_numbers import accepted

from epstar import Alphabet, Secret
from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.notions import SibsonMutualInformation

PRIORS: dict[str, dict[str, Any]] = {
    "prior": {"prior": ["1/2", "3/10", "1/5"]},
    "hull": {"hull": [["1/2", "1/2", "0"], ["0", "1/2", "1/2"]]},
    "box": {"box": {"lower": ["1/5"] * 3, "upper": ["3/5"] * 3}},
    "ball": {"ball": {"center": ["1/3"] * 3, "radius": "1/2"}},
    "polytope": {"polytope": {"matrix": [["1", "-1", "0"], ["0", "1", "2"]], "bounds": ["1/10", "1"]}},
}
ADDED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "limits": {"mechanism": {"upper": "9/10"}},
    "also": {"also": [{"notion": {"name": "differential_privacy"}, "loss": 1}]},
}
HAMMING: dict[str, Any] = {"schema": "epstar/problem/2", "distortion": {"name": "hamming"}}


@pytest.mark.parametrize("at", [{"loss": "1/2"}, {"distortion": "9/20"}], ids=str)
@pytest.mark.parametrize("added", ADDED.values(), ids=ADDED)
@pytest.mark.parametrize("source", PRIORS.values(), ids=PRIORS)
def test_sibson_information_of_infinite_order_is_maximal_leakage(
    source: dict[str, Any], added: dict[str, Any], at: dict[str, Any]
) -> None:
    """It is the same whatever the distribution is: over a polytope it had no upper end, with limits no answer."""
    named = {**HAMMING, "source": source, **added, "at": at}
    found = accepted({**named, "notion": {"name": "sibson_mutual_information", "order": "infinity"}})
    known = accepted({**named, "notion": {"name": "maximal_leakage"}})
    assert found.upper - found.lower <= 1e-9
    assert known.lower - 1e-9 <= found.lower <= found.upper <= known.upper + 1e-9


def test_only_informations_of_finite_order_need_a_distribution() -> None:
    assert [SibsonMutualInformation(order).needs_source for order in ("1/2", 1, 2, float("inf"))] == [
        *[True] * 3,
        False,
    ]


ALONE: tuple[tuple[dict[str, Any], float], ...] = (
    (
        {
            "source": {"everything": 1},
            "notion": {"name": "identifiability"},
            "also": [{"notion": {"name": "maximal_information"}, "loss": 0}],
            "distortion": {"matrix": [["3/2", "1/2"]]},
            "at": {"loss": "3/10"},
        },
        0.5,
    ),
    (
        {
            "source": {"hull": [["1"]]},
            "notion": {"name": "concentrated_differential_privacy"},
            "also": [{"notion": {"name": "min_entropy_leakage"}, "loss": 2}],
            "distortion": {"name": "squared"},
            "at": {"distortion": "1/3"},
        },
        0.0,
    ),
)


@pytest.mark.parametrize(("question", "value"), ALONE)
def test_one_category_alone_is_compared_with_nothing(question: dict[str, Any], value: float) -> None:
    """No pair to compare ended in a traceback, no other category to be likelier than in words of the inside."""
    found = accepted({"schema": "epstar/problem/2", **question})
    assert found.lower - 1e-9 <= value <= found.upper + 1e-9
    assert found.upper - found.lower <= 1e-9


IMPOSSIBLE: tuple[dict[str, Any], ...] = (
    {"mechanism": {"upper": "2/5"}, "notion": {"name": "capacity"}, "at": {"loss": 0}},
    {"notion": {"name": "identifiability"}, "at": {"loss": "1/10"}},
    {
        "mechanism": {"allowed": [[True, False], [False, True]]},
        "notion": {"name": "maximal_leakage"},
        "at": {"loss": 0},
    },
)


@pytest.mark.parametrize("question", IMPOSSIBLE, ids=str)
@pytest.mark.parametrize("kind", ["gain", "matrix"])
def test_that_there_is_no_mechanism_is_proven_whatever_answers_are_worth(
    kind: str, question: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of utilities nothing was printed."""
    asked = {"source": {"prior": ["3/4", "1/4"]}, "distortion": {kind: [["1", "0"], ["0", "1/2"]]}, **question}
    document = json.dumps({"schema": "epstar/problem/2", **asked}).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(document)))
    assert main(["solve", "-", "--json"]) == 3
    printed = capsys.readouterr().out
    statements = check_proof.check(printed.encode())
    assert len(statements) == 1
    assert statements[0].endswith("and distortion < infinity")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(printed.encode())))
    assert main(["check", "-"]) == 0


@pytest.mark.parametrize("place", ["universe", "secret"])
def test_edges_of_numbered_nodes_are_positions_in_a_proof(place: str) -> None:
    """[1, 2] in a proof about nodes 1, 2, 3 joins the last two; as labels it would join the first two."""
    graph = {"graph": {"nodes": [1, 2, 3], "edges": [[2, 3]]}}
    of = {"universe": graph} if place == "universe" else {"secret": {"of": [1, 2, 3], "universe": graph}}
    asked = {**HAMMING, "source": {"prior": ["1/2", "1/4", "1/4"]}, "notion": {"name": "differential_privacy"}, **of}
    found = accepted({**asked, "at": {"loss": "log(2)"}})
    # The first node may be told; the truth is a third of the probability of the others.
    assert found.lower - 1e-12 <= 1 / 6 <= found.upper + 1e-12


@pytest.mark.parametrize(("name", "least"), [("hamming", 1 / 4), ("absolute", 1 / 2)])
def test_a_level_that_leaves_no_room_is_kept_exactly(name: str, least: float) -> None:
    """At log(3) a secret of probabilities 3/4 and 1/4 may be told by no output, which rounded factors did not allow."""
    secret = {"of": ["c", "c", "c", "b"]}
    asked = {"source": {"prior": ["1/4"] * 4}, "notion": {"name": "identifiability"}, "secret": secret}
    found = accepted({**HAMMING, **asked, "distortion": {"name": name}, "at": {"loss": "log(3)"}})
    assert least - 1e-12 <= found.lower <= found.upper == pytest.approx(least, abs=1e-15)


def test_a_sum_that_has_more_room_than_bound_excludes_no_level() -> None:
    """It ended undecided, at a bound that would be negative."""
    found = accepted(
        {
            **HAMMING,
            "source": {"everything": 2},
            "notion": {"name": "sibson_mutual_information", "order": "3/2"},
            "distortion": {"name": "absolute"},
            "also": [{"notion": {"name": "mutual_information"}, "loss": "1/2"}],
            "at": {"distortion": "5/12"},
        }
    )
    # Of the symmetric mechanism, which is best.
    # A step went without the one bound that has the loss in it, of no slope at equal rows: the lower end was zero.
    assert found.lower <= 0.02076166348055412 <= found.upper <= found.lower + 1e-9


COMPARED: tuple[dict[str, Any], ...] = (
    {"size": 3},
    {"alphabet": ["low", "middle", "high"]},
    {"metric": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
    {"graph": {"nodes": 3, "edges": [[0, 1], [1, 2]]}},
    {"graph": {"nodes": ["low", "middle", "high"], "edges": [[0, 1], [1, 2]]}},
)


@pytest.mark.parametrize("universe", COMPARED, ids=str)
def test_labels_name_the_values_of_a_secret_that_are_compared(universe: dict[str, Any]) -> None:
    labels = ["low", "middle", "high"]
    given = {"given": [["4/5", "1/5", 0], ["1/5", "3/5", "1/5"], [0, "1/5", "4/5"]], "universe": universe}
    asked = {**HAMMING, "source": {"prior": ["1/3"] * 3}, "notion": {"name": "differential_privacy"}}
    found = accepted({**asked, "secret": {**given, "labels": labels}, "at": {"loss": "log(2)"}})
    same = accepted({**asked, "secret": given, "at": {"loss": "log(2)"}})
    assert (found.lower, found.upper) == (same.lower, same.upper)
    assert found.problem.secret is not None
    assert found.problem.secret.universe.labels == tuple(labels)


def test_labels_that_the_values_of_a_secret_do_not_have_are_refused() -> None:
    with pytest.raises(InvalidInput, match="has other values than the labels; leave the labels out"):
        Secret.given([["1/2", "1/2"], [0, 1]], ["yes", "no"], Alphabet(["no", "yes"]))


@pytest.mark.parametrize("source", [PRIORS["prior"], PRIORS["hull"], {"everything": 3}], ids=str)
@pytest.mark.parametrize("name", ["capacity", "mutual_information"])
def test_a_capacity_of_nothing_beside_another_information_makes_all_inputs_alike(
    name: str, source: dict[str, Any]
) -> None:
    """Of the two one was read at a corner, where it says nothing."""
    asked = {**HAMMING, "source": source, "notion": {"name": name}, "at": {"loss": 1}}
    found = accepted({**asked, "also": [{"notion": {"name": "capacity"}, "loss": 0}]})
    alike = accepted({**asked, "notion": {"name": "differential_privacy"}, "at": {"loss": 0}})
    assert found.upper - found.lower <= 1e-7
    assert alike.lower - 1e-7 <= found.lower <= alike.upper + 1e-7


DEAR: tuple[tuple[dict[str, Any], float], ...] = (
    (
        {
            "source": {"box": {"lower": [0, 0], "upper": [1, 1]}},
            "notion": {"name": "renyi_differential_privacy", "order": "1/2"},
            "distortion": {"matrix": [["1e-20", "1"], ["5", "1e20"]]},
        },
        5.0,
    ),
    (
        {
            "source": {"box": {"lower": [0, 0], "upper": [1, 1]}},
            "notion": {"name": "gaussian_differential_privacy"},
            "distortion": {"matrix": [["1e20", "5"], ["1e20", "1e20"]]},
        },
        1e20,
    ),
    (
        {
            "source": {"ball": {"center": ["1/4"] * 4, "radius": "1e-100"}},
            "notion": {"name": "maximal_leakage"},
            "distortion": {"matrix": [[0, 1, "1e20", 0], [1, 0, 1, "1e20"], [1, 1, 0, 1], ["1e20", 1, 1, 0]]},
        },
        0.75,
    ),
)


@pytest.mark.parametrize(("question", "value"), DEAR)
def test_costs_that_a_solver_takes_for_infinite_are_costs(question: dict[str, Any], value: float) -> None:
    """Rows of nothing that it found ended in words about a cost that nobody had written."""
    found = accepted({"schema": "epstar/problem/2", **question, "at": {"loss": 0}})
    assert found.lower * (1 - 1e-9) - 1e-12 <= value <= found.upper * (1 + 1e-9)
    assert found.upper - found.lower <= 1e-9 * max(1.0, value)
