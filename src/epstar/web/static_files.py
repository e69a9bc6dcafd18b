"""The files of the page, read and compressed once: a page is some thirty of them, and people wait for all."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True)
class StaticFile:
    """One file: what it holds, as it is and compressed."""

    path: Path

    @cached_property
    def content(self) -> bytes:
        """All of it."""
        return self.path.read_bytes()

    @cached_property
    def packed(self) -> bytes:
        """The same, compressed."""
        return gzip.compress(self.content, compresslevel=6, mtime=0)

    @cached_property
    def tag(self) -> str:
        """What changes with its content, by which a browser asks whether it has it already."""
        return f'"{sha256(self.content).hexdigest()[:32]}"'

    def response(self, headers: Headers, more: dict[str, str]) -> Response:
        """Return the file, or that the browser has it, to somebody who sent these headers."""
        told = {"etag": self.tag, "vary": "accept-encoding", **more}
        if self.tag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=told)
        kind = guess_type(self.path.name)[0]
        if "gzip" not in headers.get("accept-encoding", ""):
            return Response(self.content, headers=told, media_type=kind)
        return Response(self.packed, headers={**told, "content-encoding": "gzip"}, media_type=kind)


class StaticFolder:
    """The files of a folder at their names, and its index.html at the root."""

    def __init__(self, folder: Path) -> None:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        self._files = {f"/{path.relative_to(folder).as_posix()}": StaticFile(path) for path in paths}
        self._files["/"] = self._files["/index.html"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        found = self._files.get(scope["path"])
        if found is None:
            raise HTTPException(404)
        await found.response(Headers(scope=scope), {})(scope, receive, send)
