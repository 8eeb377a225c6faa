"""Findings from problems that were recorded when classes were defined."""

from tablewright import Design, Entity, Keys, Query, Table
from tablewright.checks.findings import Finding, recorded_problems

literal = Table("notes", key="PK", literal=True)


class Note(Entity, table=literal):
    note_id: str
    keys = Keys(primary="NOTE#{id}")


class Notes(Query[Note]):
    key = "begins_with(PK, NOTE#)"


DESIGN = Design("notes", entities=[Note], patterns=[Notes])


def test_problems_of_entities_and_patterns_become_errors() -> None:
    (field,) = recorded_problems(DESIGN, "TW003")
    assert (field.severity, field.where, field.subject) == ("error", "Note.id", Note)
    (pattern,) = recorded_problems(DESIGN, "TW301")
    assert (pattern.severity, pattern.where, pattern.subject) == ("error", "Notes", Notes)


def test_other_codes_have_no_finding() -> None:
    assert list(recorded_problems(DESIGN, "TW101")) == []


def test_the_subject_does_not_count_in_comparisons() -> None:
    assert Finding("TW001", "info", "a", "b", "c", Note) == Finding("TW001", "info", "a", "b", "c")
