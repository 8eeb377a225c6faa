"""Every rule finds what it should, and nothing else: see `cases`, a file for each rule.

A case file has CODE, `passes` (designs in which the rule finds nothing) and `fails` (designs, each with what it finds:
severity and place, and a word of the reason).
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
def test_what_is_right_passes(code: str, design: Design) -> None:
    assert [finding for finding in check(design) if finding.code == code] == []


@pytest.mark.parametrize(("code", "design", "expected"), FAILS, ids=name_of)
def test_what_is_wrong_is_found(code: str, design: Design, expected: list[tuple[str, str, str]]) -> None:
    found = [finding for finding in check(design) if finding.code == code]
    assert [(finding.severity, finding.where) for finding in found] == [one[:2] for one in expected]
    for finding, (_, _, word) in zip(found, expected, strict=True):
        assert word in finding.why
        assert finding.fix


def test_every_rule_has_cases_of_both_kinds() -> None:
    assert {module.CODE for module in MODULES if module.passes and module.fails} == {
        rule.code for rule in rules()
    }


def test_codes_are_unique() -> None:
    codes = [rule.code for rule in rules()]
    assert codes == sorted(set(codes))


def test_every_rule_has_its_page() -> None:
    assert PAGE.read_text() == page(), "python -m tests.checks.pages writes it anew"


def test_every_complaint_of_the_language_is_explained() -> None:
    sources = [path.read_text() for path in (ROOT / "src" / "tablewright" / "design").rglob("*.py")]
    named = {code for source in sources for code in re.findall(r'"(TW[0-9]{3})",', source)}
    assert named
    assert named <= {rule.code for rule in rules()}
