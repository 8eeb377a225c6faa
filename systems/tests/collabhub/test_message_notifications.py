"""Notifications of messages to more users than one transaction holds: none is lost, none is written twice (F6)."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import messages, notifications, users
from tablewright_systems.service import Caller

from systems.tests.collabhub.table_contents import TableContents, new_group, new_users, open_store
from tablewright import Clock, Repository, errors
from tablewright.connections import Embedded

HELLO = messages.MessageDraft(content="Hello")


class FailingWrites:
    """Makes the writes of notifications fail, after some that succeed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.succeeding = 1_000
        call = Embedded.call

        def failing(connection: Embedded, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "TransactWriteItems" and "NOTIFICATION#" in str(request):
                self.succeeding -= 1
                if self.succeeding < 0:
                    raise errors.ValidationError("the batch failed")
            return call(connection, operation, request)

        monkeypatch.setattr(Embedded, "call", failing)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> FailingWrites:
    return FailingWrites(monkeypatch)


@pytest.fixture
def db(clock: Clock, failing: FailingWrites) -> Iterator[Repository]:
    with open_store(clock) as hub:
        yield hub


@pytest.fixture
def members(db: Repository) -> list[Caller]:
    return new_users(db, design.MAX_PARTICIPANTS)


@pytest.fixture
def group(db: Repository, members: list[Caller]) -> str:
    return new_group(db, members)


def notified(db: Repository) -> Counter[str]:
    return Counter(notification.user_id for notification in TableContents(db).of(design.Notification))


@pytest.mark.parametrize("after", [0, 1])
def test_no_notification_is_lost_or_doubled_when_a_batch_fails(
    db: Repository,
    clock: Clock,
    members: list[Caller],
    group: str,
    failing: FailingWrites,
    after: int,
) -> None:
    sender, *others = members
    failing.succeeding = after
    messages.send_message(db, sender, group, HELLO)
    assert notified(db) == {}
    assert notifications.OUTBOX.deliver_due(db).failed == 1
    assert len(notified(db)) == after * notifications.BATCH
    failing.succeeding = 1_000
    clock.advance(timedelta(minutes=1))
    assert notifications.OUTBOX.deliver_due(db).delivered == 1
    assert notifications.OUTBOX.deliver_due(db).delivered == 0
    assert notified(db) == {other.user_id: 1 for other in others}


def test_a_repeated_message_is_notified_once(db: Repository, members: list[Caller], group: str) -> None:
    draft = messages.MessageDraft(content="Once", mark="m1")
    for _ in range(2):
        messages.send_message(db, members[0], group, draft)
    notifications.OUTBOX.deliver_due(db)
    assert set(notified(db).values()) == {1}


def test_users_who_were_banned_before_the_delivery_get_nothing(
    db: Repository, members: list[Caller], group: str
) -> None:
    messages.send_message(db, members[0], group, HELLO)
    users.ban(db, fixtures.STAFF, members[7].user_id)
    notifications.OUTBOX.deliver_due(db)
    assert set(notified(db)) == {member.user_id for member in members[1:]} - {members[7].user_id}


def test_a_small_group_is_notified_at_once(db: Repository) -> None:
    sender, *others = few = new_users(db, 40)
    messages.send_message(db, sender, new_group(db, few), HELLO)
    assert notified(db) == {other.user_id: 1 for other in others}
    assert TableContents(db).of(design.MessageNotice) == []
