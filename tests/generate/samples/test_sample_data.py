"""Sample data is valid, believable, and found by every pattern of the design."""

import json
from datetime import UTC, date, datetime
from enum import Enum, StrEnum
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS, System

from tablewright import BatchGet, Copy, Design, Entity, Get, Index, Keys, Query, Scan, Table, connect, fields
from tablewright.access.items.item_values import key_values
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import Ttl
from tablewright.dynamodb.clock import Clock
from tablewright.generate.samples.sample_data import SampleData, sample_data, samples
from tablewright.generate.samples.sample_references import SampleReferences
from tablewright.lifecycle.integrity.fsck import check

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
COUNT = 12


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda system: system.name)
def system(request: pytest.FixtureRequest) -> System:
    found: System = request.param
    return found


@pytest.fixture(scope="module")
def made(system: System) -> SampleData:
    return sample_data(system.design, COUNT, seed=5, now=NOW)


def test_every_entity_has_samples(system: System, made: SampleData) -> None:
    assert {type(entity) for entity in made.entities} == set(system.design.entities)


def test_every_pattern_finds_a_sample(system: System, made: SampleData) -> None:
    assert [request.plan.name for request in made.requests] == [plan.name for plan in system.design.plans]
    assert {request.plan.name: request.problem for request in made.requests if request.request is None} == {}


def test_samples_written_elsewhere_are_consistent(system: System, made: SampleData) -> None:
    with connect(system.design, environment="test", clock=Clock(NOW)) as db:
        assert made.write(db) == len(made.entities)
        assert made.write(db) == 0
        report = check(db)
        assert [str(finding) for finding in report.findings] == []
        assert report.notes == {}
        for request in made.requests:
            if request.request is not None and not request.plan.pattern.fields:
                assert db.run(request.request)  # type: ignore[call-overload]


def test_all_states_occur(system: System, made: SampleData) -> None:
    for entity in system.design.entities:
        mine = [each for each in made.entities if type(each) is entity]
        for name, field in entity.layout.fields.items():
            kind, _ = plain_type(field.annotation)
            if isinstance(kind, type) and issubclass(kind, Enum) and len(kind) <= len(mine):
                seen = {getattr(each, name) for each in mine} - {None}
                # An optional field is absent from a random share of the entities.
                assert seen == set(kind) or (field.optional and seen), f"{entity.__name__}.{name}"


def test_sparse_indexes_hold_some_but_not_all(system: System, made: SampleData) -> None:
    for entity in system.design.entities:
        mine = [each for each in made.entities if type(each) is entity]
        for key in entity.layout.indexes:
            if key.sparse is not None:
                held = [key_values(entity.layout.table, key, each.__dict__) is not None for each in mine]
                assert set(held) == {True, False}, f"{entity.__name__} in {key.index and key.index.name}"


def test_times_are_in_order(made: SampleData) -> None:
    for entity in made.entities:
        times = {
            field.automatic: getattr(entity, field.name)
            for field in entity.layout.fields.values()
            if field.automatic and isinstance(getattr(entity, field.name), datetime)
        }
        created, touched = times.get("created"), times.get("touched")
        assert created is None or created <= NOW
        assert touched is None or (created or touched) <= touched <= NOW


def test_nothing_has_expired(system: System, made: SampleData) -> None:
    for table in system.design.tables:
        for item in made.items[table.name]:
            if table.ttl in item:
                assert int(item[table.ttl]["N"]) > NOW.timestamp()
    assert any(entity.layout.marked(Ttl) for entity in made.entities)


def test_required_references_name_existing_entities(system: System, made: SampleData) -> None:
    references = SampleReferences(system.design)
    for entity in made.entities:
        for reference in references.of(type(entity)):
            existing = {
                getattr(each, reference.target_field)
                for each in made.entities
                if type(each) is reference.target
            }
            value = getattr(entity, reference.field)
            named = set(value or ()) if reference.many else {value} - {None, ""}
            assert named <= existing, f"{type(entity).__name__}.{reference.field}"


def test_related_items_share_partitions(system: System, made: SampleData) -> None:
    shared = [
        table
        for table in system.design.tables
        if table.sort
        and len({item[table.partition]["S"] for item in made.items[table.name]}) < len(made.items[table.name])
    ]
    assert shared


def test_the_same_seed_makes_the_same_data(system: System) -> None:
    if system.design.key_table is None:  # ciphertexts are never the same twice
        assert samples(system.design, 2, 5, now=NOW) == samples(system.design, 2, 5, now=NOW)
    assert samples(system.design, 2, 5, now=NOW) != samples(system.design, 2, 6, now=NOW)


def test_items_are_listed_by_table() -> None:
    design = next(system.design for system in SYSTEMS if system.name == "student_hub")
    found: dict[str, list[Any]] = json.loads(samples(design, 2, environment="main", now=NOW))
    assert set(found) == {table.physical_name("main") for table in design.tables}
    assert all(found.values())


def test_an_application_belongs_to_the_startup_of_its_role() -> None:
    design = next(system.design for system in SYSTEMS if system.name == "collabhub")
    made = sample_data(design, COUNT, now=NOW)
    roles = {each.role_id: each for each in _named(made, "StartupRole")}
    conversations = {each.conversation_id: each for each in _named(made, "Conversation")}
    assert all(each.startup_id == roles[each.role_id].startup_id for each in _named(made, "Application"))
    assert all(
        each.user_id in conversations[each.conversation_id].participants
        for each in _named(made, "Participant")
    )
    assert all(each.low_id < each.high_id for each in _named(made, "DirectLink"))


def _named(made: SampleData, name: str) -> list[Any]:
    entities: list[Entity] = [entity for entity in made.entities if type(entity).__name__ == name]
    assert entities
    return entities


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
