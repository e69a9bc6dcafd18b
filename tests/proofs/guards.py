"""Which guards of a checker does some document need? Each is taken out in turn, and a refusal must then be missed.

A *guard* is what makes a checker refuse:

* each part of the condition of an `if` whose body is nothing but a `raise`: in `if a or not (b and c): raise`, the
  parts are `a`, `not b` and `not c`;
* every other `raise` of an exception: at the end of a function, in an `else`, or in an `except`;
* in a function that says yes or no (`-> bool`), each condition of an `if` whose body is `return False`, and each part
  of what it returns: in `return a and b`, the parts are `a` and `b`; the same for the condition of a `case`;
* in modules of fast paths (`paths`), each part of the condition of an `if` whose body is nothing but `return None`,
  which leaves the work to the exact path.

The source is compiled once, with every guard behind a switch. A first run of all documents records which guards fired
on which; then each guard is switched off and the documents on which it fired run again, until one shows that it is
needed:

* `accepted`: a document that is refused is then believed;
* `crashed` or `endless`: its refusal becomes an error that no caller expects, or a computation without end;
* `limit`: the guard protects time or memory: its condition or message names a limit. It need not be run without the
  guard, which would only take long: it is needed if a document is refused by it or, once the limits that its condition
  names are set to zero, one that is accepted otherwise;
* `changed`: for a guard of a fast path, or a part of what a function says, a document gets another verdict or other
  ends.

What remains is *backed*, if other guards refuse whatever it refuses (it is there for its message, or as a second
line), or *unseen*, if it refuses no document at all: then it is dead, or untested.

Nothing here knows epstar: `compiled` takes a file, `installed` a package, and `walk` a function from the bytes of a
document to what it establishes.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

NAME = r"_?(?:MOST|LARGEST|LONGEST|DEEPEST|COMMON)[A-Z_]*"
LIMIT = re.compile(rf"{NAME}|TooMany|too many|too long|too large|too small", re.ASCII)
SWITCH = "__switch__"
# Documents with which a guard is tried before it counts as one that none of them needs.
_MOST_TRIED = 60
# Of computing, after which a run counts as endless.
_SECONDS = 3.0
UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
    Warning,
)


@dataclass(frozen=True)
class Document:
    """The bytes of a document; `accepted` says what a checker must say of it, None where either will do."""

    name: str
    content: bytes
    accepted: bool | None = False


@dataclass(frozen=True)
class Guard:
    """Something that makes a checker refuse."""

    number: int
    module: str
    function: str
    line: int
    condition: str
    limits: tuple[str, ...] = ()
    is_limit: bool = False
    is_path: bool = False
    is_part: bool = False

    def __str__(self) -> str:
        return f"{self.module}:{self.line} in {self.function}: {self.condition}"


@dataclass
class Switch:
    """Stands in front of every guard: notes those that fire, and holds back the one that is off."""

    guards: list[Guard] = field(default_factory=list)
    off: int = -1
    fired: dict[int, None] = field(default_factory=dict)

    def __call__(self, number: int, value: object) -> object:
        """Return a condition, or nothing for the guard that is off."""
        if not value:
            return value
        self.fired.pop(number, None)
        self.fired[number] = None
        return False if number == self.off else value


@dataclass(frozen=True)
class Outcome:
    """What a checker made of a document: what it establishes, or the guards that fired on the way to a refusal."""

    kind: str
    found: str
    fired: tuple[int, ...]


class _Wrapper(ast.NodeTransformer):
    """Puts the switch in front of every guard of a module."""

    def __init__(self, switch: Switch, module: str, paths: bool, ignored: Collection[str]) -> None:
        self.switch, self.module, self.paths, self.ignored = switch, module, paths, ignored
        self.limits: tuple[str, ...] = ()
        self.decides, self.function = False, ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before = (self.limits, self.decides, self.function)
        names = {e.id for e in ast.walk(node) if isinstance(e, ast.Name)}
        self.function = node.name
        self.limits = tuple(sorted(name for name in names if re.fullmatch(NAME, name)))
        self.decides = isinstance(node.returns, ast.Name) and node.returns.id == "bool"
        found = self.generic_visit(node)
        self.limits, self.decides, self.function = before
        return found

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if self.decides and node.value is not None and not isinstance(node.value, ast.Constant):
            node.value = self._needed(node.value, "return False")
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self._needed(node.guard, "another case")
        self.generic_visit(node)
        return node

    def _needed(self, test: ast.expr, said: str) -> ast.expr:
        """Put the switch in front of every part of a condition that must hold."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values = [self._needed(value, said) for value in test.values]
            return test
        failure = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
        switched = self._behind(failure, test, f"{ast.unparse(failure)} -> {said}", "part")
        return ast.copy_location(ast.UnaryOp(ast.Not(), switched), test)

    def visit_If(self, node: ast.If) -> ast.AST:
        (only, *others) = node.body
        if others or not self._is_guard(only):
            return self.generic_visit(node)
        said = ast.unparse(only)
        node.test = self._parts(node.test, said, {"return None": "path", "return False": "part"}.get(said, ""))
        node.orelse = [self.visit(entry) for entry in node.orelse]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if not self._is_guard(node):
            return node
        condition = self._behind(ast.Constant(True), node, ast.unparse(node), "")
        return ast.copy_location(ast.If(condition, [node], []), node)

    def _is_guard(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Return):
            value = node.value.value if isinstance(node.value, ast.Constant) else ...
            return (self.paths and value is None) or (self.decides and value is False)
        return (
            isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and self._name(node.exc) not in self.ignored
        )

    @staticmethod
    def _name(call: ast.Call) -> str:
        return call.func.id if isinstance(call.func, ast.Name) else ""

    def _parts(self, test: ast.expr, said: str, kind: str) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            test.values = [self._parts(value, said, kind) for value in test.values]
            return test
        inner = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
        if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.And):
            negated = [ast.copy_location(ast.UnaryOp(ast.Not(), value), value) for value in inner.values]
            parts = [self._parts(value, said, kind) for value in negated]
            return ast.copy_location(ast.BoolOp(ast.Or(), parts), test)
        return self._behind(test, test, f"{ast.unparse(test)} -> {said}", kind)

    def _behind(self, test: ast.expr, where: ast.AST, text: str, kind: str) -> ast.expr:
        number, line = len(self.switch.guards), int(getattr(where, "lineno", 0))
        is_limit = bool(LIMIT.search(text)) and not kind
        text = " ".join(text.split())
        own = tuple(name for name in self.limits if re.search(rf"\b{name}\b", text))
        kinds = (is_limit, kind == "path", kind == "part")
        guard = Guard(number, self.module, self.function, line, text, own or self.limits, *kinds)
        self.switch.guards.append(guard)
        arguments: list[ast.expr] = [ast.Constant(number), test]
        return ast.copy_location(ast.Call(ast.Name(SWITCH, ast.Load()), arguments, []), where)


