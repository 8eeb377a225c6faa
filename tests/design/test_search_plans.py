"""Search plans: the index, the equalities and the filter of a Nearest."""

from typing import Annotated

import pytest

from tablewright import Entity, Index, Keys, Nearest, Table, VectorIndex, fields
from tablewright.design.plans.plans import Plan

main = Table(
    "notes",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK")],
    types={"year": "N"},
    vector_indexes=[
        VectorIndex("by-meaning", "meaning", 3, partition="GSI1PK", filters=("kind", "year", "type")),
        VectorIndex("by-words", "words", 2),
    ],
)


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    tenant: str
    kind: str
    year: int
    meaning: Annotated[list[float], fields.Vector(3)]
    words: Annotated[list[float], fields.Vector(2)]
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), GSI1=("TENANT#{tenant}",))


class Mail(Entity, table=main, type="MAIL"):
    mail_id: str
    tenant: str
    meaning: Annotated[list[float], fields.Vector(3)]
    keys = Keys(primary=("MAIL#{mail_id}", "MAIL"), GSI1=("TENANT#{tenant}",))


class Similar(Nearest[Note]):
    """Similar notes."""

    meaning: list[float]
    tenant: str
    year: int | None = None


class Written(Nearest[Note]):
    meaning: Annotated[list[float], fields.Vector(3)]
    account: str
    recent: int
    key = "GSI1PK = TENANT#{account}"
    filter = "kind = 'memo' AND year = {recent}"


class ByWords(Nearest[Note]):
    words: list[float]
    limit = 100


class Both(Nearest[Note | Mail]):
    meaning: list[float]
    tenant: str


def shown(plan: Plan) -> list[str]:
    return list(map(str, plan.clauses))


def test_the_index_is_that_of_the_vector() -> None:
    assert [each.__plan__.index for each in (Similar, ByWords)] == list(main.vector_indexes)
    assert (Similar.__plan__.kind, Similar.limit, ByWords.limit) == ("nearest", 10, 100)


def test_parameters_and_the_type_are_compared() -> None:
    assert shown(Similar.__plan__) == ["GSI1PK = TENANT#{tenant}", "year = {year}", "type = NOTE"]
    assert [str(clause) for clause in Similar.__plan__.partition_clauses] == ["GSI1PK = TENANT#{tenant}"]
    assert shown(ByWords.__plan__) == []


def test_key_and_filter_are_compared_as_written() -> None:
    plan = Written.__plan__
    assert shown(plan) == ["GSI1PK = TENANT#{account}", "type = NOTE"]
    assert plan.filter is not None
    assert plan.filter.fields == ("kind", "year")


def test_several_entities_have_no_type_in_common() -> None:
    assert shown(Both.__plan__) == ["GSI1PK = TENANT#{tenant}"]
    assert not Both.__plan__.reads_copies(Note.layout)


def test_a_literal_table_records_problems() -> None:
    table = Table("literal", key="id", literal=True, vector_indexes=[VectorIndex("by-meaning", "meaning", 3)])

    class Thing(Entity, table=table):
        id: str
        meaning: Annotated[list[float], fields.Vector(3)]

    class Search(Nearest[Thing]):
        other: str
        index = "by-meaning"

    assert [str(problem) for problem in Search.__plan__.problems] == [
        "Search has no vector to search by-meaning with; add the parameter meaning: list[float]"
    ]


@pytest.mark.parametrize("pattern", [Similar, Written, ByWords, Both])
def test_a_plan_without_problems(pattern: type[Nearest[Note]]) -> None:
    assert pattern.__plan__.problems == ()
