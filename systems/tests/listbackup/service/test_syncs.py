"""Syncs: schedules, and sources that stop."""

from datetime import UTC, datetime, timedelta

import pytest
from tablewright_systems.listbackup.design.notifications import Announcement
from tablewright_systems.listbackup.design.sources import Source, SourceStatus, SyncInterval
from tablewright_systems.listbackup.proofs.fixtures import api_key_source
from tablewright_systems.listbackup.service import sources, syncs
from tablewright_systems.service import Caller

from systems.tests.listbackup.faulty_store import items_of
from tablewright import Repository

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("interval", "last", "expected"),
    [
        (SyncInterval.HOURLY, None, NOW),
        (SyncInterval.HOURLY, NOW - HOUR / 2, NOW + HOUR / 2),
        (SyncInterval.DAILY, NOW - timedelta(days=9), NOW),
        (SyncInterval.REALTIME, NOW - HOUR, NOW),
    ],
)
def test_a_source_that_becomes_active_is_due(
    interval: SyncInterval, last: datetime | None, expected: datetime
) -> None:
    assert syncs.first_sync(interval, last, NOW) == expected


def test_realtime_has_no_next_time() -> None:
    assert syncs.next_sync(SyncInterval.REALTIME, NOW, NOW) is None
    assert syncs.next_sync(SyncInterval.HOURLY, NOW, NOW) == NOW + HOUR


def test_a_rejected_source_stops_and_is_reported_once(
    db: Repository, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id)
    before = len(items_of(db, Announcement))
    for _ in range(2):
        syncs.stop_rejected(db, source, "the key is revoked")
    stopped = sources.get_source(db, account_id, source.source_id)
    assert (stopped.status, stopped.next_sync_at) == (SourceStatus.ERROR, None)
    assert len(items_of(db, Announcement)) == before + 1


def test_a_paused_source_is_not_stopped(db: Repository, caller: Caller, account_id: str) -> None:
    source = api_key_source(db, caller, account_id)
    paused: Source = sources.pause_source(db, caller, account_id, source.source_id)
    syncs.stop_rejected(db, source, "the key is revoked")
    assert sources.get_source(db, account_id, source.source_id) == paused
