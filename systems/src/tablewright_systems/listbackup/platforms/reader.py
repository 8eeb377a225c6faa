"""Readers: the records of one source, read by its platform's API, limited to a time range and filtered."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import quote

from tablewright_systems.listbackup.platforms.http_client import PlatformClient, PlatformRequest, utc_now
from tablewright_systems.listbackup.platforms.protocol import (
    ALL_RECORDS,
    OWN_RECORDS,
    PlatformCredentials,
    PlatformUnavailable,
    Record,
    RecordPage,
    RequestRejected,
    Restore,
    Selection,
)

PAGE_SIZE = 100
OVERLAP = 5
"""How many records may be deleted between two pages without hiding others."""

Send = Callable[[PlatformRequest], Any]
"""Sends a request to the platform of a source, with its credentials, and returns the JSON of the reply."""


@dataclass(frozen=True, slots=True)
class PageScope:
    """Which page of records a platform reads. `account` is the platform's own id of the connected account."""

    data_type: str
    since: datetime | None = None
    position: str | None = None
    account: str | None = None
    now: datetime = field(default_factory=utc_now)

    @property
    def offset(self) -> int:
        """Where the page begins, for platforms that page by offset: the position is `offset:id,id`."""
        offset = (self.position or "0").partition(":")[0]
        if not offset.isdecimal():
            raise RequestRejected(f"{self.position!r} is not a position of {self.data_type}")
        return int(offset)

    @property
    def returned(self) -> frozenset[str]:
        """The ids of the records that the page before has returned, and that this page begins with."""
        return frozenset((self.position or "").partition(":")[2].split(","))


@dataclass(frozen=True, slots=True)
class WriteScope:
    """Where a record is written to, and for which restore."""

    data_type: str
    account: str | None = None
    restore: Restore = OWN_RECORDS


class PlatformApi(ABC):
    """One platform: its addresses, how it authenticates, pages and restores. Each platform is a small module."""

    name: ClassVar[str]
    base_url: ClassVar[str]
    authorize_url: ClassVar[str]
    token_url: ClassVar[str]
    oauth_scope: ClassVar[str]
    token_fields: ClassVar[Mapping[str, str]] = {}
    """More form fields of each token request."""
    refreshes_with_basic: ClassVar[bool] = False
    """Whether a refresh authenticates the application by HTTP Basic, not by form fields."""
    data_types: ClassVar[tuple[str, ...]] = ("contacts", "orders", "products")
    needs_account: ClassVar[bool] = False
    """Whether a request names the connected account, so that a key alone is not enough."""

    @abstractmethod
    def headers(self, credentials: PlatformCredentials) -> dict[str, str]:
        """Return the headers that authenticate a request."""

    @abstractmethod
    def read(self, send: Send, scope: PageScope) -> RecordPage:
        """Read one page. The reader applies the selection, so a platform may return more."""

    @abstractmethod
    def write(self, send: Send, record: Record, scope: WriteScope) -> str:
        """Update a record, or create it if it does not exist or is foreign; return its id."""


@dataclass(frozen=True, slots=True)
class HttpReader:
    """Reads and restores the records of one source over HTTP."""

    api: PlatformApi
    client: PlatformClient
    credentials: PlatformCredentials
    account: str | None = None

    @property
    def data_types(self) -> tuple[str, ...]:
        """The data types that can be read."""
        return self.api.data_types

    def read(
        self, data_type: str, selection: Selection = ALL_RECORDS, position: str | None = None
    ) -> RecordPage:
        """Return one page of the selected records."""
        self._require(data_type)
        scope = PageScope(data_type, selection.since, position, self.account, self.client.now())
        try:
            page = self.api.read(self._send, scope)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise PlatformUnavailable(f"{self.api.name}: the page of {data_type} has another shape") from None
        return RecordPage(list(filter(selection.includes, page.records)), page.next_position)

    def write(self, data_type: str, record: Record, restore: Restore = OWN_RECORDS) -> str:
        """Restore a record; return its id on the platform."""
        self._require(data_type)
        return self.api.write(self._send, record, WriteScope(data_type, self.account, restore))

    def _send(self, request: PlatformRequest) -> Any:
        return self.client.send(request, self.credentials, self.api.headers(self.credentials))

    def _require(self, data_type: str) -> None:
        if data_type not in self.api.data_types:
            raise RequestRejected(
                f"{self.api.name} has no data type {data_type!r}; it has {', '.join(self.api.data_types)}"
            )


def parse_time(text: Any) -> datetime | None:
    """Return an ISO 8601 text or a Unix time in seconds as a time; None if there is none.

    >>> parse_time("2026-01-02T10:00:00.000+0000") == parse_time(1767348000)
    True
    """
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        return None
    if not isinstance(text, str):
        return datetime.fromtimestamp(text, UTC)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def format_time(time: datetime | None) -> str | None:
    """Return a time as ISO 8601 with milliseconds and Z, or None."""
    return (
        time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if time is not None
        else None
    )


def records_of(rows: Sequence[Mapping[str, Any]], id_field: str, *time_fields: str) -> list[Record]:
    """Return the records of a page; the time of change is in the first of these fields that has one."""
    return [
        Record(
            id=str(row[id_field]),
            changed_at=next((at for name in time_fields if (at := parse_time(row.get(name)))), None),
            data=row,
        )
        for row in rows
    ]


def path_of(*parts: str) -> str:
    """Return a path; an id cannot add another segment to it.

    >>> path_of("contacts", "../orders/1")
    '/contacts/..%2Forders%2F1'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def offset_page(records: Sequence[Record], scope: PageScope) -> RecordPage:
    """Return a page of an API that pages by offset: a full page may have a next one.

    A record that is deleted moves all others forward, so the next page begins some records earlier.
    """
    fresh = [record for record in records if record.id not in scope.returned]
    if len(records) < PAGE_SIZE:
        return RecordPage(fresh)
    last = ",".join(record.id for record in records[-OVERLAP:])
    return RecordPage(fresh, f"{scope.offset + len(records) - OVERLAP}:{last}")
