"""The token that opens the server, and the cookies by which a browser shows it again and is told from others."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.types import Scope

from epstar.web.question import Asker, neighbourhood

USER_COOKIE = "epstar_user"
_TOKEN_FIELD = "token"
# The only address that is answered without the token, so that a supervisor need not be told it.
_OPEN_PATH = "/api/health"


@dataclass(frozen=True)
class Token:
    """A secret that is part of the printed address. It is never part of a text, so that no log can hold it."""

    secret: str = field(repr=False)

    @classmethod
    def new(cls) -> Token:
        """Return a token that nobody can guess."""
        return cls(secrets.token_urlsafe(32))

    def address(self, base: str) -> str:
        """Return the address to open."""
        return f"{base}?{urlencode({_TOKEN_FIELD: self.secret})}"

    def opens(self, given: str) -> bool:
        """Return whether this is the token; how long that takes tells nothing about it."""
        return secrets.compare_digest(given.encode(), self.secret.encode())


@dataclass(frozen=True)
class Visit:
    """Whether a request may come in, who it is from, and which cookies its response has to set."""

    is_admitted: bool
    asker: Asker
    cookies: tuple[tuple[str, str], ...]


class Authenticator:
    """Lets those in who show the token: in the address at first, then as a cookie; programs in a header.

    Without a token everybody is let in who reaches the server.
    """

    def __init__(self, token: Token | None) -> None:
        self._token = token

    def visit(self, scope: Scope) -> Visit:
        """Return what a request is allowed, and take the token out of its address."""
        headers = Headers(scope=scope)
        cookies = _cookies(headers)
        host, _ = scope.get("client") or ("", 0)
        user = cookies.get(USER_COOKIE, "")
        is_known = 32 <= len(user) <= 64 and user.isascii()
        asker = Asker(user if is_known else secrets.token_urlsafe(24), neighbourhood(host), is_known)
        new_user = () if is_known else ((USER_COOKIE, asker.identity),)
        # On one machine all ports share their cookies, and each of its servers has its own token.
        name = f"epstar_token_{(scope.get('server') or ('', 0))[1]}"
        is_shown_in_address = self._take_from_address(scope)
        if self._token is not None and is_shown_in_address:
            return Visit(True, asker, (*new_user, (name, self._token.secret)))
        is_api = scope["path"].startswith("/api/")
        is_admitted = (
            self._token is None
            or scope["path"] == _OPEN_PATH
            or self._token.opens(cookies.get(name, ""))
            or self._token.opens(_bearer(headers))
        )
        return Visit(is_admitted, asker, new_user if is_admitted and is_api else ())

    def _take_from_address(self, scope: Scope) -> bool:
        """Remove the token from the address, so that nothing behind this sees it; return whether it is right."""
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in fields if key == _TOKEN_FIELD]
        if given:
            kept = [(key, value) for key, value in fields if key != _TOKEN_FIELD]
            scope["query_string"] = urlencode(kept).encode("latin-1")
        return self._token is not None and any(self._token.opens(value) for value in given)


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        return {name: cookie.value for name, cookie in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def _bearer(headers: Headers) -> str:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""
