"""The addresses of the API: what can be asked, and how jobs are followed and cancelled."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from epstar.catalogue import catalogue, needs_table
from epstar.errors import InvalidInput
from epstar.web.jobs import Job
from epstar.web.question import Question
from epstar.web.queue import TooManyJobs
from epstar.web.service import Service
from epstar.web.tasks.papers import theorems

Wait: TypeAlias = Annotated[
    float, Query(ge=0, le=30, description="Seconds to wait for the answer before the job is reported as it stands.")
]

_PROBLEM: dict[str, Any] = {
    "schema": "epstar/problem/1",
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["a", "b", "c", "d"]},
    "source": {"prior": ["4/10", "3/10", "2/10", "1/10"]},
    "distortion": {"name": "hamming"},
}
_ASKED = {**_PROBLEM, "at": {"distortion": "1/5"}}


@dataclass(frozen=True)
class Endpoint:
    """One kind of question: its task, what it does, and a request that works."""

    task: str
    summary: str
    example: dict[str, Any]


ENDPOINTS = (
    Endpoint("solve", "Answer one question, with the mechanism and the proof", _ASKED),
    Endpoint("curve", "The trade-off at many points, with proven bands", {"problem": _PROBLEM, "points": 21}),
    Endpoint("ends", "Where the trade-off begins and ends, and its jumps that are known at once", _PROBLEM),
    Endpoint("breakpoints", "Where the trade-off jumps, bends, begins and ends", _PROBLEM),
    Endpoint("source", "A source set from counts, or how far a source reaches", {"counts": [40, 30, 20, 10]}),
    Endpoint(
        "audit",
        "The losses of a mechanism by every notion, with witnesses in words",
        {"mechanism": [["3/4", "1/4"], ["1/4", "3/4"]], "source": {"prior": ["1/2", "1/2"]}},
    ),
    Endpoint("check", "Check a proof, or the proof in an answer", {"schema": "epstar/proof/1"}),
    Endpoint("baselines", "Randomised response, geometric and exponential mechanisms to compare with", _PROBLEM),
    Endpoint(
        "convert",
        "What a guarantee by one notion says by the others",
        {"notion": {"name": "differential_privacy"}, "loss": "log(3)", "universe": {"size": 4}},
    ),
    Endpoint(
        "query",
        "The answers of a query on databases, and the best mechanism for them",
        {"query": {"name": "count", "individuals": 5, "values": 2}, "loss": "log(2)"},
    ),
    Endpoint("theorem", "One claim of a paper", {"key": "kalantari2018:lemma-1"}),
    Endpoint("rerun", "Run a claim again on its counterexample, or on all its cases", {"key": "kalantari2018:lemma-1"}),
    Endpoint("figure", "Draw trade-offs as SVG, PNG or PDF", {"problems": [_PROBLEM], "format": "svg"}),
    Endpoint("release", "The release file of a column", {"problem": _ASKED, "column": "answer"}),
    Endpoint("code", "The Python program that gives the same answer", _ASKED),
    Endpoint(
        "plan",
        "The loss that a wanted precision needs, or the precision that a loss allows",
        {"categories": 4, "rows": 1000, "within": "0.1"},
    ),
    Endpoint(
        "publish",
        "Release a column of a table: the table, its release file, the report and the command",
        {"table": "smoker\nyes\nno\nno\n", "column": "smoker", "categories": ["yes", "no"], "loss": "1"},
    ),
)


def router(service: Service) -> APIRouter:
    """Return the routes of the API."""
    routes = APIRouter(prefix="/api")

    @routes.get("/explorer", summary="The notions and the limits, for the page")
    async def explorer() -> JSONResponse:
        limits = service.limits
        return JSONResponse(
            {
                "notions": [{**entry.to_json(), "needs_table": needs_table(entry.name)} for entry in catalogue()],
                "limits": {"inputs": limits.inputs, "points": limits.points, "seconds": limits.seconds},
            }
        )

    @routes.get(
        "/health",
        summary="Whether anybody is there to answer; it needs no token",
        responses={503: {"description": "No worker is alive"}},
    )
    async def health() -> JSONResponse:
        if service.is_working:
            return JSONResponse({"state": "working"})
        return JSONResponse({"error": "No worker is alive, so that no question is answered; restart the server."}, 503)

    @routes.get("/theorems", summary="The claims of the papers with their verdicts")
    async def listed() -> Response:
        return Response(await run_in_threadpool(_theorems), media_type="application/json")

    @routes.get("/jobs/{identifier}", summary="How far a job is, and its result")
    async def job(request: Request, identifier: str, wait: Wait = 0) -> Response:
        found = service.find(request.state.asker.identity, identifier)
        if found is None:
            return _nothing()
        await service.wait(found, wait)
        return Response(found.to_json(), 200 if found.outcome else 202, media_type="application/json")

    @routes.delete("/jobs/{identifier}", summary="Cancel a job")
    async def cancel(request: Request, identifier: str) -> Response:
        found = service.find(request.state.asker.identity, identifier)
        if found is None:
            return _nothing()
        service.cancel(found)
        await service.wait(found, 5)
        return Response(found.to_json(), media_type="application/json")

    for endpoint in ENDPOINTS:
        routes.add_api_route(
            f"/{endpoint.task}",
            _asker(service, endpoint.task),
            methods=["POST"],
            name=endpoint.task,
            summary=endpoint.summary,
            description="Answers with a job: its result if it ends in time, otherwise its address under /api/jobs."
            f" A job that nobody has asked about for {service.limits.abandoned_seconds:g} seconds is cancelled.",
            responses={202: {"description": "The job is under way"}, 429: {"description": "Too many jobs"}},
            openapi_extra={
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"type": "object"}, "example": endpoint.example}},
                }
            },
        )
    return routes


def _asker(service: Service, task: str) -> Callable[..., Awaitable[Response]]:
    async def ask(request: Request, wait: Wait = 2) -> Response:
        try:
            # A long document takes long to read, and nobody else should wait for that.
            question = await run_in_threadpool(Question.read, task, await request.body())
        except InvalidInput as error:
            return JSONResponse({"error": str(error)}, 422)
        try:
            job = service.ask(request.state.asker, question)
        except TooManyJobs as full:
            return JSONResponse({"error": str(full)}, 429, {"retry-after": "10"})
        await service.wait(job, wait)
        return _answer(job)

    return ask


def _answer(job: Job) -> Response:
    return Response(job.to_json(), job.outcome.status if job.outcome else 202, media_type="application/json")


def _nothing() -> JSONResponse:
    return JSONResponse({"error": "There is no such job; it was forgotten, or it belongs to somebody else."}, 404)


@cache
def _theorems() -> bytes:
    return json.dumps({"theorems": theorems()}).encode()
