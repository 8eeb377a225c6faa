"""Outbox: messages that are written in the transaction of what they report, and delivered later.

A system declares its message with what a delivery needs, and where the messages are stored:

    class FollowersNotified(OutboxMessage, table=main):
        startup_id: str
        text: str
        keys = Keys(primary=("OUTBOX", "MESSAGE#{message_id}"))

    class Messages(Query[FollowersNotified]):
        key = "PK = OUTBOX, begins_with(SK, 'MESSAGE#')"

    transact(db, writes.Update(startup, ...), writes.Create(FollowersNotified(startup_id=..., text=...)))

and a function that delivers one message in batches:

    def deliver(db: Repository, message: FollowersNotified) -> Iterator[Batch]:
        page = db.run(Followers(startup_id=message.startup_id), limit=50, cursor=message.position)
        ...
        yield Batch([writes.Create(...), ...], position=page.cursor)

    OUTBOX = Outbox(Messages(), deliver)      # in jobs.py: Job("notifications", timedelta(seconds=5), OUTBOX.run)

The writes of a batch and its position are one transaction: after a failure or a crash, the next delivery continues
after the last batch, and no batch is written twice. A failed message stays in the outbox and is tried again with
increasing delays; it does not keep others from their delivery. A message is deleted when its last batch is written.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar
from uuid import uuid4

from pydantic import Field

from tablewright import Entity, Query, Repository, fields, reads, writes
from tablewright_systems.service.jobs import JobRun
from tablewright_systems.service.leases import Lease, backoff
from tablewright_systems.service.transactions import transact

log = logging.getLogger(__name__)

FIRST_DELAY = timedelta(seconds=10)
LONGEST_DELAY = timedelta(hours=1)
MAX_ERROR_LENGTH = 500
LEASE = Lease(timedelta(minutes=2))


class OutboxMessage(Entity):
    """Base of messages; the class of a system adds its own fields, the table and the keys."""

    message_id: str = Field(default_factory=lambda: uuid4().hex)
    created_at: fields.Timestamp = fields.now()
    due_at: fields.Timestamp | None = None
    """Not delivered before this time; None is at once."""
    position: str | None = None
    """How far the delivery is; set by the batches."""
    failures: int = 0
    last_error: str | None = None
    lease_id: str | None = None
    leased_until: fields.Timestamp | None = None


M = TypeVar("M", bound=OutboxMessage)


@dataclass(frozen=True, slots=True)
class Batch:
    """Writes of a delivery, at most 99, and the position from which a later delivery continues."""

    actions: Sequence[writes.Write] = ()
    position: str | None = None


@dataclass(slots=True)
class Deliveries:
    """Result of a round of deliveries."""

    delivered: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Outbox(Generic[M]):
    """The messages of one class, and the function that delivers one of them."""

    messages: Query[M] | reads.Merged[M] | reads.Chained[M]
    deliver: Callable[[Repository, M], Iterable[Batch]]

    def run(self, run: JobRun) -> None:
        """Deliver all due messages, as a background job."""
        self.deliver_due(run.db, is_stopping=lambda: run.is_stopping)

    def deliver_due(self, db: Repository, is_stopping: Callable[[], bool] = lambda: False) -> Deliveries:
        """Deliver all messages that are due and that no other process delivers."""
        result = Deliveries()
        for waiting in db.iterate(self.messages, unknown="skip"):
            if is_stopping():
                break
            if waiting.due_at is not None and waiting.due_at > db.now():
                continue
            if (message := LEASE.take(db, waiting)) is None:
                continue
            if self._is_delivered(db, message):
                result.delivered += 1
            else:
                result.failed += 1
        return result

    def _is_delivered(self, db: Repository, message: M) -> bool:
        try:
            for batch in self.deliver(db, message):
                _write(db, message, batch)
            db.delete(message, when=LEASE.held(message))
        except Exception as error:  # a message of any content must not stop the delivery of others
            log.warning("delivery of %s %s failed", type(message).__name__, message.message_id, exc_info=True)
            delay = backoff(message.failures, FIRST_DELAY, LONGEST_DELAY, message.message_id)
            changes = {
                "due_at": db.now() + delay,
                "failures": message.failures + 1,
                "last_error": f"{type(error).__name__}: {error}"[:MAX_ERROR_LENGTH],
            }
            LEASE.end(db, message, changes=changes)
            return False
        return True


def _write(db: Repository, message: OutboxMessage, batch: Batch) -> None:
    """Write a batch and its position, if this process still has the message."""
    changes = {"position": batch.position, "leased_until": db.now() + LEASE.length}
    transact(db, writes.Update(message, set=changes, when=LEASE.held(message)), *batch.actions)
