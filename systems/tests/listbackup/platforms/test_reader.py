"""Readers: paging, changed-since, filters and restoring, on all platforms alike."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformReader,
    PlatformUnavailable,
    Record,
    RequestRejected,
    Restore,
    Selection,
)

from systems.tests.listbackup.platforms.conftest import PLATFORMS, OpenReader, time_of
from tablewright import Clock

FOREIGN = Restore("job-1", is_foreign=True)
EVERY_PLATFORM = pytest.mark.parametrize("platform", PLATFORMS)


def read_all(reader: PlatformReader, data_type: str, **selected: Any) -> list[Record]:
    collected: list[Record] = []
    position = None
    while True:
        page = reader.read(data_type, Selection(**selected), position)
        collected += page.records
        position = page.next_position
        if position is None:
            return collected


@EVERY_PLATFORM
@pytest.mark.parametrize(("data_type", "count"), [("contacts", 230), ("orders", 115), ("products", 12)])
def test_reads_every_record_once(open_reader: OpenReader, platform: str, data_type: str, count: int) -> None:
    records = read_all(open_reader(platform), data_type)
    assert len(records) == len({record.id for record in records}) == count


@EVERY_PLATFORM
def test_reads_what_changed_since_a_time(
    open_reader: OpenReader, fakes: FakePlatforms, clock: Clock, platform: str
) -> None:
    since = time_of(clock)
    clock.advance(timedelta(minutes=1))
    changed = next(iter(fakes[platform].records["contacts"]))
    fakes[platform].change("contacts", changed, phone="123")
    (item,) = read_all(open_reader(platform), "contacts", since=since)
    assert (item.id, item.changed_at, item.data["phone"]) == (changed, time_of(clock), "123")
    assert read_all(open_reader(platform), "contacts", since=since, until=time_of(clock)) == []


@EVERY_PLATFORM
def test_a_read_continues_in_another_process(open_reader: OpenReader, platform: str) -> None:
    first = open_reader(platform).read("contacts")
    second = open_reader(platform).read("contacts", position=first.next_position)
    assert not {record.id for record in first.records} & {record.id for record in second.records}


@EVERY_PLATFORM
@pytest.mark.parametrize("data_type", ["contacts", "orders"])
@pytest.mark.parametrize("deleted", [[99], [0, 50, 98, 99], [96, 97, 98, 99], []])
def test_records_that_are_deleted_between_pages_hide_no_others(
    open_reader: OpenReader, fakes: FakePlatforms, platform: str, data_type: str, deleted: list[int]
) -> None:
    reader, rows = open_reader(platform), fakes[platform].records[data_type]
    first = reader.read(data_type)
    for index in deleted:
        del rows[first.records[index].id]
    collected, position = list(first.records), first.next_position
    while position is not None:
        page = reader.read(data_type, position=position)
        collected, position = [*collected, *page.records], page.next_position
    ids = [record.id for record in collected]
    assert len(ids) == len(set(ids))
    assert set(rows) <= set(ids)


@pytest.mark.parametrize("platform", ["keap", "gohighlevel"])
def test_rejects_a_position_of_another_platform(open_reader: OpenReader, platform: str) -> None:
    with pytest.raises(RequestRejected, match="is not a position of contacts"):
        open_reader(platform).read("contacts", position="cus_0001")


@EVERY_PLATFORM
def test_rejects_an_unknown_data_type(open_reader: OpenReader, platform: str) -> None:
    with pytest.raises(RequestRejected, match=f"{platform} has no data type 'invoices'; it has contacts"):
        open_reader(platform).read("invoices")


def test_filters_by_nested_fields(open_reader: OpenReader) -> None:
    records = read_all(open_reader("stripe"), "contacts", filters={"address.country": ["DE", "AT"]})
    assert {record.data["address"]["country"] for record in records} == {"DE", "AT"}
    assert read_all(open_reader("stripe"), "contacts", filters={"address.planet": "Mars"}) == []


def test_a_page_of_another_shape_is_a_failure_of_the_platform(
    open_reader: OpenReader, fakes: FakePlatforms
) -> None:
    del fakes.keap.records["contacts"]["1"]["id"]
    fakes.keap.records["contacts"] = {"1": {"id": None}}
    with pytest.raises(PlatformUnavailable, match="keap: the page of contacts has another shape"):
        open_reader("keap").read("contacts")


@EVERY_PLATFORM
def test_restores_changed_and_deleted_records(
    open_reader: OpenReader, fakes: FakePlatforms, platform: str
) -> None:
    reader, rows = open_reader(platform), fakes[platform].records["products"]
    kept, lost = read_all(reader, "products")[:2]
    fakes[platform].change("products", kept.id, name="spoiled")
    del rows[lost.id]
    assert reader.write("products", kept) == kept.id
    assert rows[kept.id].get("name") == kept.data.get("name", "spoiled")
    created = reader.write("products", lost)
    assert created in rows
    assert rows[created].get("name") == lost.data.get("name")


@pytest.mark.parametrize(
    ("platform", "reason"),
    [
        ("stripe", "a payment cannot be restored"),
        ("gohighlevel", "an order cannot be created"),
        ("keap", "an order cannot be changed"),
    ],
)
def test_rejects_orders_that_cannot_be_restored(open_reader: OpenReader, platform: str, reason: str) -> None:
    reader = open_reader(platform)
    with pytest.raises(RequestRejected, match=reason):
        reader.write("orders", reader.read("orders").records[0])


@EVERY_PLATFORM
@pytest.mark.parametrize("data_type", ["contacts", "products"])
def test_a_record_of_another_source_overwrites_no_record_with_its_id(
    open_reader: OpenReader, fakes: FakePlatforms, platform: str, data_type: str
) -> None:
    rows = fakes[platform].records[data_type]
    result = open_reader(platform).read(data_type).records[0]
    other = {**result.data, **_with_address("elsewhere@example.org"), "name": "from elsewhere"}
    before = dict(rows[result.id])
    created = open_reader(platform).write(data_type, replace(result, data=other), FOREIGN)
    assert created != result.id
    assert rows[result.id] == before
    assert rows[created]["name"] == "from elsewhere"


@pytest.mark.parametrize("platform", ["keap", "gohighlevel"])
def test_a_contact_of_another_source_updates_the_contact_with_its_address(
    open_reader: OpenReader, fakes: FakePlatforms, platform: str
) -> None:
    rows = fakes[platform].records["contacts"]
    one, other = open_reader(platform).read("contacts").records[:2]
    renamed = replace(one, id=other.id, data={**one.data, "name": "renamed"})
    assert open_reader(platform).write("contacts", renamed, FOREIGN) == one.id
    assert rows[one.id]["name"] == "renamed"
    assert "name" not in rows[other.id]


def _with_address(email: str) -> dict[str, Any]:
    """Return an address as each platform stores it."""
    return {"email": email, "email_addresses": [{"email": email, "field": "EMAIL1"}]}
