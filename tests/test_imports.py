"""Imports go one way, each outside package enters by its own door, and `import epstar` stays light."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import epstar

SOURCE = Path(__file__).resolve().parents[1] / "src"

# A part may import the parts on earlier lines and itself; parts on one line do not know each other.
ORDER = (
    ("errors", "citations", "names", "notebook.face"),
    ("deadline", "extras", "json_document", "memory", "schema"),
    ("exact",),
    ("exact_linear",),
    ("arguments",),
    ("probability_vectors",),
    ("universe",),
    ("source", "distortion"),
    ("statistic",),
    ("mechanism",),
    ("testing",),
    ("notions",),
    ("query", "catalogue"),
    ("secret", "limits"),
    ("problem", "rounding"),
    ("risk",),
    ("problem_file",),
    ("claims",),
    ("proof_file",),
    ("completion",),
    ("statistics",),
    ("solve.shapes",),
    ("solve.program.model",),
    ("solve.program.highs",),
    ("solve.program",),
    ("solve.certify",),
    ("solve.explanation",),
    ("solve.bracket",),
    ("solve.method",),
    ("solve.forms", "solve.wider"),
    ("solve.portfolio",),
    ("solve.reductions",),
    ("solve",),
    ("answer",),
    ("breakpoints",),
    ("points",),
    ("curve",),
    ("frontier",),
    ("query.optimum",),
    ("answer_file",),
    ("export",),
    ("earlier_documents",),
    ("curve_file",),
    ("statement_words",),
    ("breakpoints_file",),
    ("plot",),
    ("gaussian",),
    ("convert",),
    ("compose",),
    ("release",),
    ("statement",),
    ("notebook",),
    ("audit",),
    ("epstar_papers",),
    ("web",),
    ("cli",),
    ("__main__",),
)
RANK = {part: rank for rank, parts in enumerate(ORDER) for part in parts}


@dataclass(frozen=True)
class Import:
    """One imported module, by its full name, and the line that imports it."""

    module: str
    line: int


def module_name(path: Path, root: Path = SOURCE) -> str:
    """The dotted name of a file, `__init__` standing for its folder."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str, root: Path = SOURCE) -> bool:
    """Whether a dotted name is a file or a folder of the package."""
    path = root.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports_of(path: Path, root: Path = SOURCE) -> list[Import]:
    """Every import in a file, at any depth, for type checking only or by a constant name at run time too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found += [Import(alias.name, node.lineno) for alias in names]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                inner = [f"{module}.{alias.name}" for alias in names]
                found += [Import(name if is_module(name, root) else module, node.lineno) for name in inner]
            case ast.ImportFrom():
                raise AssertionError(f"{path.name}:{node.lineno}: relative imports hide the order.")
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module" | "__import__"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                found.append(Import(module, node.lineno))
    return found


@cache
def import_graph(root: Path = SOURCE) -> dict[str, list[Import]]:
    """The imports of each module of the package."""
    return {
        module_name(path, root): imports_of(path, root)
        for package in ("epstar", "epstar_papers")
        for path in sorted((root / package).rglob("*.py"))
    }


def part_of(module: str) -> str:
    """The part of the package that a module belongs to: the smallest folder or file around it that ORDER names."""
    package, *inner = module.split(".")
    if package != "epstar":
        return package  # the papers stand beside the tool, as one part
    names = [".".join(inner[:depth]) for depth in range(len(inner), 0, -1)]
    return next((part for part in names if part in RANK), inner[0])


def violations(graph: dict[str, list[Import]]) -> list[str]:
    """A sentence for each import that goes up the order, sideways, or through the front door."""
    found = []
    for module, imports in graph.items():
        if module == "epstar":
            continue  # the front door names every part, for type checkers only
        part = part_of(module)
        if part not in RANK:
            found.append(f"{module}: the part {part!r} has no place in ORDER.")
            continue
        for imported in imports:
            if imported.module == "epstar":
                found.append(f"{module}:{imported.line} imports from epstar itself; name the module.")
            elif imported.module.startswith(("epstar.", "epstar_papers")):
                target = part_of(imported.module)
                if target != part and RANK.get(target, len(ORDER)) >= RANK[part]:
                    found.append(f"{module}:{imported.line} imports {imported.module}, which is not below it.")
    return found


def importers(graph: dict[str, list[Import]], package: str) -> set[str]:
    """The modules that import an outside package or anything in it."""
    return {
        module
        for module, imports in graph.items()
        if any(item.module == package or item.module.startswith(f"{package}.") for item in imports)
    }


def loaded_by(statement: str) -> set[str]:
    """The names in `sys.modules` after a statement has run in a fresh interpreter."""
    program = f"import sys\n{statement}\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_imports_go_one_way() -> None:
    assert violations(import_graph()) == []


def test_proof_never_imports_solve() -> None:
    graph = import_graph()
    reached: set[str] = set()
    waiting = [module for module in graph if module.split(".")[1:2] == ["proof"]]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [item.module for item in graph.get(module, []) if item.module.startswith("epstar.")]
    assert [module for module in reached if module.split(".")[1:2] == ["solve"]] == []


def test_the_solver_of_linear_programs_is_imported_by_one_file() -> None:
    assert importers(import_graph(), "highspy") == {"epstar.solve.program.highs"}


def test_flint_is_imported_by_exact_alone() -> None:
    users = importers(import_graph(), "flint")
    assert {module.split(".")[1] for module in users} == {"exact"}


def test_import_epstar_is_light() -> None:
    heavy = {
        "numpy",
        "scipy",
        "highspy",
        "rich",
        "flint",
        "pandas",
        "pyarrow",
        "matplotlib",
        "pyspark",
    }
    assert loaded_by("import epstar") & heavy == set()


def test_the_completer_loads_no_solver() -> None:
    loaded = loaded_by("import epstar.completion")
    assert loaded & {"epstar.solve", "highspy", "scipy"} == set()


def test_every_public_name_resolves() -> None:
    missing = [name for name in epstar.__all__ if not hasattr(epstar, name)]
    assert missing == []
    assert set(epstar.__all__) <= set(dir(epstar))


def test_an_unknown_name_is_an_attribute_error() -> None:
    name = "frontiers"
    with pytest.raises(AttributeError, match="no attribute 'frontiers'"):
        getattr(epstar, name)


def test_public_names_are_declared_alike_for_readers_type_checkers_and_python() -> None:
    tree = ast.parse((SOURCE / "epstar" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    table = {name: module for module, names in epstar._NAMES_BY_MODULE.items() for name in names}
    assert declared == table
    assert sorted(epstar.__all__) == sorted([*table, "__version__"])


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("claims.py", "def f():\n    from epstar.solve import linear\n", "imports epstar.solve"),
        ("claims.py", "from epstar import solve\n", "imports epstar.solve"),
        ("claims.py", "import importlib\nimportlib.import_module('epstar.solve')\n", "imports epstar.solve"),
        ("source.py", "import epstar.distortion\n", "imports epstar.distortion"),
        ("exact.py", "from epstar import Prior\n", "imports from epstar itself"),
        ("helpers.py", "", "no place in ORDER"),
    ],
)
def test_the_walk_sees_a_planted_violation(tmp_path: Path, path: str, text: str, complaint: str) -> None:
    (tmp_path / "epstar" / "solve").mkdir(parents=True)
    (tmp_path / "epstar" / "solve" / "__init__.py").touch()
    (tmp_path / "epstar" / "distortion.py").touch()
    (tmp_path / "epstar" / path).write_text(text, encoding="utf-8")
    found = violations(import_graph(tmp_path))
    assert len(found) == 1
    assert complaint in found[0]
