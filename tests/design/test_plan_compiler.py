"""The plan compiler: the index and the key clauses of a pattern."""

from datetime import date, datetime
from typing import Any

import pytest

from tablewright import BatchGet, Entity, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

INDEXES = [Index("GSI1", "GSI1PK", "GSI1SK")]
main = Table("main", key=("PK", "SK"), indexes=INDEXES)
literal = Table("literal", key=("PK", "SK"), indexes=INDEXES, literal=True)


class Audit(Entity, table=main, type="AUDIT"):
    audit_id: str
    user_id: str
    level: int
    created_at: fields.Timestamp
    keys = Keys(
        primary=("AUDIT#{created_at:%Y-%m-%d}", "{created_at}#{audit_id}"),
        GSI1=("USER#{user_id:shard(16)}", "{level:03}#{created_at:%Y%m%d}#{audit_id}"),
    )


class Note(Entity, table=literal, type="NOTE"):
    note_id: str
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


def clauses(base: Any, parameters: dict[str, Any], **settings: Any) -> list[str]:
    return [str(clause) for clause in define_pattern(base, Audit, parameters, **settings).__plan__.clauses]


def test_without_a_key_condition_the_key_of_the_entity_is_used() -> None:
    day = "PK = AUDIT#{created_at:%Y-%m-%d}"
    assert clauses(Query, {"created_at": date}) == [day]
    assert clauses(Query, {"created_at": datetime}) == [day, "begins_with(SK, {created_at}#)"]
    whole = [day, "SK = {created_at}#{audit_id}"]
    assert clauses(Get, {"created_at": fields.Timestamp, "audit_id": str}) == whole
    assert clauses(BatchGet, {"created_at": list[fields.Timestamp], "audit_id": list[str]}) == whole
    assert clauses(Query, {"user_id": str, "level": int}, index="GSI1") == [
        "GSI1PK = USER#{user_id:shard(16)}",
        "begins_with(GSI1SK, {level:03}#)",
    ]


@pytest.mark.parametrize(
    ("key", "index"),
    [("PK = AUDIT#{a}", None), ("GSI1PK = USER#{a}", "GSI1"), ("PK = AUDIT#{a}, SK > x", None)],
)
def test_the_index_is_found_by_the_attributes(key: str, index: str | None) -> None:
    found = define_pattern(Query, Audit, {"a": str}, key=key).__plan__.index
    assert (found.name if found else None) == index


def test_a_scan_has_no_clauses() -> None:
    plan = define_pattern(Scan, Audit, {}, index="GSI1").__plan__
    assert (plan.clauses, plan.index and plan.index.name) == ((), "GSI1")


@pytest.mark.parametrize(
    ("parameters", "settings", "message"),
    [
        ({"a": str}, {"key": "name = {a}"}, 'the key condition "name = {a}", which fits neither main nor'),
        ({}, {}, r'Things needs created_at for PK = "AUDIT#\{created_at:%Y-%m-%d\}"; add it as a parameter'),
        (
            {"a": str},
            {"key": "GSI1PK = USER#{a}", "consistent": True},
            "Things reads GSI1 with consistent=True, which global indexes do not support",
        ),
        (
            {"created_at": date},
            {"filter": "levl > {x}"},
            r'has the filter "levl > {x}": levl is not a field of Audit',
        ),
        ({"created_at": date}, {"filter": "level > {x}"}, "which needs x; add it as a parameter"),
    ],
)
def test_patterns_that_cannot_work_are_rejected(
    parameters: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        define_pattern(Query, Audit, parameters, **settings)


def test_problems_of_a_literal_table_are_recorded_in_the_plan() -> None:
    plan = define_pattern(Query, Note, {"a": str}, key="begins_with(PK, {a})").__plan__
    assert [problem.code for problem in plan.problems] == ["TW301"]
    assert define_pattern(Query, Note, {"a": str}, key="PK = NOTE#{a}").__plan__.problems == ()


def test_only_the_first_cause_is_recorded() -> None:
    plan = define_pattern(Query, Note, {"a": str, "unused": str}, key="name = {a}").__plan__
    assert [problem.code for problem in plan.problems] == ["TW303"]
