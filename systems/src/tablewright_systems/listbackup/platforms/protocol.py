"""The platform interface: pages of records, the reader that returns them, and the errors that it raises.

A worker handles five errors and no others: wait (`RateLimited`), renew the tokens (`CredentialsExpired`), stop the
source (`CredentialsRejected`), try again later (`PlatformUnavailable`), fail the job (`RequestRejected`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from tablewright_systems.listbackup.design.connections import Connection
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.vocabulary import ConnectionType


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a platform, such as a contact; `data` is the platform's own JSON object."""

    id: str
    changed_at: datetime | None
    """When it last changed; None if the platform does not say, and then every read returns it."""
    data: Mapping[str, Any]
    deleted: bool = False
    """Whether the platform reports that the record was deleted; `data` is its last known state."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The records to read: those that changed at or after `since` and before `until`, and match all filters.

    `filters` maps fields of the records (with dots: "address.country") to the required value, or to a list of accepted
    values.

    >>> germans = Selection(filters={"address.country": "DE"})
    >>> germans.includes(Record("1", None, {"address": {"country": "DE"}}))
    True
    """

    since: datetime | None = None
    until: datetime | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)

    def includes(self, record: Record) -> bool:
        """Whether a record is selected. Platforms may cut times to seconds, so `since` is cut too."""
        at = record.changed_at
        if at is not None:
            if self.since is not None and at < self.since.replace(microsecond=0):
                return False
            if self.until is not None and at >= self.until:
                return False
        return all(_has(record.data, path, wanted) for path, wanted in self.filters.items())


ALL_RECORDS = Selection()


def _has(data: Mapping[str, Any], path: str, wanted: Any) -> bool:
    value_at_path: Any = data
    for name in path.split("."):
        value_at_path = value_at_path.get(name) if isinstance(value_at_path, Mapping) else None
    accepted = wanted if isinstance(wanted, list) else [wanted]
    return any(
        value in accepted for value in (value_at_path if isinstance(value_at_path, list) else [value_at_path])
    )


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One page of records; `next_position` continues the read, and is None at the end."""

    records: Sequence[Record]
    next_position: str | None = None


@dataclass(frozen=True, slots=True)
class Restore:
    """What records are written for. Each platform decides what that means for a record that exists, or does not."""

    restore_id: str = ""
    """Names the restore, so that a record that is written twice for it is created once."""
    is_foreign: bool = False
    """Whether the records are from another source: then an id may name another record here, and is not used."""


OWN_RECORDS = Restore()


@dataclass(frozen=True, slots=True)
class PlatformCredentials:
    """A decrypted access token or API key. Only a worker holds one; its text shows no secret.

    >>> PlatformCredentials(ConnectionType.APIKEY, "sk_live_1")
    PlatformCredentials(kind=<ConnectionType.APIKEY: 'apikey'>)
    """

    kind: ConnectionType
    secret: str = field(repr=False)


class PlatformReader(Protocol):
    """The records of one source. Each call is one HTTP request, or few; the caller decides about retries."""

    @property
    def data_types(self) -> tuple[str, ...]:
        """The data types that can be read, such as "contacts"."""
        ...

    def read(
        self, data_type: str, selection: Selection = ALL_RECORDS, position: str | None = None
    ) -> RecordPage:
        """Return one page of the selected records.

        `position` is the `next_position` of the page before; it stays valid in another process. A page
        may be empty and still have a next position. A record that changes during the read may be returned twice; the
        later one is current.
        """
        ...

    def write(self, data_type: str, record: Record, restore: Restore = OWN_RECORDS) -> str:
        """Restore a record: update the record with its id, or create it if it was deleted. Return its id there."""
        ...


OpenReader = Callable[[Source, Connection | None, PlatformCredentials], PlatformReader]
"""How a worker opens the reader of a source: `Platforms.open_reader`."""


class PlatformError(Exception):
    """A platform could not serve a request. Messages name the platform and the request, and contain no secret."""


class RateLimited(PlatformError):
    """The platform accepts the next request after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CredentialsExpired(PlatformError):
    """The access token has expired: renew the tokens and repeat the request."""


class CredentialsRejected(PlatformError):
    """The platform does not accept the token or key: the user must reconnect the source."""


class PlatformUnavailable(PlatformError):
    """The platform failed or could not be reached: repeat the request later."""


class RequestRejected(PlatformError):
    """The platform will never accept this request; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
