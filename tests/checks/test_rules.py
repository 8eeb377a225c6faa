"""Every rule on designs with and without the problem: see `cases`, a module for each rule, with the name of the rule.

A case module has CODE, `passes` (designs in which the rule finds nothing) and `fails` (designs, each with the expected
findings: severity, place, and words of the reason).
"""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from tablewright.checks.runner import check, rules
from tablewright.design.designs import Design
from tests.checks import cases
from tests.checks.pages import PAGE, page

MODULES = [import_module(f"tests.checks.cases.{found.name}") for found in iter_modules(cases.__path__)]
PASSES = [(module.CODE, design) for module in MODULES for design in module.passes]
FAILS = [(module.CODE, design, found) for module in MODULES for design, found in module.fails]
ROOT = Path(__file__).parent.parent.parent


def name_of(value: Any) -> str:
    return value.name if isinstance(value, Design) else str(value) if isinstance(value, str) else ""


@pytest.mark.parametrize(("code", "design"), PASSES, ids=name_of)
def test_correct_design_has_no_finding(code: str, design: Design) -> None:
    assert [finding for finding in check(design) if finding.code == code] == []


@pytest.mark.parametrize(("code", "design", "expected"), FAILS, ids=name_of)
def test_problem_is_found(code: str, design: Design, expected: list[tuple[str, str, str]]) -> None:
    found = [finding for finding in check(design) if finding.code == code]
    assert [(finding.severity, finding.where) for finding in found] == [one[:2] for one in expected]
    for finding, (_, _, word) in zip(found, expected, strict=True):
        assert word in finding.why
        assert finding.fix


def test_every_rule_has_a_case_module_of_its_name() -> None:
    names = {rule.module.__name__.rpartition(".")[2]: rule.code for rule in rules()}
    assert names == {module.__name__.rpartition(".")[2]: module.CODE for module in MODULES}
    assert not [name for name, code in names.items() if not name.startswith(f"{code.lower()}_")]


def test_every_rule_has_cases_of_both_kinds() -> None:
    assert {module.CODE for module in MODULES if module.passes and module.fails} == {
        rule.code for rule in rules()
    }


def test_codes_are_unique() -> None:
    codes = [rule.code for rule in rules()]
    assert codes == sorted(set(codes))


def test_manual_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "update it with: python -m tests.checks.pages"


def test_every_problem_code_has_a_rule() -> None:
    sources = [path.read_text() for path in (ROOT / "src" / "tablewright" / "design").rglob("*.py")]
    named = {code for source in sources for code in re.findall(r'"(TW[0-9]{3})",', source)}
    assert named
    assert named <= {rule.code for rule in rules()}
