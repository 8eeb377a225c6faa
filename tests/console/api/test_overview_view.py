"""The overview: picture, counts, findings, index lag, samples and request rates."""

import json
from dataclasses import replace
from typing import Annotated, Any

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright import Copy, Design, Entity, Faults, Index, Keys, Sparse, Table, connect, fields, writes
from tablewright.connections import Embedded
from tablewright.console.api.overview_view import (
    COUNTED_BY_AWS,
    COUNTED_HERE,
    COUNTED_THERE,
    counting,
    design_picture,
    entity_sample,
    index_lag,
    request_rates,
    table_counts,
)
from tablewright.console.open_designs import OpenDesign
from tests.console.sample_console import ConsoleClient, console_client, open_system


def test_the_overview_has_a_picture_and_counts_of_every_table() -> None:
    with console_client("boards") as console:
        found = console.get("/overview")
        names = list(console.opened.tables)
        stored = console.opened.db.connection.call("DescribeTable", {"TableName": names[0]})["Table"]
    assert [each["table"] for each in found["picture"]] == names
    assert [count["table"] for count in found["counts"]] == names
    counts = found["counts"][0]
    assert (counts["items"], counts["bytes"]) == (stored["ItemCount"], stored["TableSizeBytes"])
    assert counts["items"] > 0
    assert "exact" in found["counted"]
    assert found["findings"]["warning"] == 1
    assert found["sample"] == {"automatic": True, "why": None}
    assert found["commands"]["deploy"].startswith(
        "tablewright deploy tablewright_systems.boards.design:design"
    )


def test_the_index_lag_is_that_of_the_embedded_database() -> None:
    with console_client("boards", samples=0) as console:
        assert console.get("/overview")["index_lag"] == {"available": True, "seconds": 0.0}
        connection = console.opened.db.connection
        assert isinstance(connection, Embedded)
        connection.faults = Faults(index_lag=2.5)
        assert console.get("/overview")["index_lag"]["seconds"] == 2.5


class _Remote:
    """An endpoint of another kind."""

    def __init__(self, connection: Any) -> None:
        self.call, self.close = connection.call, connection.close


def test_other_endpoints_do_not_tell_the_index_lag() -> None:
    opened = open_system("boards", samples=0)
    opened.db.connection = _Remote(opened.db.connection)
    try:
        assert index_lag(opened)["available"] is False
        found = ConsoleClient(replace(opened, location="aws:eu-north-1")).get("/overview")
        assert "six hours" in found["counted"]
        assert not found["is_embedded"]
        assert not found["sample"]["automatic"]
        assert "up to 1,000 items" in found["sample"]["why"]
    finally:
        opened.close()


def test_a_sample_counts_entities() -> None:
    with console_client("boards") as console:
        found = console.get("/overview/sample", table=next(iter(console.opened.tables)))
    assert found["complete"]
    assert {count["role"] for count in found["counts"]} == {"entity", "lock"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({}, "the parameter table is missing"), ({"table": "absent"}, "has no table absent")],
)
def test_a_sample_needs_a_table_of_the_design(parameters: dict[str, str], message: str) -> None:
    with console_client("boards", samples=0) as console:
        status, found = console.error("GET", "/overview/sample", **parameters)
    assert status == 400
    assert message in found


def test_a_table_that_does_not_exist_has_no_counts() -> None:
    with console_client("boards", samples=0) as console:
        name = next(iter(console.opened.tables))
        console.opened.db.connection.call("DeleteTable", {"TableName": name})
        found = console.get("/overview")["counts"][0]
        sample = console.get("/overview/sample", table=name)
    assert (found["exists"], found["items"]) == (False, None)
    assert (sample["examined"], sample["counts"]) == (0, [])


def test_request_rates_are_events() -> None:
    opened = open_system("boards", samples=0)
    opened.db.connection = _Remote(opened.db.connection)
    console = ConsoleClient(opened)
    try:
        reply = console.http.get(console.prefix + "/overview/requests")
        assert reply.headers["content-type"].startswith("text/event-stream")
        event = json.loads(reply.text.removeprefix("data: "))
        assert event["available"] is False
        assert "CloudWatch" in event["why"]
    finally:
        opened.close()


def test_a_table_and_its_indexes_are_counted() -> None:
    opened = open_system("boards", samples=2)
    name = next(iter(opened.tables))
    counts = table_counts(opened, name)
    opened.close()
    assert counts["exists"]
    assert counts["status"] == "ACTIVE"
    assert counts["items"] > counts["indexes"]["userName-index"]["items"] > 0


def test_the_source_of_counts_is_named() -> None:
    opened = open_system("boards", samples=0)
    assert counting(opened) == COUNTED_HERE
    connection: Any = opened.db.connection
    opened.db.connection = object()  # type: ignore[assignment]
    assert counting(opened) == COUNTED_THERE
    assert counting(replace(opened, location="aws:eu-north-1")) == COUNTED_BY_AWS
    connection.close()


main = Table("aviary", ("PK", "SK"))


class Bird(Entity, table=main, type="BIRD"):
    bird_id: int
    keys = Keys(primary=("BIRD#{bird_id:06}", "BIRD"))


class Nest(Entity, table=main, type="NEST"):
    nest_id: int
    keys = Keys(primary=("NEST#{nest_id:06}", "NEST"))


design = Design("aviary", entities=[Bird, Nest])


