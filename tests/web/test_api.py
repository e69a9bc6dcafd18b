"""The API gives what the library gives, on the same documents."""

import base64
import json
import time
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from tests.web.live import ASKED, PROBLEM, Client

from epstar.answer_file import write_answer
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism
from epstar.notions import NOTIONS
from epstar.problem_file import read_problem
from epstar.release.document import column_of
from epstar.release.document import sealed as sealed_again
from epstar.statement import established
from epstar_papers import all_theorems

WITH_CURVES = {name for name, notion in NOTIONS.items() if not notion.is_general}

pytestmark = pytest.mark.xdist_group("explorer")


def test_solving_gives_the_answer_document_of_the_library(client: Client) -> None:
    answer = Frontier.answer(read_problem(ASKED))
    assert answer.mechanism is not None
    found = client.ask("solve", ASKED)
    shown = found.pop("shown")
    assert found == {**write_answer(answer), "mechanism": answer.mechanism.to_json()}
    assert shown["matrix"]["matrix"] == answer.mechanism.dense().floats.tolist()
    assert "92.4" in shown["risk"]
    assert shown["guess"] == pytest.approx(12 / 13)


def test_the_ends_of_a_curve_and_its_known_jumps_come_first(client: Client) -> None:
    found = client.ask("ends", PROBLEM)
    assert (found["least"], found["middle"], found["free"]) == ("0", "3/10", "3/5")
    assert [point["kind"] for point in found["breakpoints"]][-1] == "jump"
    assert client.ask("curve", {"problem": PROBLEM, "points": 5})["breakpoints"] == found["breakpoints"]


def test_the_points_of_a_curve_are_told_as_they_are_found(client: Client) -> None:
    problem = {**PROBLEM, "source": {"ball": {"center": ["4/10", "3/10", "2/10", "1/10"], "radius": "1/10"}}}
    job = client.start("curve", {"problem": {**problem, "distortion": {"name": "squared"}}, "points": 101})
    while "partial" not in (seen := client.http.get(f"/api/jobs/{job}?wait=0").json()) and "result" not in seen:
        time.sleep(0.02)
    told = seen["partial"]["points"]
    assert 0 < len(told) < 101
    whole = {point["distortion"]: point for point in client.end(job)["result"]["points"]}
    assert all(whole[point["distortion"]] == point for point in told)


def test_decimals_are_read_as_they_are_written(client: Client) -> None:
    document = {**ASKED, "source": {"prior": [0.4, 0.3, 0.2, 0.1]}, "at": {"distortion": 0.2}}
    assert client.ask("solve", document)["upper_exact"] == "log(12)"


def test_a_curve_is_the_frontier_at_its_points(client: Client) -> None:
    found = client.ask("curve", {"problem": PROBLEM, "points": 5})
    problem = read_problem(ASKED)
    frontier = Frontier(problem.notion, problem.source, problem.distortion, problem.universe)
    curve = frontier.curve(points=5, workers=1)
    assert [point["distortion"] for point in found["points"]] == [str(p.given) for p in curve.problems]
    assert [point["upper"] for point in found["points"]][1:] == curve.upper[1:].tolist()
    assert found["points"][0]["exact"] == "infinity"
    middle = frontier.loss_at(curve.problems[2].given)
    assert found["points"][2]["exact"] == str(middle.interval.upper)
    listed = client.ask("curve", {"problem": {**PROBLEM, "at": {"curve": ["1/5", "3/10"]}}})
    assert [point["exact"] for point in listed["points"]] == ["log(12)", "log(7)"]


def test_breakpoints_and_jumps(client: Client) -> None:
    found = client.ask(
        "breakpoints", {**PROBLEM, "source": {"prior": ["7/10", "2/10", "1/10"]}, "universe": {"size": 3}}
    )
    jump = found["breakpoints"][-1]
    assert (jump["kind"], jump["distortion"]) == ("jump", "3/10")
    assert (jump["left"]["exact"], jump["right"]["exact"]) == ("log(7/2)", "0")


