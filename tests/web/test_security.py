"""Who is answered, what is refused, and what no response may hold."""

import json
from typing import Any

import httpx
import pytest
from tests.web.live import ASKED, JSON, PATIENCE, PROBLEM, Client, Served

from epstar.web.middleware import HEADERS, Hosts
from epstar.web.routes import ENDPOINTS

pytestmark = pytest.mark.xdist_group("explorer")

# What would tell a stranger about the machine or the program.
SECRETS = ("Traceback", "site-packages", ".py", "/src", "epstar.web", "line ", "0x")
HOSTILE: list[Any] = [
    None,
    0,
    [],
    "text",
    {},
    {"unknown": 1},
    {**ASKED, "notion": {"name": "no such notion"}},
    {**ASKED, "notion": {"name": ["differential_privacy"]}},
    {**ASKED, "notion": 7},
    {**ASKED, "source": {"prior": ["1/2", "1/3"]}},
    {**ASKED, "source": {"prior": [-1, 1, 1, 0]}},
    {**ASKED, "source": {"prior": {"a": 1}}},
    {**ASKED, "source": {"box": {"lower": [1, 1, 1, 1], "upper": [0, 0, 0, 0]}}},
    {**ASKED, "source": {"everything": 10**18}, "universe": {"size": 10**18}},
    {**ASKED, "source": {"everything": "four"}},
    {**ASKED, "universe": {"alphabet": 10**12}},
    {**ASKED, "universe": {"alphabet": [["a"], {"b": 1}, None, 1.5]}},
    {**ASKED, "universe": {"databases": {"size": 10, "rows": 10**9}}},
    {**ASKED, "universe": {"graph": {"nodes": 4, "edges": 5}}},
    {**ASKED, "universe": {"graph": {"nodes": [1, 2, 3, 4], "edges": [[0, 99]]}}},
    {**ASKED, "universe": {"metric": [[0, "x"], ["y", 0]]}},
    {**ASKED, "universe": {"query": {"name": "identity", "individuals": 9999, "values": 9999}}},
    {**ASKED, "universe": {"query": {"name": "count", "individuals": -1, "values": 2}}},
    {**ASKED, "distortion": {"matrix": [[1, 2], [3]]}},
    {**ASKED, "distortion": {"matrix": "identity"}},
    {**ASKED, "distortion": {"gain": [[]]}},
    {**ASKED, "at": {"distortion": "1e999999"}},
    {**ASKED, "at": {"distortion": "NaN"}},
    {**ASKED, "at": {"distortion": [1]}},
    {**ASKED, "at": {"curve": []}},
    {"problem": {**PROBLEM}, "points": 10**9},
    {"problem": PROBLEM, "points": True},
    {"problem": {**PROBLEM, "source": {"prior": [1] * 500}}},
    {"mechanism": [[1, 1], [0, 1]]},
    {"mechanism": {"schema": "epstar/mechanism/1", "kind": "product", "blocks": [1]}},
    {
        "mechanism": {
            "schema": "epstar/mechanism/1",
            "kind": "matrix",
            "universe": {"size": 10**9},
            "outputs": [],
            "rows": [],
        }
    },
    {"schema": "epstar/proof/1", "problem": ASKED, "mechanism": None, "converse": {"weight": "x"}},
    {"schema": "epstar/answer/1", "proof": {"schema": "epstar/proof/1", "problem": {"at": 1}}},
    {"counts": [0, 0]},
    {"counts": ["many"], "confidence": 2},
    {"counts": [1, 2], "shape": "star"},
    {"notion": PROBLEM["notion"], "loss": "-1", "universe": {"size": 3}},
    {"notion": PROBLEM["notion"], "loss": {"a": 1}},
    {"query": {"name": "count", "individuals": 5, "values": 2}, "loss": "minus"},
    {"query": {"name": "count", "individuals": 5, "values": 2}, "loss": 1, "prior": [1, 2]},
    {"key": "../../etc/passwd"},
    {"key": 5},
    {"key": "kalantari2018:fig-4"},
    {"problems": [PROBLEM] * 100, "format": "svg"},
    {"problems": [PROBLEM], "format": "exe"},
    {"problem": ASKED, "column": ""},
    {"problem": ASKED, "column": ["x"]},
]


