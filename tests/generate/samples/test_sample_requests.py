"""Sample requests find a sample by keys with formats, ranges, copies and filters."""

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from tablewright import BatchGet, Copy, Design, Entity, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.generate.samples.sample_data import sample_data

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Area(StrEnum):
    NORTH = "north"
    SOUTH = "south"


class Visit(Entity, table=main, type="VISIT"):
    visit_id: str = fields.new_id()
    area: Area
    level: int
    nickname: str
    at: fields.Timestamp = fields.now()
    tags: list[str]
    keys = Keys(
        primary=("VISIT#{visit_id}", "VISIT"),
        GSI1=("DAY#{at:%Y-%m-%d}#{visit_id:shard(4)}", "{area}#{level:04}#{at}"),
    )
    by_tag = Copy(each="tags", name="tag", primary=("TAG#{tag}", "{visit_id}"))
    by_name = Copy(primary=("NAME#{nickname:fold}", "{visit_id}"))


class VisitById(Get[Visit]):
    visit_id: str


class VisitsById(BatchGet[Visit]):
    visit_id: list[str]


class VisitsOfDay(Query[Visit]):
    day: date
    shard: int
    area: Area
    lowest: int
    highest: int
    key = "GSI1PK = DAY#{day:%Y-%m-%d}#{shard} AND GSI1SK BETWEEN {area}#{lowest:04} AND {area}#{highest:04}"


class VisitsTagged(Query[Visit]):
    tag: str
    after: str
    key = "PK = TAG#{tag} AND SK > {after}"


class TaggedInScan(Scan[Visit]):
    tag: str
    filter = "contains(tags, {tag})"


class NeverTagged(Scan[Visit]):
    filter = "attribute_not_exists(tags)"


def test_each_pattern_finds_a_sample() -> None:
    patterns: list[Any] = [VisitById, VisitsById, VisitsOfDay, VisitsTagged, TaggedInScan, NeverTagged]
    design = Design("visits", entities=[Visit], patterns=patterns)
    made = sample_data(design, 6, now=datetime(2026, 3, 18, tzinfo=UTC))
    *found, never = made.requests
    assert [each.plan.name for each in found if not each.found] == []
    assert never.request is None
    assert never.problem == 'no sample passes its filter "attribute_not_exists(tags)"'