def _code(source: str, file: str, wrapper: _Wrapper) -> CodeType:
    return compile(ast.fix_missing_locations(wrapper.visit(ast.parse(source))), file, "exec")


def compiled(path: Path, ignored: Collection[str] = ()) -> tuple[ModuleType, Switch]:
    """Return the module in a file with a switch in front of each guard; the module of that name stays as it is."""
    switch = Switch()
    module = ModuleType(f"switched_{path.stem}")
    module.__dict__.update({SWITCH: switch, "__file__": str(path)})
    code = _code(path.read_text(encoding="utf-8"), str(path), _Wrapper(switch, path.stem, False, ignored))
    sys.modules[module.__name__] = module  # dataclasses look their module up
    exec(code, module.__dict__)
    return module, switch


@dataclass(frozen=True)
class Installed:
    """A second copy of a package, some modules of which have a switch in front of each guard."""

    modules: dict[str, ModuleType]
    switch: Switch
    package: str

    @contextmanager
    def active(self) -> Iterator[None]:
        """Have whatever is imported meanwhile come from this copy."""
        before = _taken(self.package)
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            self.modules.update(_taken(self.package))
            sys.modules.update(before)


def installed(
    package: str, modules: Sequence[str], paths: Collection[str], entry: str, ignored: Collection[str] = ()
) -> Installed:
    """Import a package once more, from its module `entry`, with switches in the modules named."""
    switch = Switch()
    before = _taken(package)
    finder = _Finder(switch, modules, paths, ignored)
    sys.meta_path.insert(0, finder)
    try:
        for name in (entry, *modules):
            importlib.import_module(name)
        return Installed(_taken(package), switch, package)
    finally:
        sys.meta_path.remove(finder)
        _taken(package)
        sys.modules.update(before)


