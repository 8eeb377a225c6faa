"""Findings and reports."""

from concurrent.futures import ThreadPoolExecutor

from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport, Kind

KEY = {"PK": {"S": "MEMBER#1"}, "SK": {"S": "MEMBER"}}


def test_a_finding_as_text() -> None:
    finding = IntegrityFinding(Kind.MISSING_LOCK, "club", KEY, "lacks the lock of its email")
    assert str(finding) == "club: PK = 'MEMBER#1', SK = 'MEMBER' lacks the lock of its email"
    assert str(finding.kind) == "missing lock"


def test_a_report_counts_kinds() -> None:
    kinds = (Kind.UNKNOWN, Kind.UNKNOWN, Kind.INCOMPLETE)
    report = IntegrityReport(findings=[IntegrityFinding(kind, "club", KEY, "is wrong") for kind in kinds])
    assert report.counts == {"unknown item": 2, "incomplete item": 1}


def test_notes_are_counted_from_several_threads() -> None:
    report = IntegrityReport()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(report.note, ["note"] * 1000))
    assert report.notes == {"note": 1000}


def test_a_report_keeps_a_limited_number_of_findings() -> None:
    report = IntegrityReport(most=3)
    finding = IntegrityFinding(Kind.UNKNOWN, "club", KEY, "is wrong")
    for _ in range(4):
        report.add([finding, finding])
    assert (len(report.findings), report.left_out) == (3, 5)
