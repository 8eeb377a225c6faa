"""The cast: users, startups, roles and conversations that proofs and tests begin with; all under fresh ids."""

import secrets
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, TypeVar

from tablewright import Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.collabhub.design.access import AccessLevel, AccessRequest
from tablewright_systems.collabhub.design.applications import Application, ApplicationStatus
from tablewright_systems.collabhub.design.startups import RoleType, Startup, StartupRole, Visibility
from tablewright_systems.collabhub.design.startups import Stage as StartupStage
from tablewright_systems.collabhub.design.users import Role, Tier
from tablewright_systems.collabhub.service import access, applications, roles, startups, users
from tablewright_systems.collabhub.service.subscriptions import BillingEvent
from tablewright_systems.proofs import ProofContext

T = TypeVar("T")
R = TypeVar("R", bound=Exception)

STAFF = Caller("staff", {"roles": ["admin"]})
WORKER = Caller("worker", {"roles": ["worker"]})
WEBHOOK = Caller("stripe", {"roles": ["webhook"]})


def unique_id(prefix: str) -> str:
    """A text that nobody has used."""
    return f"{prefix}-{secrets.token_hex(6)}"


def new_caller(**claims: Any) -> Caller:
    """Somebody with a verified address and no account."""
    user_id = unique_id("user")
    return Caller(user_id, {"email": f"{user_id}@example.org", "email_verified": True, **claims})


def new_user(db: Repository, role: Role) -> Caller:
    """Somebody who has signed up and is active."""
    caller = new_caller()
    users.register(db, caller, users.Registration(role=role, first_name="Ada", last_name="Byron"))
    users.activate(db, caller, caller.user_id)
    return caller


def startup_draft(**more: Any) -> startups.StartupDraft:
    """A startup to be."""
    return startups.StartupDraft(
        **{
            "name": "Analytical Engines",
            "tagline": "Sums by steam",
            "description": "We compute.",
            "industry": "Machines",
            "stage": StartupStage.MVP,
            "location": "London",
            "pitch_deck_url": "https://example.org/deck.pdf",
            **more,
        }
    )


def new_startup(
    db: Repository, founder: Caller, visibility: Visibility = Visibility.PUBLIC, **more: Any
) -> Startup:
    """A startup that is active."""
    startup = startups.create_startup(db, founder, startup_draft(visibility=visibility, **more))
    startups.submit(db, founder, startup.startup_id)
    return startups.approve(db, STAFF, startup.startup_id)


def new_role(db: Repository, founder: Caller, startup: Startup) -> StartupRole:
    """A role that is open."""
    new_vacancy = roles.RoleDraft(title="Engineer", description="Punch cards.", type=RoleType.FULL_TIME)
    return roles.open_role(db, founder, startup.startup_id, new_vacancy)


def new_application(db: Repository, role: StartupRole) -> tuple[Caller, Application]:
    """Somebody new, and their application for a role."""
    talent = new_user(db, Role.TALENT)
    letter = applications.ApplicationDraft(cover_letter="I can count.")
    return talent, applications.apply(db, talent, role.startup_id, role.role_id, letter)


def move_application(
    db: Repository, founder: Caller, application: Application, *statuses: ApplicationStatus
) -> Application:
    """An application, moved on."""
    for status in statuses:
        application = applications.change_status(db, founder, application.application_id, status)
    return application


def new_access_request(
    db: Repository, startup: Startup, level: AccessLevel = AccessLevel.VIEW_DECK
) -> tuple[Caller, AccessRequest]:
    """An investor, and their request to see more of a startup."""
    investor = new_user(db, Role.INVESTOR)
    draft = access.AccessDraft(access_level=level)
    return investor, access.request_access(db, investor, startup.startup_id, draft)


def approve_access(
    db: Repository, founder: Caller, request: AccessRequest, duration: timedelta | None = None
) -> AccessRequest:
    """A request, approved for a while or for ever."""
    ends = None if duration is None else db.now() + duration
    return access.approve(db, founder, request.access_id, access.Approval(expires_at=ends))


def billing_event(db: Repository, user: Caller, **more: Any) -> BillingEvent:
    """What Stripe tells of a user's subscription."""
    now = db.now()
    return BillingEvent(
        **{
            "event_id": unique_id("evt"),
            "created": now,
            "customer_id": f"cus-{user.user_id}",
            "subscription_id": f"sub-{user.user_id}",
            "price_id": "price-pro",
            "tier": Tier.PRO,
            "status": "active",
            "current_period_start": now,
            "current_period_end": now + timedelta(days=30),
            "user_id": user.user_id,
            **more,
        }
    )


def read_when(
    context: ProofContext, new_access_request: Callable[[], Iterable[T]], holds: Callable[[list[T]], Any]
) -> list[T]:
    """What an index has, once it has caught up; the reading is measured."""
    context.eventually(lambda: holds(list(new_access_request())))
    with context.measured():
        result = list(new_access_request())
    assert holds(result)
    return result


def expect_error(kind: type[R], action: Callable[[], object]) -> R:
    """The refusal that something meets."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"it was not refused with {kind.__name__}")
