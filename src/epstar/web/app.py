"""The application: the API, the page, and the files that the page needs, all from this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from epstar.extras import missing
from epstar.web.authentication import Authenticator, Token
from epstar.web.limits import Limits
from epstar.web.middleware import Guard, Hosts
from epstar.web.routes import router
from epstar.web.service import Service
from epstar.web.static_files import StaticFile, StaticFolder

_STATIC = Path(__file__).parent / "static"
# Files of installed packages, by the name under which the page asks for them.
_VENDOR = {
    "swagger-ui-bundle.js": ("fastapi_offline", "static/swagger-ui-bundle.js"),
    "swagger-ui.css": ("fastapi_offline", "static/swagger-ui.css"),
}
_SENTENCES = {404: "There is nothing at this address.", 405: "This address does not accept that method."}


def create_app(
    limits: Limits | None = None, host: str = "127.0.0.1", names: Iterable[str] = (), token: Token | None = None
) -> FastAPI:
    """Return the application for a server that listens at `host` and answers to `names` as well.

    With a token it answers only those who show it.

    Raises:
        MissingExtra: if a package whose files the page needs is not installed.
    """
    bounds = Limits() if limits is None else limits
    service = Service(bounds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            service.stop()

    app = FastAPI(
        title="epstar",
        version=version("epstar"),
        summary="The least privacy loss at a given distortion, the mechanism that attains it, and a proof of both.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        middleware=[
            Middleware(Guard, hosts=Hosts.of(host, names), limits=bounds, authenticator=Authenticator(token)),
            Middleware(GZipMiddleware, minimum_size=2048, compresslevel=5),
        ],
        exception_handlers={
            HTTPException: _refused,
            RequestValidationError: _invalid,
            Exception: _failed,
        },
    )
    app.include_router(router(service))
    vendor = {name: StaticFile(_installed(*place)) for name, place in _VENDOR.items()}

    @app.get("/vendor/{name}", include_in_schema=False)
    async def vendored(request: Request, name: str) -> Response:
        if name not in vendor:
            raise HTTPException(404)
        return await run_in_threadpool(vendor[name].response, request.headers, {"cache-control": "max-age=86400"})

    app.mount("/", StaticFolder(_STATIC))
    return app


def _installed(package: str, file: str) -> Path:
    spec = find_spec(package)
    folders = [] if spec is None else spec.submodule_search_locations or []
    for folder in folders:
        path = Path(folder) / file
        if path.is_file():
            return path
    raise missing(package, "The page needs", extra="web")


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, "The request cannot be answered.")
    return JSONResponse({"error": sentence}, error.status_code)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    name = str(error.errors()[0]["loc"][-1])
    return JSONResponse({"error": f"The parameter {name!r} is out of range; see the documentation of the API."}, 422)


async def _failed(_: Request, __: Exception) -> JSONResponse:
    # What happened is in the server's own log.
    return JSONResponse({"error": "The server made a mistake; what you asked for was not done."}, 500)
