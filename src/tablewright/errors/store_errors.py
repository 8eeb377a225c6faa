"""Store errors: the data file cannot be used. The message says why and what to do."""

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


class SpaceMissing(StoreError):
    """A read found no space for its table: the table is being created or deleted at the same time."""