def test_a_gain_is_drawn_by_its_utility(client: Client) -> None:
    gain = {**PROBLEM, "distortion": {"gain": [[int(i == j) for j in range(4)] for i in range(4)]}}
    found = client.ask("curve", {"problem": gain, "points": 3})
    assert found["axis"] == "utility"
    assert [point["x"] for point in found["points"]] == pytest.approx([1.0, 0.7, 0.4])
    assert found["points"][1]["distortion"] == "-7/10"
    plain = client.ask("solve", {**PROBLEM, "at": {"distortion": "3/10"}})
    assert found["points"][1]["upper"] == pytest.approx(plain["upper"])


def test_an_audit_names_every_notion_in_words(client: Client) -> None:
    answer = client.ask("solve", ASKED)
    audit = client.ask("audit", {"mechanism": answer["mechanism"], "source": PROBLEM["source"]})
    losses = {loss["notion"]["name"]: loss for loss in audit["losses"]}
    assert set(losses) >= WITH_CURVES - {"approximate_differential_privacy"}
    assert losses["differential_privacy"]["exact"] == "log(12)"
    assert losses["differential_privacy"]["words"] == (
        "The output “a” is 12 times as likely for the input “a” as for “b”."
    )
    assert audit["distortion"] == {"axis": "distortion", "value": 0.2, "exact": "1/5"}
    assert audit["matrix"] == AnyMechanism.from_json(answer["mechanism"]).dense().floats.tolist()


def test_a_proof_is_checked_and_a_forged_one_is_rejected(client: Client) -> None:
    answer = client.ask("solve", ASKED)
    assert client.ask("check", answer)["exact"] == "log(12)"
    assert client.ask("check", answer["proof"])["holds"] is True
    forged = json.loads(json.dumps(answer["proof"]))
    forged["excluded"]["distortion"] = "21/100"
    found = client.ask("check", forged)
    assert found["holds"] is False
    assert found["why"].endswith(".")


def test_baselines_are_never_below_the_optimum(client: Client) -> None:
    for distortion in ({"name": "hamming"}, {"name": "absolute"}):
        problem = {**PROBLEM, "distortion": distortion}
        found = client.ask("baselines", problem)
        assert [family["name"] for family in found["families"]] == ["randomised response", "geometric", "exponential"]
        for family in found["families"]:
            assert len(family["points"]) == 12
            for point in family["points"][::4]:
                best = client.ask("solve", {**problem, "at": {"distortion": repr(point["x"])}})
                assert best["lower"] <= point["loss"] + 1e-9


def test_a_guarantee_is_converted_to_every_notion(client: Client) -> None:
    found = client.ask(
        "convert", {"notion": PROBLEM["notion"], "loss": "log(3)", "universe": {"size": 4}, "source": PROBLEM["source"]}
    )
    levels = {row["notion"]["name"]: row for row in found["conversions"]}
    assert set(levels) == WITH_CURVES
    assert levels["maximal_leakage"]["exact"] == "log(2)"
    assert "alvim2011" in levels["maximal_leakage"]["chain"][0]["theorem"]
    assert levels["identifiability"]["exact"] == "log(12)"


def test_a_query_has_its_graph_its_optimum_and_its_leakage(client: Client) -> None:
    asked = {"name": "count", "individuals": 5, "values": 2}
    assert client.ask("query", {"query": asked})["edges"] == [[i, i + 1] for i in range(5)]
    found = client.ask("query", {"query": asked, "loss": "log(2)"})
    assert found["utility"]["exact"] == "4/9"
    assert found["leakage"]["database"]["exact"] == "log(8/3)"
    assert found["leakage"]["database"]["value"] <= found["leakage"]["database_limit"]["value"]
    assert len(established(found["proof"]).sentences) == 2
    curve = client.ask(
        "curve", {"problem": {**PROBLEM, "universe": {"query": asked}, "source": {"everything": 6}}, "points": 5}
    )
    assert len(curve["points"]) == 5


