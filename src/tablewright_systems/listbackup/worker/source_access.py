"""Access to the platform of a source, with its decrypted credentials. Expired tokens are renewed once.

Only workers open one: no reply of the API contains credentials.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from tablewright import Repository
from tablewright_systems.listbackup.design.connections import ConnectionById
from tablewright_systems.listbackup.design.sources import Source, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsExpired,
    CredentialsRejected,
    PlatformCredentials,
    PlatformReader,
    PlatformUnavailable,
    Record,
    RecordPage,
)
from tablewright_systems.listbackup.service.sources import oauth_tokens, sources, syncs
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Unavailable

T = TypeVar("T")


class SourceAccess:
    """Reads and writes the records of a source."""

    def __init__(
        self, db: Repository, caller: Caller, platforms: Platforms, account_id: str, source_id: str
    ) -> None:
        self._db, self._caller, self._platforms = db, caller, platforms
        self.source = sources.get_source(db, account_id, source_id)
        self._reader = self._open()

    @property
    def data_types(self) -> tuple[str, ...]:
        """The data types of the platform."""
        return self._reader.data_types

    def read(
        self,
        data_type: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        position: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> RecordPage:
        """Return one page of records."""
        return self._with_credentials(
            lambda reader: reader.read(
                data_type, since=since, until=until, position=position, filters=filters
            )
        )

    def write(self, data_type: str, record: Record) -> str:
        """Write a record; return its id on the platform."""
        return self._with_credentials(lambda reader: reader.write(data_type, record))

    def _with_credentials(self, use: Callable[[PlatformReader], T]) -> T:
        try:
            try:
                return use(self._reader)
            except CredentialsExpired:
                self._renew()
                return use(self._reader)
        except (CredentialsExpired, CredentialsRejected) as error:
            syncs.stop_rejected(self._db, self.source, str(error))
            raise CredentialsRejected(str(error)) from None

    def _renew(self) -> None:
        if self.source.connection_type is not ConnectionType.OAUTH:
            raise CredentialsRejected(f"{self.source.platform} does not accept the key; replace it")
        platforms: Any = self._platforms
        try:
            oauth_tokens.refresh(self._db, self._caller, platforms, self.source.source_id)
        except Unavailable as error:
            raise PlatformUnavailable(error.message) from None
        except Conflict as error:
            current = self._current()
            if current.status is SourceStatus.ACTIVE:
                raise PlatformUnavailable(error.message) from None
            raise CredentialsRejected(error.message) from None
        self._reader = self._open()

    def _open(self) -> PlatformReader:
        source = self.source
        found = source.connection_id and self._db.run(ConnectionById(connection_id=source.connection_id))
        return self._platforms.open_reader(source, found or None, self._credentials())

    def _credentials(self) -> PlatformCredentials:
        if self.source.connection_type is ConnectionType.OAUTH:
            tokens = oauth_tokens.get_token(self._db, self.source.source_id).tokens
            return PlatformCredentials(ConnectionType.OAUTH, tokens.access_token)
        if self.source.credentials is None:
            raise CredentialsRejected(f"source {self.source.source_id} has no credentials; reconnect it")
        return PlatformCredentials(self.source.connection_type, self.source.credentials.encrypted_data)

    def _current(self) -> Source:
        return sources.get_source(self._db, self.source.account_id, self.source.source_id)
