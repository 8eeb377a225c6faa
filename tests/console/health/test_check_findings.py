"""Findings of a design by rule, with the lines of its source and how to accept each."""

from typing import Any

import pytest

from tablewright import Design, Entity, Index, Keys, Scan, Table, connect
from tablewright.checks.runner import check
from tablewright.console.health.check_findings import check_findings, severity_counts, suppression
from tablewright.console.open_designs import OpenDesign

main = Table("library", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Book(Entity, table=main, type="BOOK"):
    book_id: str
    tags: list[str]
    keys = Keys(primary=("BOOK#{book_id}", "BOOK"), GSI1=("BOOKS", "{book_id}"))


class AllBooks(Scan[Book]):
    """Every book."""


design = Design(
    "library", entities=[Book], patterns=[AllBooks], suppress={"TW402:Book.tags": "few tags, ever"}
)


@pytest.fixture
def found() -> Any:
    with connect(design) as db:
        opened = OpenDesign(db, "Library", "memory", "library:design")
        assert severity_counts(opened) == check_findings(opened)["counts"]
        return check_findings(opened)


def test_findings_are_grouped_by_rule_with_its_manual(found: Any) -> None:
    scan = next(rule for rule in found["rules"] if rule["code"] == "TW303")
    assert scan["title"] == "Pattern that needs a scan"
    assert scan["manual"].startswith("A pattern reads a whole table.")
    assert [each["where"] for each in scan["findings"]] == ["AllBooks"]
    assert [rule["code"] for rule in found["rules"]] == list(
        dict.fromkeys(each.code for each in check(design))
    )


def test_a_finding_has_the_lines_of_the_class(found: Any) -> None:
    scan = next(rule for rule in found["rules"] if rule["code"] == "TW303")
    source = scan["findings"][0]["source"]
    assert source["file"].endswith("test_check_findings.py")
    assert source["excerpt"][source["line"] - source["first"]] == "class AllBooks(Scan[Book]):"


def test_the_line_that_accepts_a_finding_works() -> None:
    for finding in check(Design("library", entities=[Book], patterns=[AllBooks])):
        line = suppression(finding)
        key = line["line"].partition('"')[2].partition('"')[0]
        if line["place"] == "in the call of Design(...)":
            again = Design("library", entities=[Book], patterns=[AllBooks], suppress={key: "for a test"})
            assert finding in [each for each, _ in check(again).suppressed]
        else:
            assert line["place"] == f"in the class {finding.where.partition('.')[0]}"
            assert line["line"].startswith("suppress: ClassVar = {")


def test_suppressed_findings_have_their_reason(found: Any) -> None:
    assert [(each["where"], each["reason"]) for each in found["suppressed"]] == [
        ("Book.tags", "few tags, ever")
    ]
    assert found["counts"]["suppressed"] == 1
