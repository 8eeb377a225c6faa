"""Findings from problems that were recorded when classes were defined."""

from typing import Annotated

from tablewright import Design, Entity, Find, Index, Keys, Query, Table, fields
from tablewright.checks.findings import Finding, recorded_problems
from tablewright.checks.runner import check

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


def test_the_fix_of_a_lookup_keeps_the_markers_of_the_field() -> None:
    table = Table(
        "drivers",
        key="id",
        indexes=[Index("by-licence", "licence"), Index("by-plate", "plate")],
        types={"plate": "N"},
    )

    class Driver(Entity, table=table):
        id: str
        licence: Annotated[str, fields.Hashed()]
        plate: int

    class DriverByLicence(Find[Driver]):
        licence: str
        index = "by-licence"

    class DriverByPlate(Find[Driver]):
        plate: int
        index = "by-plate"

    found = {
        each.where: each.fix
        for each in check(Design("d", patterns=[DriverByLicence, DriverByPlate]))
        if each.code == "TW307"
    }
    assert found == {
        "Driver.licence": "add fields.Unique() to the markers of licence",
        "Driver.plate": "plate: Annotated[int, fields.Unique()]",
    }
