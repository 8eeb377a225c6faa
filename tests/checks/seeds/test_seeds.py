"""The checks find the known traps of five real design documents, and report no other errors."""

from functools import cache

import pytest

from tablewright.checks.findings import Finding
from tablewright.checks.runner import check
from tablewright.design.designs import Design
from tests.golden import arrows

DOCUMENTS = {
    "000": ("boards", 27),
    "001": ("listbackup", 63),
    "002": ("student_hub", 53),
    "003": ("goalsguild", 37),
    "004": ("collabhub", 40),
}
"""Each document's module, and how many traps its review counts."""

TRAPS = arrows("seeds/traps.txt")
NOT_STATIC = "not static: "
EXPECTED = [
    (trap, place)
    for trap, answer in TRAPS
    if not answer.startswith(NOT_STATIC)
    for place in answer.split("; ")
]


@cache
def findings(document: str) -> tuple[Finding, ...]:
    module, _ = DOCUMENTS[document]
    return check(Design.load(f"tests.checks.seeds.{module}")).findings


def place_of(finding: Finding) -> str:
    return f"{finding.code} at {finding.where}"


def test_every_trap_is_listed_once() -> None:
    listed = [trap for trap, _ in TRAPS]
    assert listed == [
        f"{document} T{n}" for document, (_, last) in DOCUMENTS.items() for n in range(1, last + 1)
    ]


def test_a_trap_that_is_not_found_has_a_reason() -> None:
    reasons = [answer.removeprefix(NOT_STATIC) for _, answer in TRAPS if answer.startswith(NOT_STATIC)]
    assert reasons
    assert all(reason.strip() for reason in reasons)


@pytest.mark.parametrize(("trap", "place"), EXPECTED, ids=map(" ".join, EXPECTED))
def test_trap_is_found(trap: str, place: str) -> None:
    found = sorted(map(place_of, findings(trap.split()[0])))
    assert place in found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_other_error_is_reported(document: str) -> None:
    expected = {place for trap, place in EXPECTED if trap.startswith(document)}
    errors = {place_of(finding) for finding in findings(document) if finding.severity == "error"}
    assert errors <= expected


@pytest.mark.parametrize(
    ("document", "tables", "indexes"),
    [("000", 7, 7), ("001", 13, 23), ("002", 4, 3), ("003", 1, 6), ("004", 1, 4)],
)
def test_documents_are_declared_completely(document: str, tables: int, indexes: int) -> None:
    design = Design.load(f"tests.checks.seeds.{DOCUMENTS[document][0]}")
    assert (len(design.tables), sum(len(table.indexes) for table in design.tables)) == (tables, indexes)
