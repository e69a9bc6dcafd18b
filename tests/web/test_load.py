"""Fifty people at once: everyone gets every answer."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.web.live import PROBLEM, Client, Served

pytestmark = pytest.mark.xdist_group("explorer")


def visit(served: Served, number: int) -> int:
    """What somebody does with the page, with data of their own; returns how many requests were answered."""
    weights = [40 + number, 30, 20, 10]
    problem = {**PROBLEM, "source": {"prior": [f"{weight}/{sum(weights)}" for weight in weights]}}
    with Client.of(served) as client:
        for path in ("/", "/js/main.js", "/css/layout.css", "/api/explorer", "/api/openapi.json"):
            assert client.http.get(path).status_code == 200
        notion = ("differential_privacy", "maximal_leakage", "mutual_information")[number % 3]
        curve = client.ask("curve", {"problem": {**problem, "notion": {"name": notion}}, "points": 21})
        assert len(curve["points"]) == 21
        answer = client.ask("solve", {**problem, "at": {"distortion": "1/5"}})
        assert answer["status"] == "proven"
        assert client.ask("check", answer)["holds"] is True
        audit = client.ask("audit", {"mechanism": answer["mechanism"], "source": problem["source"]})
        assert audit["losses"][0]["exact"] == answer["upper_exact"]
        assert client.ask("ends", problem)["least"] == "0"
        assert client.ask("breakpoints", problem)["breakpoints"][-1]["kind"] == "jump"
        asked = {**problem, "at": {"distortion": "1/5"}}
        assert "loss_at" in client.ask("code", asked)["program"]
        assert client.ask("release", {"problem": asked, "column": "answer"})["file"].startswith("{")
        plan = client.ask("plan", {"categories": 2, "rows": 1000, "within": "0.1"})
        table = "smokes\n" + "yes\nno\n" * 20
        wanted = {"table": table, "column": "smokes", "categories": ["yes", "no"], "loss": str(plan["loss"])}
        assert client.ask("publish", wanted)["rows"] == 40
    return 15


def test_many_clients_at_once_are_all_answered(served: Served) -> None:
    with ThreadPoolExecutor(50) as threads:
        answered = list(threads.map(lambda number: visit(served, number), range(50)))
    assert answered == [15] * 50
