"""Webhooks: platforms report changes of sources that are backed up in real time."""

from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import Field

from tablewright_systems.listbackup.api.platforms import ServerPlatforms, api_url
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest
from tablewright_systems.listbackup.service.sources import webhooks
from tablewright_systems.web import Body, CurrentCaller, Db, Router, View, problems

router = Router("Webhooks", "Changes that platforms report, for backups in real time.")


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


@router.put("/accounts/{account_id}/sources/{source_id}/webhook")
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


@router.delete("/accounts/{account_id}/sources/{source_id}/webhook", status_code=204, response_class=Response)
def remove_webhook(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> None:
    """Reject deliveries for a source from now on."""
    webhooks.remove_webhook(db, caller, account_id, source_id)


async def _delivery(request: Request, token: str | None = None) -> WebhookRequest:
    """Read the bytes of a delivery; `token` is the secret in the URL for keap."""
    query = {} if token is None else {"token": token}
    return WebhookRequest(await request.body(), dict(request.headers), query)


@router.post("/webhooks/{source_id}", responses=problems(401, 404))
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
