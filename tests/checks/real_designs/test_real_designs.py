"""The checks find the known faults of five real designs, and report no other errors."""

from functools import cache

import pytest

from tablewright.checks.findings import Finding
from tablewright.checks.runner import check
from tablewright.design.designs import Design
from tests.golden import arrows

RULE_COUNTS = {
    "boards": 27,
    "listbackup": 63,
    "student_hub": 53,
    "goalsguild": 37,
    "collabhub": 40,
}
"""How many rules each system has."""

RULES = arrows("real_designs/findings.txt")
NOT_STATIC = "not static: "
EXPECTED = [
    (rule, place)
    for rule, answer in RULES
    if not answer.startswith(NOT_STATIC)
    for place in answer.split("; ")
]


@cache
def findings(system: str) -> tuple[Finding, ...]:
    return check(Design.load(f"tests.checks.real_designs.{system}")).findings


def place_of(finding: Finding) -> str:
    return f"{finding.code} at {finding.where}"


def test_every_rule_is_listed_once() -> None:
    listed = [rule for rule, _ in RULES]
    assert listed == [f"{system} R{n}" for system, last in RULE_COUNTS.items() for n in range(1, last + 1)]


def test_a_rule_that_is_not_found_has_a_reason() -> None:
    reasons = [answer.removeprefix(NOT_STATIC) for _, answer in RULES if answer.startswith(NOT_STATIC)]
    assert reasons
    assert all(reason.strip() for reason in reasons)


@pytest.mark.parametrize(("rule", "place"), EXPECTED, ids=map(" ".join, EXPECTED))
def test_fault_is_found(rule: str, place: str) -> None:
    found = sorted(map(place_of, findings(rule.split()[0])))
    assert place in found


@pytest.mark.parametrize("system", RULE_COUNTS)
def test_no_other_error_is_reported(system: str) -> None:
    expected = {place for rule, place in EXPECTED if rule.startswith(system)}
    errors = {place_of(finding) for finding in findings(system) if finding.severity == "error"}
    assert errors <= expected


@pytest.mark.parametrize(
    ("system", "tables", "indexes"),
    [
        ("boards", 7, 7),
        ("listbackup", 13, 23),
        ("student_hub", 4, 3),
        ("goalsguild", 1, 6),
        ("collabhub", 1, 4),
    ],
)
def test_designs_are_declared_completely(system: str, tables: int, indexes: int) -> None:
    design = Design.load(f"tests.checks.real_designs.{system}")
    assert (len(design.tables), sum(len(table.indexes) for table in design.tables)) == (tables, indexes)
