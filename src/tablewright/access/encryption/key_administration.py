"""Key administration: `db.keys` and `db.aio.keys`, the encryption keys of a repository."""

from typing import Any

from tablewright.access.calls.procedures import AsyncRunner, SyncRunner
from tablewright.access.context import Context
from tablewright.access.encryption import key_rotation
from tablewright.design.entities.entities import Entity


class KeyAdministration:
    """The encryption keys of a repository."""

    def __init__(self, context: Context, run: SyncRunner) -> None:
        self._context = context
        self._run = run

    def rotate(self, entity: type[Entity], **context: Any) -> int:
        """Create a new data key for the secrets of an entity in a context: `db.keys.rotate(Token, account_id="a1")`.

        New writes use the new key; `reencrypt` moves existing items to it. Return the number of contexts.
        """
        return self._run(key_rotation.rotate(self._context, entity.layout, context))

    def reencrypt(self, entity: type[Entity]) -> int:
        """Encrypt the items of an entity again that an older data key encrypted; return the number of items."""
        return self._run(key_rotation.reencrypt(self._context, entity.layout))

    def rewrap(self) -> int:
        """Wrap all data keys with the newest master key, after a rotation of it; return the number of contexts."""
        return self._run(key_rotation.rewrap(self._context))

    def shred(self, entity: type[Entity], **context: Any) -> int:
        """Delete the data keys of a tenant: `db.keys.shred(Token, account_id="a1")`.

        Values that these keys encrypted can never be read again, in backups included. This holds for every entity
        whose secrets have the same leading value in their context. Return the number of contexts.
        """
        return self._run(key_rotation.shred(self._context, entity.layout, context))


class AsyncKeyAdministration:
    """The encryption keys of an async repository."""

    def __init__(self, context: Context, run: AsyncRunner) -> None:
        self._context = context
        self._run = run

    async def rotate(self, entity: type[Entity], **context: Any) -> int:
        """As `KeyAdministration.rotate`."""
        return await self._run(key_rotation.rotate(self._context, entity.layout, context))

    async def reencrypt(self, entity: type[Entity]) -> int:
        """As `KeyAdministration.reencrypt`."""
        return await self._run(key_rotation.reencrypt(self._context, entity.layout))

    async def rewrap(self) -> int:
        """As `KeyAdministration.rewrap`."""
        return await self._run(key_rotation.rewrap(self._context))

    async def shred(self, entity: type[Entity], **context: Any) -> int:
        """As `KeyAdministration.shred`."""
        return await self._run(key_rotation.shred(self._context, entity.layout, context))
