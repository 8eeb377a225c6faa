"""Stripe: changes come from the event log, or from a full read when the log does not reach back far enough."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms import stripe
from tablewright_systems.listbackup.platforms.protocol import Restore, Selection

from systems.tests.listbackup.platforms.conftest import OpenReader, time_of
from tablewright import Clock


def test_a_record_with_many_events_is_returned_once_in_its_newest_state(
    open_reader: OpenReader, fakes: FakePlatforms, clock: Clock
) -> None:
    since = time_of(clock)
    for number in range(150):
        clock.advance(timedelta(seconds=1))
        fakes.stripe.change("contacts", "cus_0001", name=f"Ada {number}")
    page = open_reader("stripe").read("contacts", Selection(since))
    assert [(record.id, record.data["name"]) for record in page.records] == [("cus_0001", "Ada 149")]
    assert page.next_position is None


def test_a_change_in_the_second_of_the_last_read_is_found(
    open_reader: OpenReader, fakes: FakePlatforms, clock: Clock
) -> None:
    clock.advance(timedelta(milliseconds=400))
    since = time_of(clock)
    clock.advance(timedelta(milliseconds=100))
    fakes.stripe.change("contacts", "cus_0001", name="Ada")
    assert [record.id for record in open_reader("stripe").read("contacts", Selection(since)).records] == [
        "cus_0001"
    ]


def test_a_deleted_record_is_marked(open_reader: OpenReader, fakes: FakePlatforms, clock: Clock) -> None:
    since = time_of(clock)
    fakes.stripe.delete("contacts", "cus_0002")
    (item,) = open_reader("stripe").read("contacts", Selection(since)).records
    assert (item.id, item.deleted) == ("cus_0002", True)


def test_reads_all_records_when_the_event_log_is_too_short(
    open_reader: OpenReader, fakes: FakePlatforms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = time_of(clock) - timedelta(days=31)
    assert len(open_reader("stripe").read("contacts", Selection(old)).records) == 100
    monkeypatch.setattr(stripe, "MAX_EVENT_PAGES", 1)
    since = time_of(clock)
    for _ in range(101):
        fakes.stripe.change("contacts", "cus_0001", name="Ada")
    assert len(open_reader("stripe").read("contacts", Selection(since)).records) == 100


def test_a_created_record_is_created_once(open_reader: OpenReader, fakes: FakePlatforms) -> None:
    reader = open_reader("stripe")
    lost = reader.read("contacts").records[0]
    del fakes.stripe.records["contacts"][lost.id]
    reader.write("contacts", lost, Restore("job-1"))
    assert fakes.stripe.requests[-1].headers["idempotency-key"] == f"job-1-{lost.id}"
