"""REQUIREMENTS.md of each system: every number is implemented and proved, and citations are numbers of the page."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
import tablewright_systems
from tablewright_systems.registry import SYSTEMS, System

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parents[1]
PACKAGE = Path(tablewright_systems.__file__).parent
CHECKS = (REPOSITORY / "docs/reference/checks.md").read_text()
README = (REPOSITORY / "systems/README.md").read_text()
COMMANDS = REPOSITORY / "src/tablewright/cli/commands"
ROW = re.compile(r"^\| ([AFR])(\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
CITATION = re.compile(r"(?<![\w.])[AFR]\d{1,2}\b")
WITHOUT_TEST = "no test: "
FREE_TEXT = {"the engine", "the library"}

pytestmark = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


@dataclass(frozen=True)
class Requirement:
    kind: str
    number: int
    sentence: str
    implemented: str
    proved: str

    @property
    def name(self) -> str:
        return f"{self.kind}{self.number}"


@cache
def requirements(system: System) -> dict[str, Requirement]:
    page = (PACKAGE / system.name / "REQUIREMENTS.md").read_text()
    rows = [Requirement(row[0], int(row[1]), *row[2:]) for row in ROW.findall(page)]
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row for row in rows}


@cache
def definitions(file: Path) -> frozenset[str]:
    """Return the names that a module defines at its top level."""
    names = set()
    for node in ast.parse(file.read_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return frozenset(names)


@cache
def names_in(folder: Path) -> frozenset[str]:
    """Return `module.name` for everything that the modules below a folder define."""
    return frozenset(f"{file.stem}.{name}" for file in folder.rglob("*.py") for name in definitions(file))


def test_numbers_have_no_gap(system: System) -> None:
    for kind in "AFR":
        numbers = [row.number for row in requirements(system).values() if row.kind == kind]
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_readme_counts_them(system: System) -> None:
    kinds = [row.kind for row in requirements(system).values()]
    counts = " | ".join(str(kinds.count(kind)) for kind in "AFR")
    (row,) = (line for line in README.splitlines() if f"/{system.name}/REQUIREMENTS.md" in line)
    assert row.endswith(f" | {counts} |")


def test_sentences_are_sentences(system: System) -> None:
    for row in requirements(system).values():
        assert row.sentence.endswith("."), row.name
        assert row.sentence[0].isupper() or row.sentence[0] == '"', row.name


def test_patterns_and_flows_name_their_proofs(system: System) -> None:
    listed = {row.name: row.proved for row in requirements(system).values() if row.kind != "R"}
    assert listed == {proof.number: f"`{proof.name}`" for proof in system.proofs}


def test_implementations_exist(system: System) -> None:
    known = names_in(PACKAGE / system.name)
    for row in requirements(system).values():
        for reference in row.implemented.split(", "):
            name = reference.strip("`")
            if name.startswith("tablewright "):
                assert (COMMANDS / f"{name.split()[1]}.py").exists(), f"{row.name}: {name}"
            else:
                assert name in known | FREE_TEXT, f"{row.name}: {name}"


def test_rules_are_proved_or_have_a_reason(system: System) -> None:
    rules = [row for row in requirements(system).values() if row.kind == "R"]
    for rule in rules:
        if rule.proved.startswith(WITHOUT_TEST):
            assert len(rule.proved) > len(WITHOUT_TEST) + 20, rule.name
            continue
        references = rule.proved.split(", ")
        missing = [reference for reference in references if not is_proof(system, reference.strip("`"))]
        assert missing == [], rule.name
        assert any(not reference.startswith("TW") for reference in references), rule.name


def is_proof(system: System, reference: str) -> bool:
    """Return whether a reference is a check, a proof of the system, a module of tests, or a test."""
    if reference.startswith("TW"):
        return f"## {reference}" in CHECKS
    if CITATION.fullmatch(reference):
        return reference in {proof.number for proof in system.proofs}
    module, _, test = reference.partition("::")
    files = [REPOSITORY / module] if "/" in module else (TESTS / system.name).rglob(f"{module}.py")
    return any(fnmatch(name, test or "test_*") for file in files for name in definitions(file))


def test_citations_are_numbers_of_the_page(system: System) -> None:
    known = requirements(system)
    for file in sources(system):
        text = file.read_text()
        cited = set(CITATION.findall(text)) if file.suffix == ".md" else set(citations(text))
        assert cited <= known.keys(), f"{file}: {cited - known.keys()}"


def sources(system: System) -> Iterator[Path]:
    yield PACKAGE / system.name / "DEVIATIONS.md"
    for folder in (PACKAGE / system.name, TESTS / system.name):
        yield from folder.rglob("*.py")


def citations(code: str) -> Iterator[str]:
    """Yield the numbers in docstrings, comments and names of tests."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield from CITATION.findall(str(node.value.value))
        if isinstance(node, ast.FunctionDef) and re.match(r"test_r\d", node.name):
            yield from (number.upper() for number in re.findall(r"(?<=_)r\d+(?=_)", node.name))
    for comment in re.findall(r"(?m)(?:^|  )# (.*)$", code):
        yield from CITATION.findall(comment)