def _opened(birds: int, nests: int) -> OpenDesign:
    db = connect(design)
    db.batch(
        [
            *(writes.Put(Bird(bird_id=number)) for number in range(birds)),
            *(writes.Put(Nest(nest_id=number)) for number in range(nests)),
        ]
    )
    db.connection.call("PutItem", {"TableName": "aviary", "Item": {"PK": {"S": "x"}, "SK": {"S": "y"}}})
    return OpenDesign(db, "Aviary", "memory", "aviary:design")


def test_a_small_table_is_counted_exactly() -> None:
    opened = _opened(5, 3)
    found = entity_sample(opened, "aviary", 9)
    opened.close()
    assert found["complete"]
    assert [(count["role"], count["entity"], count["found"]) for count in found["counts"]] == [
        ("entity", "Bird", 5),
        ("entity", "Nest", 3),
        ("unknown", None, 1),
    ]
    assert all(count["estimate"] == count["found"] for count in found["counts"])


def test_a_large_table_is_estimated_from_a_bounded_number_of_items() -> None:
    opened = _opened(300, 99)
    found = entity_sample(opened, "aviary", 400, most=80)
    opened.close()
    assert not found["complete"]
    assert found["examined"] == 80
    estimates = {count["entity"]: count["estimate"] for count in found["counts"]}
    assert 200 <= estimates["Bird"] <= 380
    assert sum(estimates.values()) in range(398, 403)


def test_a_count_that_is_too_old_does_not_hide_items() -> None:
    opened = _opened(30, 0)
    found = entity_sample(opened, "aviary", 0, most=10)
    opened.close()
    assert (found["examined"], found["complete"]) == (10, False)


def test_rates_are_sent_once_a_second() -> None:
    opened = open_system("boards", samples=0)
    now = 100.0
    rates = request_rates(opened, lambda: now)
    first = next(rates)
    assert first is not None
    assert first["per_second"] == 0
    for _ in range(6):
        opened.db.connection.call("ListTables", {})
    now += 0.4
    assert next(rates) is None
    now += 1.6
    second = next(rates)
    now += 1.0
    third = next(rates)
    rates.close()  # type: ignore[attr-defined]
    opened.close()
    assert second is not None
    assert (second["per_second"], second["operations"]) == (3.0, {"ListTables": 3.0})
    assert third is not None
    assert third["per_second"] == 0


gallery_table = Table(
    "gallery",
    ("PK", "SK"),
    [Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-artist", "artist", projection="KEYS_ONLY")],
)


class Painting(Entity, table=gallery_table, type="PAINTING"):
    painting_id: str
    artist: str
    room: str
    inventory: Annotated[str, fields.Unique()]
    is_shown: bool = True
    keys = Keys(
        primary=("ROOM#{room}", "PAINTING#{painting_id}"),
        GSI1=Sparse("SHOWN", "{painting_id}", when="is_shown"),
        indexes={"by-artist": "{artist}"},
    )
    by_id = Copy(primary=("PAINTING#{painting_id}", "COPY"), type="PAINTING_COPY")


class Room(Entity, table=gallery_table, type="ROOM"):
    name: str
    keys = Keys(primary=("ROOM#{name}", "META"))


gallery = Design("gallery", entities=[Painting, Room])


def _picture() -> dict[str, Any]:
    with connect(gallery) as db:
        (found,) = design_picture(OpenDesign(db, "Gallery", "memory", "gallery:design"))
    return found


def test_entities_with_the_same_form_of_partition_key_share_a_collection() -> None:
    collections = _picture()["collections"]
    assert [(row["entity"], row["sort"]) for row in collections[0]["rows"]] == [
        ("Room", "META"),
        ("Painting", "PAINTING#{painting_id}"),
    ]


def test_copies_and_locks_have_rows() -> None:
    rows = [row for collection in _picture()["collections"] for row in collection["rows"]]
    found = {(row["role"], row["name"]): row["partition"] for row in rows if row["entity"] == "Painting"}
    assert found == {
        ("entity", None): "ROOM#{room}",
        ("copy", "by_id"): "PAINTING#{painting_id}",
        ("lock", "inventory"): "_lock#PAINTING#inventory#{inventory}",
    }


def test_locks_of_several_fields_are_one_collection_named_by_their_form() -> None:
    opened = open_system("listbackup", samples=0)
    with opened.db:
        (users,) = [each for each in design_picture(opened) if each["table"].endswith("-users")]
    locks = users["collections"][-1]
    assert locks["partition"] == "_lock#{entity}#{field}#{value}"
    assert [row["name"] for row in locks["rows"]] == ["email", "username"]


def test_a_cell_has_the_key_in_the_index_and_its_condition() -> None:
    rows = _picture()["collections"][0]["rows"]
    room, painting = rows
    assert room["cells"] == {"GSI1": None, "by-artist": None}
    assert painting["cells"]["GSI1"] == {
        "partition": ["SHOWN"],
        "sort": ["{painting_id}"],
        "condition": "is_shown is true",
    }
    assert painting["cells"]["by-artist"]["condition"] == ""


def test_an_index_tells_its_projection_and_whether_it_is_sparse() -> None:
    first, second = _picture()["indexes"]
    assert (first["projection"], first["sparse"], first["rows"]) == ("all attributes", True, 1)
    assert second["projection"] == "keys"


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_entity_of_every_system_is_in_the_picture(name: str) -> None:
    opened = open_system(name, samples=0)
    try:
        tables = design_picture(opened)
    finally:
        opened.close()
    rows = [row for table in tables for collection in table["collections"] for row in collection["rows"]]
    assert {row["entity"] for row in rows} == {entity.__name__ for entity in opened.design.entities}
    patterns = [pattern["name"] for table in tables for pattern in table["patterns"]]
    assert sorted(patterns) == sorted(pattern.__name__ for pattern in opened.design.patterns)
