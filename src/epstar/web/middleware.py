"""What stands before every request: whom the server answers, how much it reads, and the headers of every response."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from epstar.web.authentication import Authenticator, Visit
from epstar.web.body import Body, TooLarge, TooSlow
from epstar.web.limits import Limits

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        # The plotting library writes style attributes; no script is ever inline.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_FEATURES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "payment", "usb")
HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": ", ".join(f"{feature}=()" for feature in _FEATURES),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Hosts:
    """The names by which the server may be called.

    A page of another site can make its own name point here, but not a number or a name that is not its own. A server
    on the loopback answers to loopback names alone; one that is open to a network also to its numbers.
    """

    names: frozenset[str]
    is_open: bool

    @classmethod
    def of(cls, host: str, names: Iterable[str] = ()) -> Hosts:
        """Return the names for a server that listens at `host`."""
        known = {"localhost", "127.0.0.1", "::1", host.lower(), *(name.lower() for name in names)}
        address = _address(host)
        return cls(frozenset(known), address is None or not address.is_loopback)

    def accept(self, header: str) -> bool:
        """Return whether a Host header names this server."""
        name = _name(header)
        return name in self.names or (self.is_open and _address(name) is not None)


def _name(host: str) -> str:
    """Return a Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return ipaddress.ip_address("127.0.0.1") if name == "localhost" else None


@dataclass(frozen=True)
class _Refusal:
    """A request that is not passed on: the status that says so, and one sentence."""

    status: int
    sentence: str


_NO_TOKEN = _Refusal(
    401, "This server asks for its token; open the address that `epstar serve` printed, which holds it."
)
_OTHER_NAME = _Refusal(
    421, "This server does not answer to that name; use the address it printed, or start it with --name."
)
_OTHER_SITE = _Refusal(403, "Requests from pages of other sites are not answered; open the page of this server.")
_NO_JSON = _Refusal(415, "The request must be JSON; send it with the content type application/json.")


class Guard:
    """Refuses what is not meant for this server, too large or too slow; names the user; adds the security headers."""

    def __init__(self, app: ASGIApp, hosts: Hosts, limits: Limits, authenticator: Authenticator) -> None:
        self._app, self._hosts, self._authenticator = app, hosts, authenticator
        self._most, self._seconds = limits.request_bytes, limits.body_seconds
        self._too_large = _Refusal(
            413, f"The request is larger than {self._most // 1024} KiB; ask about something smaller."
        )
        self._too_slow = _Refusal(408, f"The request did not arrive within {self._seconds:g} seconds; send it again.")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = self._authenticator.visit(scope)
        scope.setdefault("state", {})["asker"] = visit.asker
        has_begun = False
        refusal = self._refusal(scope, visit)

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                _add_headers(MutableHeaders(scope=message), scope, visit.cookies if refusal is None else ())
            await send(message)

        body = Body(receive, self._most, self._seconds)
        if refusal is None:
            try:
                await self._app(scope, body.receive, send_guarded)
            except ClientDisconnect:
                # Nobody is there any more to be told anything.
                return
            except (TooLarge, TooSlow) as error:
                if has_begun:
                    raise
                refusal = self._too_large if isinstance(error, TooLarge) else self._too_slow
        if refusal is not None:
            await _refuse(scope, body, send_guarded, refusal)

    def _refusal(self, scope: Scope, visit: Visit) -> _Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._hosts.accept(host):
            return _OTHER_NAME
        if not visit.is_admitted:
            return _NO_TOKEN
        if scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
            origin is not None and origin.partition("://")[2].lower() != host.lower()
        ):
            return _OTHER_SITE
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self._most:
            return self._too_large
        if (
            scope["method"] == "POST"
            and headers.get("content-type", "").partition(";")[0].strip() != "application/json"
        ):
            return _NO_JSON
        return None


def _add_headers(headers: MutableHeaders, scope: Scope, cookies: Iterable[tuple[str, str]]) -> None:
    for name, value in HEADERS.items():
        headers[name] = value
    if scope["path"].startswith("/api/"):
        headers["cache-control"] = "no-store"
    secure = "; Secure" if scope["scheme"] == "https" else ""
    for name, value in cookies:
        headers["cache-control"] = "no-store"
        headers.append("set-cookie", f"{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}")


async def _refuse(scope: Scope, body: Body, send: Send, refusal: _Refusal) -> None:
    is_page = not scope["path"].startswith("/api/") and "text/html" in Headers(scope=scope).get("accept", "")
    content = _page(refusal.sentence) if is_page else json.dumps({"error": refusal.sentence})
    written = content.encode()
    kind = b"text/html; charset=utf-8" if is_page else b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(written)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": written, "more_body": True})
    # Who asks whether to go on has sent nothing more.
    if refusal.status != 408 and "expect" not in Headers(scope=scope):
        await body.throw_away()
    await send({"type": "http.response.body", "body": b""})


def _page(sentence: str) -> str:
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>epstar</title><p>{escape(sentence)}</p></html>'
