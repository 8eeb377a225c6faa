"""Fixtures of the proofs and tests: users, startups, roles, applications, access and billing events, with new ids."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from tablewright import Query, Repository, reads
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role
from tablewright_systems.collabhub.service import access, applications, roles, startups, users
from tablewright_systems.collabhub.service.subscriptions import BillingEvent
from tablewright_systems.service import Caller, Paging
from tablewright_systems.verification import ProofContext

T = TypeVar("T")

STAFF = Caller("staff", {"roles": ["admin"]})
WEBHOOK = Caller("stripe", {"roles": ["webhook"]})


def unique_id(prefix: str) -> str:
    """Return an id that is not in use."""
    return f"{prefix}-{secrets.token_hex(6)}"


def new_caller(**claims: Any) -> Caller:
    """Return a caller with a verified address and no account."""
    user_id = unique_id("user")
    return Caller(user_id, {"email": f"{user_id}@example.org", "email_verified": True, **claims})


def new_user(db: Repository, role: Role) -> Caller:
    """Sign up and activate a user."""
    caller = new_caller()
    users.register(db, caller, users.Registration(role=role, first_name="Ada", last_name="Byron"))
    users.activate(db, caller, caller.user_id)
    return caller


def stored_user(db: Repository, role: Role) -> design.User:
    """Sign up and activate a user; return the user as stored."""
    return db.get_or_raise(design.UserById(user_id=new_user(db, role).user_id))


def startup_draft(**more: Any) -> startups.StartupDraft:
    """Return the draft of a startup."""
    return startups.StartupDraft(
        **{
            "name": "Analytical Engines",
            "tagline": "Sums by steam",
            "description": "We compute.",
            "industry": "Machines",
            "stage": design.Stage.MVP,
            "location": "London",
            "pitch_deck_url": "https://example.org/deck.pdf",
            **more,
        }
    )


def new_startup(
    db: Repository, founder: Caller, visibility: design.Visibility = design.Visibility.PUBLIC, **more: Any
) -> design.Startup:
    """Create an active startup."""
    startup = startups.create_startup(db, founder, startup_draft(visibility=visibility, **more))
    startups.submit(db, founder, startup.startup_id)
    return startups.approve(db, STAFF, startup.startup_id)


def new_role(db: Repository, founder: Caller, startup: design.Startup) -> design.StartupRole:
    """Create an open role."""
    new_vacancy = roles.RoleDraft(
        title="Engineer", description="Punch cards.", type=design.RoleType.FULL_TIME
    )
    return roles.open_role(db, founder, startup.startup_id, new_vacancy)


def new_application(db: Repository, role: design.StartupRole) -> tuple[Caller, design.Application]:
    """Create a talent with an application for a role."""
    talent = new_user(db, Role.TALENT)
    letter = "I can count."
    return talent, applications.apply(db, talent, role.startup_id, role.role_id, letter)


def move_application(
    db: Repository, founder: Caller, application: design.Application, *statuses: design.ApplicationStatus
) -> design.Application:
    """Change the status of an application, several times if needed."""
    for status in statuses:
        application = applications.change_status(db, founder, application.application_id, status)
    return application


def new_access_request(
    db: Repository, startup: design.Startup, level: design.AccessLevel = design.AccessLevel.VIEW_DECK
) -> tuple[Caller, design.AccessRequest]:
    """Create an investor with a request for access to a startup."""
    investor = new_user(db, Role.INVESTOR)
    return investor, access.request_access(db, investor, startup.startup_id, level)


def approve_access(
    db: Repository, founder: Caller, request: design.AccessRequest, duration: timedelta | None = None
) -> design.AccessRequest:
    """Approve a request, optionally for a duration."""
    ends = None if duration is None else db.now() + duration
    return access.approve(db, founder, request.access_id, expires_at=ends)


def billing_event(db: Repository, user: Caller, **more: Any) -> BillingEvent:
    """Return an event of a user's Stripe subscription."""
    now = db.now()
    return BillingEvent(
        **{
            "event_id": unique_id("evt"),
            "created": now,
            "customer_id": f"cus-{user.user_id}",
            "subscription_id": f"sub-{user.user_id}",
            "price_id": "price-pro",
            "tier": design.Tier.PRO,
            "status": "active",
            "current_period_start": now,
            "current_period_end": now + timedelta(days=30),
            "user_id": user.user_id,
            **more,
        }
    )


def read_when(context: ProofContext, read: Callable[[], T], holds: Callable[[T], Any]) -> T:
    """Read when the index has caught up; the last read is measured."""
    context.eventually(lambda: holds(read()))
    with context.measured():
        result = read()
    assert holds(result)
    return result


def expect_list(context: ProofContext, pattern: Query[T], expected: list[T]) -> None:
    """Assert what a pattern lists, when the index has caught up."""
    read_when(context, lambda: context.db.all(pattern), lambda entities: entities == expected)


def expect_among(context: ProofContext, pattern: Query[T], included: T, excluded: T) -> None:
    """Assert that a pattern lists one entity and not the other, among those of other proofs."""
    entities = read_when(context, lambda: context.db.all(pattern), lambda entities: included in entities)
    assert excluded not in entities


def read_pages(read: Callable[[Paging], reads.Page[T]]) -> list[T]:
    """Read a list in pages of three."""
    page = read(Paging(3))
    items = list(page)
    while page.cursor is not None:
        page = read(Paging(3, page.cursor))
        items += page
    return items
