"""Audit: every change of an account's things leaves an activity, written together with the change."""

import json
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tablewright import Entity, writes
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.activities import Activity, Details
from tablewright_systems.listbackup.design.vocabulary import Document, ResourceType

_SECRET = re.compile(r"(?i)(secret|passw|token|api.?key|authorization|credential|private.?key)")

LONGEST = 8_000
"""Characters of what was, and of what is then: an item holds 400 KB, and an activity is no backup."""


class Action(Enum):
    """What was done; an event is called by its past."""

    CREATE = "create", "created"
    UPDATE = "update", "updated"
    DELETE = "delete", "deleted"
    SYNC = "sync", "synced"
    LOGIN = "login", "login"
    INVITE = "invite", "invited"
    JOIN = "join", "joined"
    LEAVE = "leave", "left"
    MOVE = "move", "moved"
    CONNECT = "connect", "connected"
    DISCONNECT = "disconnect", "disconnected"
    START = "start", "started"
    COMPLETE = "complete", "completed"
    FAIL = "fail", "failed"
    RETRY = "retry", "retried"
    RELEASE = "release", "released"
    CANCEL = "cancel", "cancelled"
    REVOKE = "revoke", "revoked"

    @property
    def verb(self) -> str:
        """What is done."""
        return self.value[0]

    @property
    def past(self) -> str:
        """What has happened."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from."""

    ip_address: str | None = None
    user_agent: str | None = None


ORIGIN: ContextVar[Origin] = ContextVar("origin", default=Origin())  # noqa: B039 - frozen
"""Where the request that is being answered came from; the API knows."""


def record(
    caller: Caller | None,
    account_id: str,
    resource_type: ResourceType,
    resource_id: str,
    action: Action,
    *,
    before: Entity | None = None,
    after: Entity | None = None,
    metadata: Mapping[str, Any] | None = None,
    event: str | None = None,
) -> writes.Create[Activity]:
    """The write of an activity; without a caller, the system did it.

    Of an update, only what differs is told. Secrets are left out. `event` is what the event is called by when that is
    not the type of the resource: "sync" in "sync.completed".
    """
    origin = ORIGIN.get()
    was, became = _told(before), _told(after)
    if was is not None and became is not None:
        was, became = _differing(was, became), _differing(became, was)
    return writes.Create(
        Activity(
            account_id=account_id,
            user_id=caller.user_id if caller else None,
            event_type=f"{event or resource_type.value}.{action.past}",
            resource_type=resource_type,
            resource_id=resource_id,
            action=action.verb,
            details=Details(
                before=_short(was), after=_short(became), metadata=_short(_redacted(metadata or {})) or None
            ),
            ip_address=origin.ip_address,
            user_agent=origin.user_agent[:500] if origin.user_agent else None,
        )
    )


def _told(entity: Entity | None) -> Document | None:
    if entity is None:
        return None
    secrets = set(entity.layout.secrets)
    told: Document = _redacted(
        entity.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=secrets)
    )
    return told


def _redacted(value: Any) -> Any:
    """The same without what is called a secret, also deep in what users may fill in as they like."""
    match value:
        case Mapping():
            return {name: "***" if _SECRET.search(name) else _redacted(each) for name, each in value.items()}
        case list() | tuple():
            return [_redacted(each) for each in value]
        case _:
            return value


def _differing(one: Document, other: Document) -> Document:
    return {name: value for name, value in one.items() if other.get(name) != value}


def _short(told: Document | None) -> Document | None:
    if told is None or len(json.dumps(told)) <= LONGEST:
        return told
    return {"truncated": True, "fields": sorted(told)[:200]}
