"""The house rules that a tool can check: budgets, names, who imports whom, and where a module's test is.

Layers, cycles between packages, and who may import SQLite or boto3 are import-linter's contracts in pyproject.toml.
Here is what those contracts cannot say.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

import tablewright
from tablewright.engine.feature_list import operation_names

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src/tablewright"
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "systems/src").rglob("*.py")])
MODULES = [path for path in SOURCES if PACKAGE in path.parents and not path.stem.startswith("__")]

FILE_LINES = 500
FUNCTION_LINES = 60
FRONT_DOOR_NAMES = 29
FOLDER_FILES = 20
OWN_MODULE_LINES = 80
"""A module has two importers or this many lines; otherwise it belongs into its importer."""
VAGUE_NAMES = {"utils", "helpers", "common", "misc"}

# Folders whose files are named after what users name: an API call, a command, a rule.
NAMED_BY_USERS = {PACKAGE / "engine/core/operations", PACKAGE / "cli/commands", PACKAGE / "checks/rules"}
SHARED_BASENAMES: dict[str, str] = {}
"""Basenames that several modules share, each with the reason."""
SHARED_CLASS_NAMES: set[str] = set()
"""Public class names that several modules share: none may be added."""

UNTESTED = {
    "dynamodb/limits.py": "constants",
}
"""Modules without a test file at their path, each with the reason."""

# Modules that are loaded by name: a rule, a view, a command, an operation.
LOADED_BY_NAME = {"rules", "api", "commands"}
OPERATIONS = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in operation_names()}
SMALL_MODULES = {
    "engine/feature_list.py": "the visible list of features",
    "generate/markdown.py": "a format that users name, as html and mermaid",
    "lifecycle/migrate/planning_process.py": "a program of its own, run by name",
}
"""Modules with one importer and few lines, each with the reason."""
SMALL_FOR_NOW = """
    connections/async_connection.py
    connections/kms.py
    engine/storage/reader_store.py
"""
"""Modules that are to be merged into their importer: the list only shrinks."""

FLOOR = {"dynamodb", "errors", "deferred_dataclasses"}
# Direct imports only: the server reaches storage through the engine, the console reaches data through connections.
ALLOWED_IMPORTS = {
    "server": FLOOR | {"engine"},
    "console": FLOOR | {"design", "connections", "access", "checks", "lifecycle", "planning", "generate"},
}


@cache
def import_graph(package: str) -> grimp.ImportGraph:
    """Who imports whom. Imports under TYPE_CHECKING count: a reader follows them as any other."""
    return grimp.build_graph(package, exclude_type_checking_imports=False)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def long_files(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        lines = path.read_text().count("\n")
        if lines > FILE_LINES:
            yield f"{path}: {lines} lines"


def long_functions(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    yield f"{path}:{node.lineno} {node.name}: {lines} lines"


def vaguely_named(paths: list[Path]) -> Iterator[str]:
    return (str(path) for path in paths if VAGUE_NAMES & {path.stem.strip("_"), path.parent.name.strip("_")})


def forbidden_imports(graph: grimp.ImportGraph) -> Iterator[str]:
    """Imports of a package that ALLOWED_IMPORTS does not list."""
    for importer in sorted(graph.modules):
        package = package_of(importer)
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            other = package_of(imported)
            if package in ALLOWED_IMPORTS and other and other not in ALLOWED_IMPORTS[package] | {package}:
                yield f"{importer} -> {imported}"


def package_of(module: str) -> str:
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == "tablewright" else ""


def test_no_file_is_over_its_budget() -> None:
    assert not list(long_files(SOURCES))


def test_no_function_is_over_its_budget() -> None:
    assert not list(long_functions(SOURCES))


def test_no_module_has_a_vague_name() -> None:
    assert not list(vaguely_named(SOURCES))


def test_budgets_are_inclusive(tmp_path: Path) -> None:
    at, over = tmp_path / "at.py", tmp_path / "over.py"
    at.write_text("def f():\n" + "    1\n" * (FUNCTION_LINES - 1) + "\n" * (FILE_LINES - FUNCTION_LINES))
    over.write_text("def f():\n" + "    1\n" * FUNCTION_LINES + "\n" * (FILE_LINES - FUNCTION_LINES))
    assert list(long_functions([at, over])) == [f"{over}:1 f: 61 lines"]
    assert list(long_files([at, over])) == [f"{over}: 501 lines"]


@pytest.mark.parametrize("name", ["utils.py", "_helpers.py", "common/__init__.py", "misc/dates.py"])
def test_a_vague_name_is_found(name: str) -> None:
    assert list(vaguely_named([Path("tablewright") / name]))
    assert not list(vaguely_named([Path("tablewright/values/numbers.py")]))


def test_the_front_door_stays_narrow() -> None:
    assert len(tablewright.__all__) <= FRONT_DOOR_NAMES
    assert not [name for name in tablewright.__all__ if not hasattr(tablewright, name)]


def test_packages_import_what_they_may() -> None:
    assert not list(forbidden_imports(import_graph("tablewright")))


def test_a_forbidden_import_is_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in [
        ("tablewright.server.http", "tablewright.engine.database"),
        ("tablewright.server.http", "tablewright.server.authentication.signatures"),
        ("tablewright.server.http", "tablewright.access.repository"),
        ("tablewright.console", "tablewright.engine"),
        ("tablewright.engine.database", "tablewright.engine.storage.rows"),
    ]:
        graph.add_import(importer=importer, imported=imported)
    assert list(forbidden_imports(graph)) == [
        "tablewright.console -> tablewright.engine",
        "tablewright.server.http -> tablewright.access.repository",
    ]


def import_cycles(graph: grimp.ImportGraph) -> list[list[str]]:
    """Groups of modules that import each other, in a circle, directly or not (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if imported not in order:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in stack:
                lowest[module] = min(lowest[module], order[imported])
        if lowest[module] == order[module]:
            start = stack.index(module)
            group = sorted(stack[start:])
            del stack[start:]
            if len(group) > 1:
                found.append(group)

    for module in sorted(graph.modules):
        if module not in order:
            visit(module)
    return found


@pytest.mark.parametrize("package", ["tablewright", "tablewright_systems"])
def test_no_modules_import_each_other(package: str) -> None:
    assert not import_cycles(import_graph(package))


def test_an_import_cycle_is_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "d")]:
        graph.add_import(importer=importer, imported=imported)
    assert import_cycles(graph) == [["a", "b", "c"]]


