"""HTTP API of CollabHub. The service checks the caller's rights; banned users get 403 on every path."""

import os
from collections.abc import Sequence

from fastapi import Depends, FastAPI

from tablewright import Repository
from tablewright_systems.collabhub.service import (
    access,
    applications,
    audit,
    conversations,
    messages,
    notifications,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.collabhub.service.permissions import refuse_banned
from tablewright_systems.web import Authenticator, Router, application, problems

DESCRIPTION = (
    "Founders look for staff and funding; talents apply, investors request access, users exchange messages."
)

_members = Router(dependencies=[Depends(refuse_banned)], responses=problems(403))
for _area in (
    *(users, startups, roles, applications, access),
    *(conversations, messages, subscriptions, notifications, audit),
):
    _members.include_router(_area.router)

router = Router()
for _router in (users.account, subscriptions.webhook, _members):
    router.include_router(_router)


def build(
    db: Repository, authenticator: Authenticator, stripe_secrets: Sequence[str] | None = None
) -> FastAPI:
    """Build the API on a repository.

    `stripe_secrets` verify the deliveries of Stripe: one, or two while a secret is replaced. They are read from the
    environment, `COLLABHUB_STRIPE_SECRET`, separated by commas; without one the webhook replies 503.
    """
    app = application("CollabHub", router, db, authenticator, DESCRIPTION, refuse_banned)
    configured = os.environ.get("COLLABHUB_STRIPE_SECRET", "").split(",")
    secrets = configured if stripe_secrets is None else stripe_secrets
    app.state.stripe_secrets = [secret for secret in secrets if secret]
    return app
