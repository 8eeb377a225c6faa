"""Webhooks of sources that are backed up in real time: a platform reports a change, and the source becomes due.

A delivery stores no records. It sets `nextSyncAt`, and the next sync reads what changed since the last one; many
deliveries cause one sync. The id of each event is stored until it would be too old, so that a repeated or recorded
delivery has no effect. Platforms disable an endpoint that returns errors, so a delivery that is valid but of no use
(a paused source, an event that was seen) is accepted and ignored. A source that is resumed is due at once, because it
may have missed deliveries.
"""

import secrets
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from pydantic import Field

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.oauth import WebhookEvent
from tablewright_systems.listbackup.design.sources import Source, SourceById, SourceStatus, SyncInterval
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.platforms.platforms import ApiUrl, Platforms, ServerPlatforms
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
from tablewright_systems.web import CurrentCaller, Db, Router, View, problems

router = Router("Webhooks", "Changes that platforms report, for backups in real time.")


class WebhookView(View):
    """Where the platform sends deliveries. For keap the URL contains a secret, and is shown only now."""

    url: str


class DeliveryView(View):
    """Whether a delivery had an effect; a repeated one has none."""

    accepted: bool


@router.put("/accounts/{account_id}/sources/{source_id}/webhook", reply=WebhookView)
@writes.retrying(otherwise=busy)
def configure_webhook(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    source_id: str,
    signing_secret: Annotated[str, Field(min_length=8, max_length=200)] | None = None,
    api_url: ApiUrl = "",
) -> str:
    """Accept deliveries for a source; register the returned URL at the platform."""
    # Stripe needs the signing secret of its endpoint. GoHighLevel signs with its own key, which the server knows.
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    source = get_source(db, account_id, source_id)
    if source.platform == "stripe" and not signing_secret:
        raise Invalid("send the signing secret (whsec_...) of the endpoint at Stripe", "signingSecret")
    if source.platform != "stripe" and signing_secret:
        raise Invalid(f"{source.platform} has no signing secret for an endpoint", "signingSecret")
    token = secrets.token_urlsafe(32) if source.platform == "keap" else None
    _store_secret(db, caller, access, source, signing_secret or token)
    return f"{api_url}/webhooks/{source_id}" + (f"?token={token}" if token else "")


@router.delete("/accounts/{account_id}/sources/{source_id}/webhook", status_code=204)
@writes.retrying(otherwise=busy)
def remove_webhook(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Reject deliveries for a source from now on."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    _store_secret(db, caller, access, get_source(db, account_id, source_id), None)


async def _delivery(request: Request, response: Response, token: str | None = None) -> WebhookRequest:
    """Read the bytes of a delivery; `token` is the secret in the URL for keap, which wants its header returned."""
    if "x-hook-secret" in request.headers:
        response.headers["x-hook-secret"] = request.headers["x-hook-secret"]
    query = {} if token is None else {"token": token}
    return WebhookRequest(await request.body(), dict(request.headers), query)


@router.post("/webhooks/{source_id}", responses=problems(401, 404), reply=DeliveryView)
def receive(
    db: Db,
    platforms: ServerPlatforms,
    source_id: str,
    request: Annotated[WebhookRequest, Depends(_delivery)],
) -> bool:
    """Receive a delivery of a platform. Its signature is verified; no token is needed."""
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
