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
class RecordPage:
    """One page of records; `next_position` continues the read, and is None at the end."""

    records: Sequence[Record]
    next_position: str | None = None


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
        self,
        data_type: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        position: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> RecordPage:
        """Return one page of the records that changed at or after `since` and before `until`.

        `position` is the `next_position` of the page before; it stays valid in another process. `filters` maps fields
        of the records (with dots: "address.country") to the required value, or to a list of accepted values.
        A page may be empty and still have a next position. A record that changes during the read may be returned
        twice; the later one is current.
        """
        ...

    def write(self, data_type: str, record: Record) -> str:
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