@pytest.mark.parametrize("task", [endpoint.task for endpoint in ENDPOINTS])
def test_hostile_documents_get_one_plain_sentence(client: Client, task: str) -> None:
    for document in HOSTILE:
        response = client.answer(task, document)
        assert response.status_code in (200, 422), (document, response.text)
        shown = response.json()
        if response.status_code == 422:
            sentence = shown["error"]
            assert sentence.endswith("."), (document, sentence)
            assert len(sentence) < 400
            assert not [secret for secret in SECRETS if secret in sentence], (document, sentence)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 100_000, b'{"a": NaN, "b": }', b"\xff\xfe", b"1" * 10_000, b'{"at": ' + b"9" * 5000 + b"}"],
)
def test_what_is_not_json_is_refused(client: Client, body: bytes) -> None:
    response = client.http.post("/api/solve", content=body, headers=JSON)
    assert response.status_code == 422
    assert response.json()["error"].endswith(".")


def test_security_headers_are_on_every_response(client: Client) -> None:
    responses = [
        client.http.get("/"),
        client.http.get("/api/explorer"),
        client.http.get("/nothing"),
        client.http.get("/api/nothing"),
        client.http.get("/vendor/swagger-ui-bundle.js"),
        client.http.put("/api/solve"),
        client.http.post("/api/solve", content=b"{}", headers=JSON),
        client.http.get("/", headers={"host": "evil.example"}),
    ]
    assert [response.status_code for response in responses] == [200, 200, 404, 404, 200, 405, 422, 421]
    for response in responses:
        for name, value in HEADERS.items():
            assert response.headers[name] == value
        assert "server" not in response.headers
    policy = HEADERS["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "192.0.2.1", ""])
def test_other_names_are_not_answered(client: Client, host: str) -> None:
    response = client.http.get("/api/explorer", headers={"host": host})
    assert response.status_code == 421
    assert "--name" in response.json()["error"]


def test_an_open_server_answers_to_its_numbers_and_its_names_alone() -> None:
    hosts = Hosts.of("0.0.0.0", ["epstar.example.org"])
    assert hosts.accept("192.0.2.1:8765")
    assert hosts.accept("[2001:db8::1]:8765")
    assert hosts.accept("EPSTAR.example.org:8765")
    assert not hosts.accept("evil.example")
    closed = Hosts.of("127.0.0.1")
    assert closed.accept("localhost:1")
    assert closed.accept("[::1]:1")
    assert not closed.accept("192.0.2.1")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_sites_are_not_answered(client: Client, headers: dict[str, str]) -> None:
    response = client.http.post("/api/solve", json=ASKED, headers=headers)
    assert response.status_code == 403
    assert "other sites" in response.json()["error"]


def test_a_form_of_another_page_cannot_ask(client: Client) -> None:
    response = client.http.post("/api/solve", content=json.dumps(ASKED), headers={"content-type": "text/plain"})
    assert response.status_code == 415


def test_a_large_request_is_refused_before_it_is_read(client: Client, served: Served) -> None:
    assert client.refusal("solve", {"x": "a" * (5 << 20)})[0] == 413

    def pieces() -> Any:
        for _ in range(6):
            yield b'"' + b"a" * (1 << 20) + b'"'

    response = httpx.post(
        f"{served.address}api/solve", content=pieces(), headers=JSON | served.opened_by, timeout=PATIENCE
    )
    assert response.status_code == 413
    assert "KiB" in response.json()["error"]


def test_files_outside_the_page_cannot_be_read(client: Client) -> None:
    for path in ("/../app.py", "/%2e%2e/app.py", "/js/../../app.py", "/vendor/..%2f..%2fapp.py", "/static/index.html"):
        assert client.http.get(path).status_code == 404


def test_the_alphabet_is_limited_with_a_clear_message(client: Client) -> None:
    status, sentence = client.refusal("solve", {**ASKED, "universe": {"size": 10001}, "source": {"everything": 10001}})
    assert status == 422
    assert (
        sentence == "The page takes at most 10000 inputs here, and this has 10001; merge some, or use the command line."
    )


def test_users_are_told_apart_by_a_cookie_that_scripts_cannot_read(served: Served) -> None:
    asked: dict[str, Any] = {"headers": served.opened_by, "timeout": PATIENCE}
    first, second = (httpx.get(f"{served.address}api/explorer", **asked).headers["set-cookie"] for _ in range(2))
    assert first.split(";")[0] != second.split(";")[0]
    assert "HttpOnly" in first
    assert "SameSite=Strict" in first
    assert "set-cookie" not in httpx.get(served.address, **asked).headers
