"""Audit: every change to an account's resources writes an activity, in the transaction of the change.

`record` returns the write of an activity; `change` also makes the change, and returns the entity as it is stored then.
"""

import json
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from tablewright import Entity, Get, Repository, writes
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.activities import Activity, ActivityDetails
from tablewright_systems.listbackup.design.archives import Archive
from tablewright_systems.listbackup.design.connections import Connection
from tablewright_systems.listbackup.design.jobs import Job
from tablewright_systems.listbackup.design.memberships import Invitation, UserAccount
from tablewright_systems.listbackup.design.oauth import OAuthToken
from tablewright_systems.listbackup.design.sessions import TokenFamily
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.tags import Tag
from tablewright_systems.listbackup.design.teams import Team, TeamMember
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import Document, ResourceType
from tablewright_systems.listbackup.service.access import Access
from tablewright_systems.service import Caller, require_found, transact

E = TypeVar("E", bound=Entity)

_SECRET = re.compile(r"(?i)(secret|passw|token|api.?key|authorization|credential|private.?key)")

HIDDEN = "***"
"""Stands for a value that is secret, or that the reader may not see."""

MAX_LENGTH = 8_000
"""Characters of the states before and after a change: an item holds 400 KB, and an activity is no backup."""


class Action(Enum):
    """An action, and its past participle for the event type."""

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
    EXPORT = "export", "exported"

    @property
    def verb(self) -> str:
        """The action, such as "create"."""
        return self.value[0]

    @property
    def past(self) -> str:
        """The event, such as "created"."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Origin:
    """The address and user agent of a request."""

    ip_address: str | None = None
    user_agent: str | None = None


ORIGIN: ContextVar[Origin] = ContextVar("origin", default=Origin())  # noqa: B039 - frozen
"""The origin of the current request; set by the API."""


class Resource(NamedTuple):
    """What an activity is about."""

    account_id: str
    type: ResourceType
    id: str


_RESOURCES: dict[type[Entity], tuple[ResourceType, str]] = {
    Account: (ResourceType.ACCOUNT, "account_id"),
    User: (ResourceType.USER, "user_id"),
    UserAccount: (ResourceType.USER, "user_id"),
    Invitation: (ResourceType.USER, "email"),
    Team: (ResourceType.TEAM, "team_id"),
    TeamMember: (ResourceType.TEAM, "team_id"),
    Source: (ResourceType.SOURCE, "source_id"),
    OAuthToken: (ResourceType.SOURCE, "source_id"),
    Connection: (ResourceType.CONNECTION, "connection_id"),
    Job: (ResourceType.JOB, "job_id"),
    Archive: (ResourceType.ARCHIVE, "archive_id"),
    Tag: (ResourceType.TAG, "tag_id"),
    TokenFamily: (ResourceType.SESSION, "token_family"),
}
"""The type of resource of each entity, and the field of its id. `account_id` names the account."""


def resource_of(entity: Entity) -> Resource:
    """Return the resource that activities about an entity name."""
    kind, field = _RESOURCES[type(entity)]
    return Resource(getattr(entity, "account_id"), kind, getattr(entity, field))  # noqa: B009 - of many classes


def change(
    db: Repository,
    caller: Caller,
    before: E,
    values: Mapping[str, Any],
    *more: writes.Write,
    key: Get[E],
    access: Access | None = None,
    when: writes.When = None,
    otherwise: writes.Otherwise | None = None,
    action: Action = Action.UPDATE,
) -> E:
    """Change an entity and record it, in one transaction with `more`; return the entity as it is stored then.

    An entity with a version must still have the version that was read. With `access`, the caller must still have the
    rights. A user without an account is changed without a record.
    """
    if not values:
        return before
    after = before.changed(**values)
    target = before if "version" in before.layout.fields else key
    update = writes.Update(target, set=values, when=when, otherwise=otherwise)
    resource = resource_of(after)
    recorded = [record(caller, resource, action, before=before, after=after)] if resource.account_id else []
    transact(db, *(access.checked(update) if access else [update]), *more, *recorded)
    return require_found(db.run(key), f"{resource.type.value} {resource.id}")


def present(**values: Any) -> dict[str, Any]:
    """Return the values to change: those that are not None.

    >>> present(name="Ada", username=None)
    {'name': 'Ada'}
    """
    return {name: value for name, value in values.items() if value is not None}


def record(
    caller: Caller | None,
    resource: Entity | Resource,
    action: Action,
    *,
    before: Entity | None = None,
    after: Entity | None = None,
    metadata: Mapping[str, Any] | None = None,
    event: str | None = None,
) -> writes.Create[Activity]:
    """Return the write of an activity; without a caller, the system itself acted.

    Of an update, only the changed fields are recorded. Secrets are left out. `event` replaces the type of the resource
    in the event type: "sync" in "sync.completed".
    """
    account_id, resource_type, resource_id = (
        resource if isinstance(resource, Resource) else resource_of(resource)
    )
    origin = ORIGIN.get()
    was, became = _document(before), _document(after)
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
            details=ActivityDetails(
                before=_shortened(was),
                after=_shortened(became),
                metadata=_shortened(_redacted(metadata or {})) or None,
            ),
            ip_address=origin.ip_address,
            user_agent=origin.user_agent[:500] if origin.user_agent else None,
        )
    )


def _document(entity: Entity | None) -> Document | None:
    if entity is None:
        return None
    secrets = set(entity.layout.secrets)
    document: Document = _redacted(
        entity.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=secrets)
    )
    return document


def _redacted(value: Any) -> Any:
    """Return the value with the values of secret-looking names replaced, at any depth."""
    match value:
        case Mapping():
            return {name: HIDDEN if _SECRET.search(name) else _redacted(part) for name, part in value.items()}
        case list() | tuple():
            return [_redacted(part) for part in value]
        case _:
            return value


def _differing(one: Document, other: Document) -> Document:
    return {name: value for name, value in one.items() if other.get(name) != value}


def _shortened(document: Document | None) -> Document | None:
    if document is None or len(json.dumps(document)) <= MAX_LENGTH:
        return document
    return {"truncated": True, "fields": sorted(document)[:200]}
