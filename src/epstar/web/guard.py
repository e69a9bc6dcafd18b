"""What stands before every request: whom the server answers, how much it reads, and the headers of every response."""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "epstar_user"
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


class _TooLarge(Exception):
    """More was sent than is read."""


class Guard:
    """Refuses what is not meant for this server or too large, names the user, and adds the security headers."""

    def __init__(self, app: ASGIApp, hosts: Hosts, request_bytes: int) -> None:
        self._app, self._hosts, self._most = app, hosts, request_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        user, is_new = _user(Headers(scope=scope))
        scope.setdefault("state", {})["user"] = user
        is_api = scope["path"].startswith("/api/")
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if is_api:
                    headers["cache-control"] = "no-store"
                    if is_new:
                        secure = "; Secure" if scope["scheme"] == "https" else ""
                        headers.append("set-cookie", f"{COOKIE}={user}; Path=/; HttpOnly; SameSite=Strict{secure}")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send_guarded, *refusal)
            return
        try:
            await self._app(scope, _counted(receive, self._most), send_guarded)
        except _TooLarge:
            if has_begun:
                raise
            await _refuse(send_guarded, *self._too_large())

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._hosts.accept(host):
            return 421, "This server does not answer to that name; use the address it printed, or start it with --name."
        if scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
            origin is not None and origin.partition("://")[2].lower() != host.lower()
        ):
            return 403, "Requests from pages of other sites are not answered; open the page of this server."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self._most:
            return self._too_large()
        if (
            scope["method"] == "POST"
            and headers.get("content-type", "").partition(";")[0].strip() != "application/json"
        ):
            return 415, "The request must be JSON; send it with the content type application/json."
        return None

    def _too_large(self) -> tuple[int, str]:
        return 413, f"The request is larger than {self._most // 1024} KiB; ask about something smaller."


def _user(headers: Headers) -> tuple[str, bool]:
    """Return the user that a cookie names, or a new one."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None and 32 <= len(cookie.value) <= 64:
        return cookie.value, False
    return secrets.token_urlsafe(24), True


def _counted(receive: Receive, most: int) -> Receive:
    """Return what receives a body, and stops once it is too large."""
    seen = 0

    async def receive_counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise _TooLarge
        return message

    return receive_counted


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
