"""Webhooks of sources: a delivery makes the source due once; forged, repeated and useless ones do not."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from tablewright_systems.listbackup.design.oauth import WebhookEvent
from tablewright_systems.listbackup.design.sources import Source, SyncInterval
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    claimed_job,
    fake_platforms,
    new_owner,
    new_worker,
)
from tablewright_systems.listbackup.service import queue, sources, syncs, webhooks
from tablewright_systems.service import Caller, Forbidden, Invalid, NotFound, Unauthenticated

from systems.tests.listbackup.faulty_store import items_of
from systems.tests.races import race
from tablewright import Clock, Repository

SECRET = "whsec_of_the_endpoint"


@pytest.fixture
def fakes(db: Repository) -> FakePlatforms:
    return fake_platforms(db)


@pytest.fixture
def source(db: Repository, caller: Caller, account_id: str) -> Source:
    """A source whose first backup is done, so that it waits for webhooks."""
    made = api_key_source(db, caller, account_id, interval=SyncInterval.REALTIME)
    assert made.next_sync_at == db.now(), "the first backup does not wait for a webhook"
    webhooks.configure_webhook(db, caller, account_id, made.source_id, SECRET)
    back_up(db)
    waiting = sources.get_source(db, account_id, made.source_id)
    assert waiting.next_sync_at is None
    return waiting


def back_up(db: Repository) -> None:
    worker = new_worker()
    (job,) = syncs.start_due_syncs(db, worker)
    queue.complete(db, worker, claimed_job(db, worker, job))


def receive(db: Repository, fakes: FakePlatforms, source: Source, request: WebhookRequest) -> bool:
    return webhooks.receive(db, fakes.platforms(), source.source_id, request)


def test_a_delivery_makes_the_source_due(db: Repository, fakes: FakePlatforms, source: Source) -> None:
    assert receive(db, fakes, source, fakes.stripe.delivery("evt_1", SECRET))
    (due,) = db.iterate(syncs.due_sources(db, new_worker()))
    assert (due.source_id, due.next_sync_at) == (source.source_id, db.now())


def test_many_deliveries_cause_one_sync(db: Repository, fakes: FakePlatforms, source: Source) -> None:
    for number in range(5):
        assert receive(db, fakes, source, fakes.stripe.delivery(f"evt_{number}", SECRET))
    assert len(syncs.start_due_syncs(db, new_worker())) == 1
    assert syncs.start_due_syncs(db, new_worker()) == []


def test_a_repeated_delivery_has_no_effect(db: Repository, fakes: FakePlatforms, source: Source) -> None:
    request = fakes.stripe.delivery("evt_1", SECRET)
    assert receive(db, fakes, source, request)
    back_up(db)
    assert not receive(db, fakes, source, request)
    assert sources.get_source(db, source.account_id, source.source_id).next_sync_at is None


def test_concurrent_deliveries_of_one_event_have_one_effect(
    db: Repository, fakes: FakePlatforms, source: Source
) -> None:
    request = fakes.stripe.delivery("evt_1", SECRET)
    results = race(*(partial(receive, db, fakes, source, request) for _ in range(4)))
    assert sorted(results) == [False, False, False, True]
    assert len(items_of(db, WebhookEvent)) == 1


def test_a_change_during_a_sync_is_read_by_the_next_one(
    db: Repository, clock: Clock, fakes: FakePlatforms, source: Source
) -> None:
    worker = new_worker()
    receive(db, fakes, source, fakes.stripe.delivery("evt_1", SECRET))
    (job,) = syncs.start_due_syncs(db, worker)
    lease = claimed_job(db, worker, job)
    receive(db, fakes, source, fakes.stripe.delivery("evt_2", SECRET))
    assert syncs.start_due_syncs(db, worker) == [], "the first sync is still running"
    queue.complete(db, worker, lease)
    clock.advance(syncs.POSTPONED)
    assert len(syncs.start_due_syncs(db, worker)) == 1


@pytest.mark.parametrize("secret", ["whsec_of_another_endpoint", ""])
def test_a_forged_delivery_is_rejected(
    db: Repository, fakes: FakePlatforms, source: Source, secret: str
) -> None:
    with pytest.raises(Unauthenticated, match="signature does not match"):
        receive(db, fakes, source, fakes.stripe.delivery("evt_1", secret))


def test_an_old_delivery_is_rejected(
    db: Repository, clock: Clock, fakes: FakePlatforms, source: Source
) -> None:
    request = fakes.stripe.delivery("evt_1", SECRET)
    clock.advance(timedelta(minutes=6))
    with pytest.raises(Unauthenticated, match="too old"):
        receive(db, fakes, source, request)


def test_deliveries_after_removal_are_rejected(
    db: Repository, fakes: FakePlatforms, source: Source, caller: Caller
) -> None:
    webhooks.remove_webhook(db, caller, source.account_id, source.source_id)
    with pytest.raises(Unauthenticated):
        receive(db, fakes, source, fakes.stripe.delivery("evt_1", SECRET))


def test_a_paused_source_ignores_deliveries_and_catches_up(
    db: Repository, fakes: FakePlatforms, source: Source, caller: Caller
) -> None:
    sources.pause_source(db, caller, source.account_id, source.source_id)
    assert not receive(db, fakes, source, fakes.stripe.delivery("evt_1", SECRET))
    resumed = sources.resume_source(db, caller, source.account_id, source.source_id)
    assert resumed.next_sync_at == db.now()


def test_a_deleted_source_is_not_found(
    db: Repository, fakes: FakePlatforms, source: Source, caller: Caller
) -> None:
    sources.delete_source(db, caller, source.account_id, source.source_id)
    with pytest.raises(NotFound):
        receive(db, fakes, source, fakes.stripe.delivery("evt_1", SECRET))


def test_a_source_with_a_schedule_ignores_deliveries(
    db: Repository, fakes: FakePlatforms, caller: Caller, account_id: str
) -> None:
    hourly = api_key_source(db, caller, account_id, interval=SyncInterval.HOURLY)
    webhooks.configure_webhook(db, caller, account_id, hourly.source_id, SECRET)
    assert not receive(db, fakes, hourly, fakes.stripe.delivery("evt_1", SECRET))


def test_keap_sends_its_token_and_verifies_the_endpoint(
    db: Repository, fakes: FakePlatforms, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id, "keap", SyncInterval.REALTIME)
    path = webhooks.configure_webhook(db, caller, account_id, source.source_id)
    token = path.partition("?token=")[2]
    assert len(token) >= 43, "256 bits"
    hello = WebhookRequest(b"", {"x-hook-secret": "s1"}, {"token": token})
    assert not receive(db, fakes, source, hello)
    with pytest.raises(Unauthenticated):
        receive(db, fakes, source, replace(hello, query={"token": "guessed"}))
    back_up(db)
    assert receive(db, fakes, source, fakes.keap.delivery("7", token))


def test_only_members_with_the_right_configure_webhooks(
    db: Repository, source: Source, caller: Caller
) -> None:
    eve, _ = new_owner(db)
    for call in (webhooks.configure_webhook, webhooks.remove_webhook):
        with pytest.raises(Forbidden):
            call(db, eve, source.account_id, source.source_id)
    with pytest.raises(Invalid, match="send the signing secret"):
        webhooks.configure_webhook(db, caller, source.account_id, source.source_id)


def test_secrets_are_encrypted(db: Repository, source: Source) -> None:
    assert SECRET not in str(items_of(db, Source))
    assert sources.get_source(db, source.account_id, source.source_id).webhook_secret == SECRET
