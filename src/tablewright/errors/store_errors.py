"""Store errors: the data file cannot be used. The message says why and what to do."""

from typing import Any

from tablewright.errors.base_error import TablewrightError


class StoreError(TablewrightError):
    """The data file cannot be used; the message says why and what to do."""

    public = "The server cannot use its data file; the log of the server says why"
    """The message for clients on the network, without paths of the server."""


class StoreLocked(StoreError):
    """The file is open already: in another process, or in another `embedded(...)` of this process."""


class StoreFormat(StoreError):
    """The file is not a Tablewright database, or was written by a newer version of Tablewright."""


class StoreFull(StoreError):
    """The disk is full; nothing of the failed write was kept."""

    public = "The disk of the server is full; nothing of this write was kept"


class StoreMissing(StoreError):
    """The data file was deleted or replaced while it was open; what is written is not kept."""


class StoreDamaged(StoreError):
    """Stored data does not match its checksum, or cannot be read at all; it is never returned.

    `table` and `key` say which data, where that is known.

    >>> str(StoreDamaged("app.db is damaged", table="Users", key={"id": {"S": "ann"}}))
    'app.db is damaged'
    """

    public = "Stored data that this request needs is damaged; the log of the server says which"

    def __init__(
        self,
        message: str,
        *,
        space: int | None = None,
        row: bytes | None = None,
        table: str | None = None,
        key: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.space = space
        """The number of the space, below the engine."""
        self.row = row
        """The stored key, below the engine."""
        self.table = table
        self.key = key


class SpaceMissing(StoreError):
    """A read found no space for its table: the table is being created or deleted at the same time."""
