"""What a worker can be asked for, by name: each task takes a JSON document and returns one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from epstar.web.tasks import compare, evidence, files, frontier, papers, publish, queries
from epstar.web.worker import Context

Task: TypeAlias = Callable[[Any, Context], object]

TASKS: Mapping[str, Task] = {
    "solve": frontier.solve,
    "ends": frontier.ends,
    "curve": frontier.curve,
    "breakpoints": frontier.breakpoints,
    "source": frontier.source,
    "audit": evidence.audit,
    "check": evidence.check,
    "baselines": compare.baselines,
    "convert": compare.convert,
    "query": queries.query,
    "theorem": lambda document, _: papers.theorem(document),
    "rerun": lambda document, _: papers.rerun(document),
    "figure": files.figure,
    "release": files.release,
    "code": files.code,
    "plan": publish.plan,
    "publish": publish.publish,
}
