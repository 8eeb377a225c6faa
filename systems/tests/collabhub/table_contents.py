"""CollabHub's whole table, and checks of everything that must always hold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import ApplicationStatus, Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import conversations
from tablewright_systems.collabhub.service.subscriptions import USER_STATUSES
from tablewright_systems.service import Caller

from tablewright import Clock, Entity, Faults, Repository, Scan, connect

START = datetime(2025, 8, 8, 10, tzinfo=UTC)

T = TypeVar("T")
E = TypeVar("E", bound=Entity)


class Everything(
    Scan[
        design.User
        | design.Startup
        | design.StartupRole
        | design.TeamMember
        | design.Application
        | design.ApplicationClaim
        | design.AccessRequest
        | design.AccessGrant
        | design.Conversation
        | design.Participant
        | design.Message
        | design.SentMessage
        | design.DirectLink
        | design.Subscription
        | design.StripeEvent
        | design.AuditLog
        | design.Notification
        | design.MessageNotice
    ]
):
    consistent = True


@contextmanager
def open_store(clock: Clock, faults: Faults | None = None) -> Iterator[Repository]:
    with connect(design.design, clock=clock, faults=faults) as db:
        yield db


def count_errors(outcomes: Sequence[Any]) -> Counter[str]:
    return Counter(type(outcome).__name__ for outcome in outcomes if isinstance(outcome, Exception))


class TableContents:
    """All entities in the table."""

    def __init__(self, db: Repository) -> None:
        self._all = db.all(Everything())

    def of(self, kind: type[E]) -> list[E]:
        return [item for item in self._all if isinstance(item, kind)]


def assert_consistent(db: Repository) -> TableContents:
    """Check that counters are exact, that copies agree, and that no item is missing or left over."""
    contents = TableContents(db)
    _assert_hiring(contents)
    _assert_access(contents)
    _assert_talk(contents)
    _assert_subscriptions(contents)
    return contents


def _assert_hiring(contents: TableContents) -> None:
    startups = {startup.startup_id: startup for startup in contents.of(design.Startup)}
    roles = {role.role_id: role for role in contents.of(design.StartupRole)}
    live = [
        application
        for application in contents.of(design.Application)
        if application.status != ApplicationStatus.WITHDRAWN
    ]
    claims = {
        (claim.role_id, claim.user_id): claim.application_id for claim in contents.of(design.ApplicationClaim)
    }
    assert claims == {(item.role_id, item.applicant_id): item.application_id for item in live}
    applicants = Counter(item.role_id for item in live)
    assert {role.role_id: role.applicant_count for role in roles.values()} == {
        role_id: applicants[role_id] for role_id in roles
    }
    for role in roles.values():
        assert role.is_listed == (role.is_open and startups[role.startup_id].is_listed)
    opened = Counter(role.startup_id for role in roles.values() if role.is_open)
    members = Counter(member.startup_id for member in contents.of(design.TeamMember))
    for startup in startups.values():
        assert startup.open_roles == opened[startup.startup_id]
        assert startup.team_size == 1 + members[startup.startup_id]
    accepted = {item.application_id for item in live if item.status == ApplicationStatus.ACCEPTED}
    assert {member.application_id for member in contents.of(design.TeamMember)} == accepted


def _assert_access(contents: TableContents) -> None:
    requests = {request.access_id: request for request in contents.of(design.AccessRequest)}
    grants = contents.of(design.AccessGrant)
    for grant in grants:
        request = requests[grant.access_id]
        expected = design.AccessStatus.PENDING if grant.access_level is None else design.AccessStatus.APPROVED
        assert request.status == expected
        assert (request.startup_id, request.requester_id) == (grant.startup_id, grant.investor_id)
    pending = {
        request.access_id for request in requests.values() if request.status == design.AccessStatus.PENDING
    }
    assert {grant.access_id for grant in grants if grant.access_level is None} == pending


def _assert_talk(contents: TableContents) -> None:
    seats = contents.of(design.Participant)
    talks = {conversation.conversation_id: conversation for conversation in contents.of(design.Conversation)}
    message_ids = [(message.conversation_id, message.message_id) for message in contents.of(design.Message)]
    for talk in talks.values():
        mine = [seat for seat in seats if seat.conversation_id == talk.conversation_id]
        assert sorted(item.user_id for item in mine) == sorted(set(talk.participants))
        assert len(talk.participants) == len(mine)
        ids = [message for conversation, message in message_ids if conversation == talk.conversation_id]
        assert talk.last_message_id == max(ids, default="")
        assert {item.last_message_id for item in mine} == {talk.last_message_id}
        assert {item.last_message_at for item in mine} == {talk.last_message_at}
    assert {seat.conversation_id for seat in seats} <= talks.keys()
    direct = {talk.conversation_id for talk in talks.values() if talk.type == design.ConversationType.DIRECT}
    assert {link.conversation_id for link in contents.of(design.DirectLink)} == direct


def _assert_subscriptions(contents: TableContents) -> None:
    subscriptions = {subscription.user_id: subscription for subscription in contents.of(design.Subscription)}
    for user in contents.of(design.User):
        paid = subscriptions.get(user.user_id)
        if paid is None:
            assert user.subscription_status == design.UserSubscriptionStatus.NONE
        else:
            assert user.subscription_status == USER_STATUSES[paid.status]
            assert user.stripe_customer_id == paid.stripe_customer_id


def items(db: Repository, index: str | None = None) -> list[dict[str, Any]]:
    """Return every item of the table, or of an index, as it is stored."""
    request = {"TableName": "collabhub-main"} | ({"IndexName": index} if index else {})
    return list(db.connection.call("Scan", request)["Items"])


def new_users(db: Repository, size: int) -> list[Caller]:
    """Create active talents, without the flows of sign-up and activation."""
    callers = [fixtures.new_caller() for _ in range(size)]
    for caller in callers:
        user = design.User(
            user_id=caller.user_id,
            email=f"{caller.user_id}@example.org",
            role=Role.TALENT,
            status=design.UserStatus.ACTIVE,
            first_name="Bob",
            last_name="Doe",
        )
        db.create(user)
    return callers


def new_group(db: Repository, members: list[Caller]) -> str:
    """Start a conversation of all of them, and return its id."""
    talk = conversations.start_group(db, members[0], [member.user_id for member in members[1:]])
    return talk.conversation_id