def test_counts_become_a_region_that_holds_them(client: Client) -> None:
    found = client.ask("source", {"counts": [40, 30, 20, 10], "confidence": "0.9", "shape": "ball"})
    assert list(found["source"]) == ["ball"]
    assert all(
        low < share < high
        for low, share, high in zip(found["lower"], [0.4, 0.3, 0.2, 0.1], found["upper"], strict=True)
    )
    everything = client.ask("source", {"source": {"everything": 3}})
    assert (everything["lower"], everything["upper"]) == ([0, 0, 0], [1, 1, 1])


def test_theorems_are_listed_shown_and_rerun(client: Client) -> None:
    listed = client.http.get("/api/theorems").json()["theorems"]
    assert [claim["key"] for claim in listed] == [theorem.key for theorem in all_theorems()]
    key = "kalantari2018:lemma-1"
    shown = client.ask("theorem", {"key": key})
    assert shown["verdict"] == "fails"
    assert shown["counterexample"]["data"]
    again = client.ask("rerun", {"key": key})
    assert again["printed_wrong"] == 1
    assert client.ask("rerun", {"key": key, "all": True})["verdict_stands"] is True


def test_the_program_gives_the_same_answer(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    sources: list[dict[str, Any]] = [
        PROBLEM["source"],
        {"box": {"lower": ["3/10", "1/5", "1/10", 0], "upper": ["1/2", "2/5", "3/10", "1/5"]}},
        {"ball": {"center": ["4/10", "3/10", "2/10", "1/10"], "radius": "1/10"}},
        {"hull": [["4/10", "3/10", "2/10", "1/10"], ["1/4", "1/4", "1/4", "1/4"]]},
        {"everything": 4},
    ]
    for source in sources:
        document = {**ASKED, "source": source}
        program = client.ask("code", document)["program"]
        exec(compile(program, "program", "exec"), {})
        printed = capsys.readouterr().out.split()
        answer = client.ask("solve", document)
        assert [float(printed[0]), float(printed[1])] == [answer["lower"], answer["upper"]]


def test_the_figure_is_a_picture(client: Client) -> None:
    svg = client.ask("figure", {"problems": [PROBLEM], "format": "svg", "points": 11})
    root = ET.fromstring(base64.b64decode(svg["content"]))
    assert root.tag.endswith("svg")
    png = client.ask("figure", {"problems": [PROBLEM], "format": "png", "points": 5})
    assert base64.b64decode(png["content"]).startswith(b"\x89PNG")


def test_the_release_file_is_sealed_and_readable(client: Client) -> None:
    document = json.loads(client.ask("release", {"problem": ASKED, "column": "answer"})["file"])
    body = {key: value for key, value in document.items() if key != "digest"}
    assert sealed_again(body)["digest"] == document["digest"]
    column = column_of(document["columns"][0])
    assert column.names == ("answer",)
    assert column.mechanism is not None
    assert column.mechanism.universe.labels == ("a", "b", "c", "d")


def test_the_release_file_says_between_what_a_difference_is(client: Client) -> None:
    for labels, scale in ((["low", "middle", "high", "worst"], "positions"), ([1, 2, 3, 10], "values")):
        problem = {**ASKED, "universe": {"alphabet": labels}, "distortion": {"name": "absolute"}}
        (entry,) = json.loads(client.ask("release", {"problem": problem, "column": "answer"})["file"])["columns"]
        assert entry["distortion"]["name"] == "absolute"
        assert entry["distortion"]["between"] == scale


def test_the_schema_describes_every_address(client: Client) -> None:
    schema = client.http.get("/api/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    posted = {path for path, entry in schema["paths"].items() if "post" in entry}
    assert posted == {
        f"/api/{task}"
        for task in (
            "solve",
            "ends",
            "curve",
            "breakpoints",
            "source",
            "audit",
            "check",
            "baselines",
            "convert",
            "query",
            "theorem",
            "rerun",
            "figure",
            "release",
            "code",
            "plan",
            "publish",
        )
    }
    for path in sorted(posted - {"/api/check"}):
        example = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"]
        assert client.ask(path.removeprefix("/api/"), example), path
