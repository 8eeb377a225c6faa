"""Sources, and webhooks by which platforms report their changes. Credentials are accepted, and never returned."""

from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.api.connections import ServerPlatforms, api_url
from tablewright_systems.listbackup.api.names import Name
from tablewright_systems.listbackup.design.connections import ConnectionMetadata
from tablewright_systems.listbackup.design.sources import (
    Credentials,
    SourceConfig,
    SourceMetadata,
    SourceStatus,
    SyncStatus,
)
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Platform
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest
from tablewright_systems.listbackup.service import sources, webhooks
from tablewright_systems.web import (
    Body,
    CurrentCaller,
    Db,
    ExpectedVersion,
    PageReply,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Sources", "Sources of an account, and when they are synchronised.")


class NewSource(Body):
    """A new source with an API key."""

    source_name: Name
    platform: Platform
    connection_type: ConnectionType = Field(examples=["apikey"])
    credentials: Credentials
    config: SourceConfig = Field(default_factory=SourceConfig)
    metadata: SourceMetadata = Field(default_factory=SourceMetadata)
    platform_account: ConnectionMetadata = Field(default_factory=ConnectionMetadata)


class SourceChanges(Body):
    """Changes of a source."""

    source_name: Name | None = None
    config: SourceConfig | None = None
    metadata: SourceMetadata | None = None


class SourceView(View):
    """A source, without its credentials."""

    account_id: str
    source_id: str
    source_name: str
    platform: str
    connection_type: ConnectionType
    connection_id: str | None
    status: SourceStatus
    config: SourceConfig
    last_sync_at: fields.Timestamp | None
    next_sync_at: fields.Timestamp | None
    sync_status: SyncStatus
    sync_job_id: str | None
    metadata: SourceMetadata
    created_at: fields.Timestamp
    updated_at: fields.Timestamp
    created_by: str
    version: int


_view = SourceView.model_validate


@router.post("/accounts/{account_id}/sources", status_code=201)
def create_source(db: Db, caller: CurrentCaller, account_id: str, body: NewSource) -> SourceView:
    """Create a source with an API key. A source with OAuth is created by the OAuth flow."""
    return _view(sources.create_source(db, caller, account_id, **dict(body)))


@router.get("/accounts/{account_id}/sources")
def read_sources(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    paging: PageRequest,
    platform: Platform | None = None,
    status: SourceStatus | None = None,
) -> PageReply[SourceView]:
    """List the sources of an account: all, by platform, or by status."""
    pattern = sources.sources_of_account(db, caller, account_id, platform=platform, status=status)
    return PageReply.map(paging.run(db, pattern), _view)


@router.get("/sources/{source_id}")
def source_by_id(db: Db, caller: CurrentCaller, source_id: str) -> SourceView:
    """Get a source by its id alone. A source created just now may not be found yet."""
    return _view(sources.source_by_id(db, caller, source_id))


@router.get("/accounts/{account_id}/sources/{source_id}")
def read_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> SourceView:
    """Get a source of an account."""
    return _view(sources.read_source(db, caller, account_id, source_id))


@router.patch("/accounts/{account_id}/sources/{source_id}")
def change_source(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    source_id: str,
    version: ExpectedVersion,
    body: SourceChanges,
) -> SourceView:
    """Change what is backed up, and how often."""
    changed = sources.change_source(db, caller, account_id, source_id, version=version, **body.given())
    return _view(changed)


@router.put("/accounts/{account_id}/sources/{source_id}/credentials")
def replace_credentials(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, body: Credentials
) -> SourceView:
    """Replace the credentials of a source."""
    return _view(sources.replace_credentials(db, caller, account_id, source_id, body))


@router.post("/accounts/{account_id}/sources/{source_id}/pause")
def pause_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> SourceView:
    """Pause the backups of a source."""
    return _view(sources.pause_source(db, caller, account_id, source_id))


@router.delete("/accounts/{account_id}/sources/{source_id}/pause")
def resume_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> SourceView:
    """Resume the backups of a source that was paused or stopped by an error."""
    return _view(sources.resume_source(db, caller, account_id, source_id))


@router.delete("/accounts/{account_id}/sources/{source_id}", status_code=204, response_class=Response)
def delete_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, version: ExpectedVersion
) -> None:
    """Delete a source with all its secrets."""
    sources.delete_source(db, caller, account_id, source_id, version)


webhook_router = Router("Webhooks", "Changes that platforms report, for backups in real time.")


class WebhookConfiguration(Body):
    """What verifies deliveries."""

    signing_secret: Annotated[str, Field(min_length=8, max_length=200)] | None = None
    """The signing secret of the endpoint at Stripe; other platforms have none."""


class WebhookView(View):
    """Where the platform sends deliveries. For keap the URL contains a secret, and is shown only now."""

    url: str


class DeliveryView(View):
    """Whether a delivery had an effect; a repeated one has none."""

    accepted: bool


@webhook_router.put("/accounts/{account_id}/sources/{source_id}/webhook")
def configure_webhook(
    db: Db,
    caller: CurrentCaller,
    request: Request,
    account_id: str,
    source_id: str,
    body: WebhookConfiguration,
) -> WebhookView:
    """Accept deliveries for a source; register the returned URL at the platform."""
    path = webhooks.configure_webhook(db, caller, account_id, source_id, body.signing_secret)
    return WebhookView(url=f"{api_url(request)}{path}")


@webhook_router.delete(
    "/accounts/{account_id}/sources/{source_id}/webhook", status_code=204, response_class=Response
)
def remove_webhook(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Reject deliveries for a source from now on."""
    webhooks.remove_webhook(db, caller, account_id, source_id)


async def _delivery(request: Request, token: str | None = None) -> WebhookRequest:
    """Read the bytes of a delivery; `token` is the secret in the URL for keap."""
    query = {} if token is None else {"token": token}
    return WebhookRequest(await request.body(), dict(request.headers), query)


@webhook_router.post("/webhooks/{source_id}", responses=problems(401, 404))
def receive(
    db: Db,
    platforms: ServerPlatforms,
    source_id: str,
    delivery: Annotated[WebhookRequest, Depends(_delivery)],
    response: Response,
) -> DeliveryView:
    """Receive a delivery of a platform. Its signature is verified; no token is needed."""
    accepted = webhooks.receive(db, platforms, source_id, delivery)
    if "x-hook-secret" in delivery.headers:
        response.headers["x-hook-secret"] = delivery.headers["x-hook-secret"]
    return DeliveryView(accepted=accepted)
