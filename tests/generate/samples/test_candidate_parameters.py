"""Candidate parameters: values from the keys and the fields of a stored entity, as the types of the parameters."""

from datetime import UTC, date, datetime

from tablewright import Design, Entity, Index, Keys, Query, Scan, Table, connect, fields
from tablewright.generate.samples.candidate_parameters import CandidateParameters

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Visit(Entity, table=main, type="VISIT"):
    visit_id: str
    level: int
    at: fields.Timestamp
    keys = Keys(primary=("VISIT#{visit_id}", "VISIT"), GSI1=("DAY#{at:%Y-%m-%d}", "{level:04}"))


class VisitsOfDay(Query[Visit]):
    day: date
    lowest: int
    key = "GSI1PK = DAY#{day:%Y-%m-%d} AND GSI1SK >= {lowest:04}"


class VisitsAtLevel(Scan[Visit]):
    level: int
    filter = "level = {level}"


def test_parameters_come_from_the_keys_of_an_item() -> None:
    visit = Visit(visit_id="v1", level=7, at=datetime(2026, 2, 3, tzinfo=UTC))
    with connect(Design("visits", entities=[Visit], patterns=[VisitsOfDay, VisitsAtLevel])) as db:
        db.create(visit)
        (item,) = db.connection.call("Scan", {"TableName": "main"})["Items"]
    found = list(CandidateParameters(VisitsOfDay, NOW).requests(visit, item))
    assert VisitsOfDay(day=date(2026, 2, 3), lowest=7) in found
    assert found[0] == VisitsOfDay(day=date(2026, 2, 3), lowest=0)  # a range that contains all samples


def test_parameters_of_a_filter_come_from_the_fields() -> None:
    visit = Visit(visit_id="v1", level=7, at=NOW)
    assert list(CandidateParameters(VisitsAtLevel, NOW).requests(visit, None)) == [VisitsAtLevel(level=7)]
