"""The runner: reports sorted by severity, without suppressed findings."""

from tablewright import Design, Entity, Index, Keys, Scan, Table
from tablewright.checks.runner import check, rules

main = Table("main", key="PK", indexes=[Index("unused", "x")])


class User(Entity, table=main, type="USER"):
    name: str
    keys = Keys(primary="USER#{name}")


class Guest(Entity, table=main, type="GUEST"):
    name: str
    keys = Keys(primary="USER#{name}")


class Users(Scan[User]):
    pass


def test_the_most_severe_findings_come_first() -> None:
    report = check(Design("app", entities=[User, Guest], patterns=[Users]))
    assert [finding.severity for finding in report] == ["error", "warning", "warning", "info", "info"]
    assert [finding.code for finding in report][:3] == ["TW107", "TW303", "TW306"]
    assert report.has_errors


def test_suppressed_findings_are_separate() -> None:
    reasons = {"TW107": "known", "TW303:Users": ""}
    report = check(Design("app", entities=[User, Guest], patterns=[Users], suppress=reasons))
    ((finding, suppression),) = report.suppressed
    assert (finding.code, suppression.reason) == ("TW107", "known")
    assert not report.has_errors
    assert {"TW001", "TW303"} <= {finding.code for finding in report}


def test_every_rule_has_a_code_a_title_and_a_manual() -> None:
    assert all(rule.code.startswith("TW") and rule.title and rule.manual for rule in rules())
