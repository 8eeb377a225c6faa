"""Readers of sources, for workers: the only place where the credentials of a source are decrypted and used.

Tokens that end soon are renewed before a request, and tokens that the platform calls expired are renewed once. If the
platform rejects the credentials, the source stops, its connection is marked, and the worker fails the job.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from tablewright import Repository
from tablewright_systems.listbackup.design.connections import ConnectionById
from tablewright_systems.listbackup.design.sources import Source, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import (
    ALL_RECORDS,
    OWN_RECORDS,
    CredentialsExpired,
    CredentialsRejected,
    PlatformCredentials,
    PlatformReader,
    PlatformUnavailable,
    Record,
    RecordPage,
    RequestRejected,
    Restore,
    Selection,
)
from tablewright_systems.listbackup.service import connections, oauth_tokens, syncs
from tablewright_systems.listbackup.service.access import active_account, require_staff
from tablewright_systems.service import ApiError, Caller, Conflict

RENEW_BEFORE_END = timedelta(minutes=5)

T = TypeVar("T")


def open_source(db: Repository, caller: Caller, platforms: Platforms, source: Source) -> PlatformReader:
    """Open an active source for a worker, or raise Conflict if it is paused, stopped or disconnected."""
    require_staff(caller, "worker")
    if source.status is not SourceStatus.ACTIVE:
        raise Conflict(f"source {source.source_id} is {source.status.value}; only an active source is read")
    active_account(db, source.account_id)
    return _SourceReader(db, caller, platforms, source)


class _SourceReader:
    """Reads a source, with tokens that stay valid."""

    def __init__(self, db: Repository, caller: Caller, platforms: Platforms, source: Source) -> None:
        self._db, self._caller, self._platforms, self._source = db, caller, platforms, source
        self._expires_at: datetime | None = None
        self._reader = self._open()
        if source.connection_id is not None:
            connections.record_use(db, caller, source.connection_id)

    @property
    def data_types(self) -> tuple[str, ...]:
        return self._reader.data_types

    def read(
        self, data_type: str, selection: Selection = ALL_RECORDS, position: str | None = None
    ) -> RecordPage:
        return self._call(lambda reader: reader.read(data_type, selection, position))

    def write(self, data_type: str, record: Record, restore: Restore = OWN_RECORDS) -> str:
        return self._call(lambda reader: reader.write(data_type, record, restore))

    def _call(self, call: Callable[[PlatformReader], T]) -> T:
        try:
            if self._expires_at is not None and self._expires_at <= self._db.now() + RENEW_BEFORE_END:
                self._reader = self._open()
            try:
                return call(self._reader)
            except CredentialsExpired:
                self._reader = self._open(renewed=True)
            return call(self._reader)
        except (CredentialsExpired, CredentialsRejected) as error:
            self._record(error)
            raise CredentialsRejected(str(error)) from None

    def _open(self, renewed: bool = False) -> PlatformReader:
        """Decrypt the credentials, renewed if they are about to end, and open the platform's reader."""
        source = self._source
        connection = None
        if source.connection_id is not None:
            connection = self._db.run(ConnectionById(connection_id=source.connection_id))
        return self._platforms.open_reader(source, connection, self._credentials(renewed))

    def _credentials(self, renewed: bool) -> PlatformCredentials:
        source = self._source
        if source.connection_type is ConnectionType.WEBHOOK:
            raise RequestRejected(
                f"source {source.source_id} only receives webhooks; connect it by OAuth or with an API key to read it"
            )
        if source.connection_type is ConnectionType.OAUTH:
            stored = oauth_tokens.get_token(self._db, source.source_id)
            if renewed or stored.expires_at <= self._db.now() + RENEW_BEFORE_END:
                try:
                    stored = oauth_tokens.renew(self._db, self._platforms, source.source_id)
                except ApiError as error:
                    raise PlatformUnavailable(error.message) from None
            self._expires_at = stored.expires_at
            return PlatformCredentials(ConnectionType.OAUTH, stored.tokens.access_token)
        if source.credentials is None:
            raise CredentialsRejected(f"source {source.source_id} has no credentials; send new ones")
        return PlatformCredentials(ConnectionType.APIKEY, source.credentials.encrypted_data)

    def _record(self, error: Exception) -> None:
        """Stop the source, and mark the connection as rejected, unless it already expired with its tokens."""
        syncs.stop_rejected(self._db, self._source, str(error))
        if self._source.connection_id is not None:
            try:
                connections.record_error(self._db, self._caller, self._source.connection_id, str(error))
            except ApiError:
                return
