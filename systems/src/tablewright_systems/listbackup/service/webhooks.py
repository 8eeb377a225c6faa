"""Webhooks of sources that are backed up in real time: a platform reports a change, and the source becomes due.

A delivery stores no records. It sets `nextSyncAt`, and the next sync reads what changed since the last one; many
deliveries cause one sync. The id of each event is stored until it would be too old, so that a repeated or recorded
delivery has no effect. Platforms disable an endpoint that returns errors, so a delivery that is valid but of no use
(a paused source, an event that was seen) is accepted and ignored. A source that is resumed is due at once, because it
may have missed deliveries.
"""

import secrets
from typing import Any

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.oauth import WebhookEvent
from tablewright_systems.listbackup.design.sources import Source, SourceById, SourceStatus, SyncInterval
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.webhooks import (
    Delivery,
    WebhookKeys,
    WebhookRejected,
    WebhookRequest,
    require_token,
    verify,
)
from tablewright_systems.listbackup.service import audit
from tablewright_systems.listbackup.service.access import Access, Area, is_account_active, require_right
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import Caller, Invalid, Unauthenticated, busy, require_found


@writes.retrying(otherwise=busy)
def configure_webhook(
    db: Repository, caller: Caller, account_id: str, source_id: str, signing_secret: str | None = None
) -> str:
    """Accept deliveries for a source; return the path of their URL, which for keap contains a new token.

    Stripe needs the signing secret of its endpoint. GoHighLevel signs with its own key, which the server knows.
    """
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    source = get_source(db, account_id, source_id)
    if source.platform == "stripe" and not signing_secret:
        raise Invalid("send the signing secret (whsec_...) of the endpoint at Stripe", "signingSecret")
    if source.platform != "stripe" and signing_secret:
        raise Invalid(f"{source.platform} has no signing secret for an endpoint", "signingSecret")
    token = secrets.token_urlsafe(32) if source.platform == "keap" else None
    _store_secret(db, caller, access, source, signing_secret or token)
    return f"/webhooks/{source_id}?token={token}" if token else f"/webhooks/{source_id}"


@writes.retrying(otherwise=busy)
def remove_webhook(db: Repository, caller: Caller, account_id: str, source_id: str) -> None:
    """Reject the deliveries for a source from now on."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    _store_secret(db, caller, access, get_source(db, account_id, source_id), None)


def receive(db: Repository, platforms: Platforms, source_id: str, request: WebhookRequest) -> bool:
    """Verify a delivery, and make its source due; return whether it had an effect."""
    source = _find(db, source_id)
    keys = _keys(platforms, source)
    try:
        if (
            source.platform == "keap"
            and "x-hook-secret" in request.headers
            and not request.body.strip(b"{} ")
        ):
            require_token(request, keys)  # Keap verifies the endpoint: the API returns the header
            return False
        delivery = verify(source.platform, request, keys, db.now())
    except WebhookRejected as error:
        raise Unauthenticated(str(error)) from None
    return _accept(db, source_id, delivery)


@writes.retrying(otherwise=busy)
def _accept(db: Repository, source_id: str, delivery: Delivery) -> bool:
    source = _find(db, source_id)
    is_realtime = source.config.sync_interval is SyncInterval.REALTIME
    if not is_realtime or source.status is not SourceStatus.ACTIVE:
        return False
    if not is_account_active(db, source.account_id):
        return False
    event = WebhookEvent(
        source_id=source_id,
        event_id=delivery.event_id,
        account_id=source.account_id,
        event_type=delivery.event_type[:200],
    )
    actions: list[writes.Write] = [writes.Create(event)]
    if source.next_sync_at is None:
        actions.append(writes.Update(source, set={"next_sync_at": db.now()}))
    try:
        db.transact(*actions)
    except errors.TransactionFailed as failed:
        if any(isinstance(failure, errors.AlreadyExists) for failure in failed.failures):
            return False
        raise
    return True


def _find(db: Repository, source_id: str) -> Source:
    source = require_found(db.run(SourceById(source_id=source_id)), f"source {source_id}")
    return get_source(db, source.account_id, source_id)


def _keys(platforms: Platforms, source: Source) -> WebhookKeys:
    settings = platforms.settings.get(source.platform)
    return WebhookKeys(source.webhook_secret or "", settings.webhook_key if settings else "")


def _store_secret(db: Repository, caller: Caller, access: Access, source: Source, secret: str | None) -> None:
    change: dict[str, Any] = {"webhook_secret": secret}
    activity = audit.record(caller, source, Action.UPDATE, event="webhook")
    db.transact(writes.Update(source, set=change), activity, *access.grounds)