def small_modules(graph: grimp.ImportGraph, package: Path) -> Iterator[str]:
    """Modules with fewer than two importers and too few lines, by their paths in a package."""
    for module in sorted(graph.modules):
        name = module.partition(".")[2].replace(".", "/") + ".py"
        path = package / name
        if path.stem.startswith("__") or not path.is_file():
            continue
        if path.parent.name in LOADED_BY_NAME or path.stem in OPERATIONS:
            continue
        if (
            path.read_text().count("\n") < OWN_MODULE_LINES
            and len(graph.find_modules_that_directly_import(module)) < 2
        ):
            yield name


def test_a_module_has_two_importers_or_80_lines() -> None:
    small = set(small_modules(import_graph("tablewright"), PACKAGE))
    assert not small - set(SMALL_MODULES) - set(SMALL_FOR_NOW.split()), "merge these into their importers"
    assert not set(SMALL_MODULES) - small, "these are no longer small: remove them from the list"


def test_a_small_module_is_reported(tmp_path: Path) -> None:
    graph = grimp.ImportGraph()
    for importer, imported in [
        ("p.a", "p.shared"),
        ("p.b", "p.shared"),
        ("p.a", "p.small"),
        ("p.a", "p.long"),
    ]:
        graph.add_import(importer=importer, imported=imported)
    for name, lines in [("shared", 1), ("small", OWN_MODULE_LINES - 1), ("long", OWN_MODULE_LINES)]:
        (tmp_path / f"{name}.py").write_text("\n" * lines)
    assert list(small_modules(graph, tmp_path)) == ["small.py"]


def test_folders_stay_small() -> None:
    counts = Counter(path.parent for path in MODULES if path.parent not in NAMED_BY_USERS)
    assert not {str(folder): count for folder, count in counts.items() if count > FOLDER_FILES}


def test_a_module_is_found_by_its_name() -> None:
    """A basename belongs to one module, so that a file finder has one result."""
    counts = Counter(path.stem for path in MODULES if path.parent not in NAMED_BY_USERS)
    assert {name for name, count in counts.items() if count > 1} == set(SHARED_BASENAMES)


def test_a_class_is_found_by_its_name() -> None:
    """A class name belongs to one module, so that a search has one result."""
    modules = {
        (node.name, path)
        for path in PACKAGE.rglob("*.py")
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    counts = Counter(name for name, _ in modules)
    assert {name for name, count in counts.items() if count > 1} == SHARED_CLASS_NAMES


def test_a_modules_test_is_found_by_its_path() -> None:
    missing = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if path.parent.name != "rules"  # each rule has case files, see tests/checks
        and not (ROOT / "tests" / path.relative_to(PACKAGE).parent / f"test_{path.name}").exists()
    }
    assert missing == set(UNTESTED)


def test_the_systems_see_the_front_door_only() -> None:
    """The contract names every package; a new one has to be added."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one["name"] == "The systems use the front door")
    packages = {
        f"tablewright.{path.stem}"
        for path in PACKAGE.iterdir()
        if path.suffix in ("", ".py") and not path.name.startswith("__")
    }
    assert set(contract["forbidden_modules"]) == packages - {"tablewright.errors"}


def test_nothing_of_tablewright_mentions_the_systems() -> None:
    """The systems are customers; import-linter forbids the imports, and this the messages, pages and comments."""
    names = ("tablewright_systems", "tablewright-systems")
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert not [str(path) for path in files for name in names if name.encode() in path.read_bytes()]