def _taken(package: str) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}


class _Finder(MetaPathFinder):
    def __init__(
        self, switch: Switch, modules: Collection[str], paths: Collection[str], ignored: Collection[str]
    ) -> None:
        self.switch, self.modules, self.paths, self.ignored = switch, modules, paths, ignored

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in self.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        wrapper = _Wrapper(self.switch, name, name in self.paths, self.ignored)
        loader = _Loader(name, spec.origin, wrapper)
        return importlib.util.spec_from_file_location(name, spec.origin, loader=loader)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, wrapper: _Wrapper) -> None:
        super().__init__(name, path)
        self._wrapper = wrapper

    def get_code(self, fullname: str) -> CodeType:
        return _code(self.get_data(self.path).decode(), self.path, self._wrapper)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__[SWITCH] = self._wrapper.switch
        super().exec_module(module)


class _Endless(BaseException):
    """A run took longer than any should."""


@contextmanager
def _limited() -> Iterator[None]:
    """Give up after some seconds of computing."""

    def give_up(*_: object) -> None:
        raise _Endless

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _without_room(names: dict[str, Any], limits: Collection[str]) -> Iterator[None]:
    """Set some limits to zero for a while."""
    before = {name: names[name] for name in limits}
    names.update(dict.fromkeys(limits, 0))
    try:
        yield
    finally:
        names.update(before)


@dataclass(frozen=True)
class Walk:
    """What came of a walk: outcomes by document, and for each guard the document that needs it and how.

    What a guard that is `backed` refuses is refused without it, by another guard; one that is `unseen` refuses nothing.
    """

    outcomes: dict[str, Outcome]
    needed: dict[Guard, tuple[str, str]]
    backed: list[Guard]
    unseen: list[Guard]


def walk(
    check: Callable[[bytes], str],
    switch: Switch,
    documents: Sequence[Document],
    refusals: tuple[type[Exception], ...],
    namespace: Callable[[str], dict[str, Any]],
) -> Walk:
    """Run all documents, then those that a guard refused without it, guard by guard.

    `check` returns what a document establishes and raises one of `refusals` otherwise. `namespace` returns the names of
    a module, in which limits are set to zero.
    """

    def run(document: Document) -> Outcome:
        switch.fired.clear()
        try:
            with _limited():
                found, kind = check(document.content), "accepted"
        except refusals as error:
            found, kind = f"{type(error).__name__}: {error}", "refused"
        except _Endless:
            found, kind = "", "endless"
        except UNEXPECTED as error:
            found, kind = repr(error), "crashed"
        return Outcome(kind, found, tuple(switch.fired))

    switch.off = -1
    outcomes = {document.name: run(document) for document in documents}
    by_guard: dict[int, list[Document]] = {}
    for document in documents:
        outcome = outcomes[document.name]
        for number in outcome.fired:
            last = outcome.kind == "refused" and number == outcome.fired[-1]
            if last or switch.guards[number].is_path or switch.guards[number].is_part:
                by_guard.setdefault(number, []).append(document)
    needed: dict[Guard, tuple[str, str]] = {}
    for guard in switch.guards:
        if guard.is_limit:
            with _without_room(namespace(guard.module), guard.limits):
                for document in [*by_guard.get(guard.number, []), *(d for d in documents if d.accepted)]:
                    if guard.number in outcomes[document.name].fired or guard.number in run(document).fired:
                        needed[guard] = (document.name, "limit")
                        break
            continue
        for document in by_guard.get(guard.number, [])[:_MOST_TRIED]:
            before = outcomes[document.name]
            switch.off = guard.number
            after = run(document)
            switch.off = -1
            if before.kind == "refused" and after.kind != "refused":
                needed[guard] = (document.name, after.kind)
                break
            if guard.is_path or guard.is_part:
                other = before.kind == after.kind == "accepted" and before.found != after.found
                if other or before.kind != after.kind:
                    needed[guard] = (document.name, "changed")
                    break
    others = [guard for guard in switch.guards if guard not in needed]
    backed = [guard for guard in others if guard.number in by_guard]
    return Walk(outcomes, needed, backed, [guard for guard in others if guard.number not in by_guard])
