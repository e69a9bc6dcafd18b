"""The token: without it nothing is answered; it is shown once in the address, then by a cookie, and is in no text."""

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.live import ASKED, JSON, PATIENCE, Client, Served, running_server

from epstar.web.authentication import Token
from epstar.web.server import opening_page

pytestmark = pytest.mark.xdist_group("explorer")

SENTENCE = "This server asks for its token; open the address that `epstar serve` printed, which holds it."


def test_without_the_token_nothing_is_answered(served: Served) -> None:
    with httpx.Client(base_url=served.address, timeout=PATIENCE) as http:
        schema = http.get("/api/openapi.json", headers=served.opened_by).json()
        http.cookies.clear()
        asked = [(method, path) for path, entry in schema["paths"].items() for method in entry]
        asked += [
            ("get", path) for path in ("/", "/api.html", "/js/main.js", "/vendor/swagger-ui-bundle.js", "/nothing")
        ]
        asked.remove(("get", "/api/health"))
        assert len(asked) > 20
        for method, path in asked:
            response = http.request(method, path.replace("{identifier}", "x"))
            assert response.status_code == 401, path
            assert response.json()["error"] == SENTENCE
            assert "set-cookie" not in response.headers


def test_who_opens_the_page_without_the_token_is_told_in_a_page(served: Served) -> None:
    page = httpx.get(served.address, headers={"accept": "text/html,*/*"}, timeout=PATIENCE)
    assert page.status_code == 401
    assert page.headers["content-type"].startswith("text/html")
    assert "open the address that `epstar serve` printed" in page.text


@pytest.mark.parametrize("given", ["wrong", "a" * 43, "\u00e9", "a" * 5000])
def test_a_wrong_token_does_not_open(served: Served, given: str) -> None:
    assert served.token is not None
    name = f"epstar_token_{served.port}"
    shown: list[dict[str, Any]] = [
        {"params": {"token": given}},
        {"headers": {"authorization": f"Bearer {given}".encode()}},
        {"headers": {"cookie": f"{name}={given}".encode()}},
        {"headers": {"cookie": f"epstar_user={served.token}".encode()}},
    ]
    with httpx.Client(timeout=PATIENCE) as http:
        responses = [http.request("GET", f"{served.address}api/explorer", **asked) for asked in shown]
    assert [response.status_code for response in responses] == [401] * 4


def test_the_address_opens_and_the_cookie_keeps_it_open(served: Served) -> None:
    with httpx.Client(base_url=served.address, timeout=PATIENCE) as http:
        first = http.get("/", params={"token": str(served.token)})
        assert first.status_code == 200
        cookies = first.headers.get_list("set-cookie")
        assert [cookie.split("=")[0] for cookie in cookies] == ["epstar_user", f"epstar_token_{served.port}"]
        assert all("HttpOnly" in cookie and "SameSite=Strict" in cookie for cookie in cookies)
        # No cache between here and there may keep them.
        assert first.headers["cache-control"] == "no-store"
        again = http.get("/api/explorer")
        assert again.status_code == 200
        assert "set-cookie" not in again.headers


def test_a_program_shows_the_token_in_a_header(served: Served) -> None:
    response = httpx.post(f"{served.address}api/solve?wait=30", json=ASKED, headers=served.opened_by, timeout=PATIENCE)
    assert response.status_code in (200, 202)


def test_the_token_is_in_no_log_and_in_no_text() -> None:
    token = Token.new()
    assert token.secret not in f"{token!r} {token}"
    assert len(token.secret) >= 43
    assert Token.new() != token
    command = [sys.executable, "-m", "epstar.cli.main", "serve", "--port", "0", "--no-browser", "--workers", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        served = Served.at(process.stdout.readline().split()[3])
        assert served.token is not None
        opened = httpx.get(served.address, params={"token": served.token}, timeout=PATIENCE)
        texts = [opened.text, str([(k, v) for k, v in opened.headers.items() if k != "set-cookie"])]
        for path in ("nothing", "api/solve", "api/jobs/x", "%ff", "api/explorer"):
            response = httpx.get(f"{served.address}{path}", params={"token": served.token, "x": "1"}, timeout=PATIENCE)
            texts.append(response.text)
        with socket.create_connection(("127.0.0.1", served.port)) as broken:
            broken.sendall(f"GET /?token={served.token} HTTP/9.9\r\n\r\n\0".encode())
            texts.append(broken.recv(4096).decode())
    finally:
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert served.token not in "".join([*texts, rest, errors])


def test_the_page_that_opens_the_browser_is_read_by_its_owner_alone(tmp_path: Path) -> None:
    page = opening_page(tmp_path, "http://127.0.0.1:1/?token=a&b")
    assert page.stat().st_mode & 0o077 == 0
    assert "url=http://127.0.0.1:1/?token=a&amp;b" in page.read_text(encoding="utf-8")


def test_a_server_without_a_token_is_open_only_when_that_is_asked_for() -> None:
    with running_server("--no-token", workers=1) as served, Client.of(served) as client:
        assert served.token is None
        assert client.ask("solve", ASKED)["upper_exact"] == "log(12)"
        assert httpx.get(served.address, timeout=PATIENCE).status_code == 200


def test_the_token_does_not_replace_the_other_checks(served: Served) -> None:
    for headers, status in (
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
    ):
        response = httpx.post(
            f"{served.address}api/solve", content=b"{}", headers=JSON | served.opened_by | headers, timeout=PATIENCE
        )
        assert response.status_code == status
