"""Leases: of many workers one has an entity for a time. When the time is over, another worker can take it.

The entity has two fields: the ID of the current lease, and when it ends.

    REMINDER = Lease(timedelta(minutes=5), id_field="reminder_claim", until_field="reminder_claimed_until")

    if (deadline := REMINDER.take(db, deadline, when=Deadline.due_date == day)) is not None:
        send(deadline)
        REMINDER.end(db, deadline, changes={"reminder_sent_at": db.now()})

Each later write of the worker is conditional on the ID of its lease: a worker that lost its lease changes nothing. A
write in a transaction takes the condition from `held(entity)`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4
from zlib import crc32

from tablewright import Entity, Repository, errors, fields, writes

E = TypeVar("E", bound=Entity)

_NOT_HELD = (errors.ConditionNotMet, errors.DoesNotExist, errors.VersionConflict)


@dataclass(frozen=True, slots=True)
class Lease:
    """How long a lease is, and the fields in which an entity stores it."""

    length: timedelta
    id_field: str = "lease_id"
    until_field: str = "leased_until"

    def free(self, entity: type[Entity], now: datetime) -> Any:
        """Return the condition that no worker has the entity."""
        until = fields.of(getattr(entity, self.until_field))
        return until.is_absent() | (until <= now)

    def held(self, entity: Entity) -> Any:
        """Return the condition that the lease of this entity is still the current one."""
        return getattr(type(entity), self.id_field) == getattr(entity, self.id_field)

    def take(
        self, db: Repository, entity: E, *, when: writes.When = None, changes: Mapping[str, Any] | None = None
    ) -> E | None:
        """Take an entity for this worker; None if another worker has it, or if `when` does not hold.

        `changes` are further fields to set.
        """
        condition = self.free(type(entity), db.now())
        try:
            return db.update(
                entity,
                set={**self.new(db), **(changes or {})},
                when=condition if when is None else condition & when,
            )
        except _NOT_HELD:
            return None

    def renew(self, db: Repository, entity: E, *, changes: Mapping[str, Any] | None = None) -> E | None:
        """Extend the lease of an entity that this worker took; None if the lease was lost."""
        return self._write(db, entity, {**self.renewed(db), **(changes or {})})

    def end(self, db: Repository, entity: E, *, changes: Mapping[str, Any] | None = None) -> E | None:
        """End the lease, with further changes; None if the lease was lost, and then nothing changes."""
        return self._write(db, entity, changes or {}, remove=(self.id_field, self.until_field))

    def new(self, db: Repository) -> dict[str, Any]:
        """Return the fields of a new lease, for a write in a transaction."""
        return {self.id_field: uuid4().hex, **self.renewed(db)}

    def renewed(self, db: Repository) -> dict[str, Any]:
        """Return the field of a lease that begins again, for a write in a transaction."""
        return {self.until_field: db.now() + self.length}

    def ended(self) -> dict[str, Any]:
        """Return the fields of a lease that has ended, for a write in a transaction."""
        return {self.id_field: None, self.until_field: None}

    def _write(
        self, db: Repository, entity: E, changes: Mapping[str, Any], remove: tuple[str, ...] = ()
    ) -> E | None:
        try:
            return db.update(entity, set=changes, remove=remove, when=self.held(entity))
        except _NOT_HELD:
            return None


_JITTER = 0.1


def backoff(failures: int, first: timedelta, longest: timedelta, name: str) -> timedelta:
    """Return the delay after a number of failures: it doubles each time; a jitter by `name` spreads the load.

    >>> backoff(3, timedelta(seconds=30), timedelta(hours=1), "job-1") >= timedelta(seconds=240)
    True
    """
    delay = min(first * (1 << min(failures, 30)), longest)
    return delay * (1 + _JITTER * (crc32(name.encode()) % 1000) / 1000)
