"""Key rotation: replace data keys, and delete those of a tenant whose data must become unreadable.

rewrap      wrap every data key with the newest master key; no data changes
rotate      add a new data key to a context; new writes use it
reencrypt   move the items of a table to the newest data keys, item by item
shred       delete a tenant's data keys; values that they encrypted are unreadable, in backups too

Key administration: `db.keys` and `db.aio.keys`, the encryption keys of a repository.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tablewright.access.context import Context
from tablewright.access.encryption import data_keys
from tablewright.access.encryption.data_keys import KeyName, context_part, key_name
from tablewright.access.items.item_values import to_attribute
from tablewright.access.items.vault import NoVault, compute_with_keys
from tablewright.access.procedures import Call, Procedure, with_retries
from tablewright.design.fields.markers import Encrypted
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed, SecretError, SecretShredded, UsageError

if TYPE_CHECKING:
    # Not imported at run time, so that a design without secrets does not load a cryptographic library.
    from tablewright.access.encryption.field_encryption import SecretVault


from tablewright.access.encryption import key_rotation
from tablewright.access.procedures import AsyncRunner, SyncRunner
from tablewright.design.entities.entities import Entity


def rewrap(context: Context) -> Procedure[int]:
    """Wrap every data key with the newest master key; return the number of changed contexts."""
    vault = _vault(context)
    count = 0
    for name, keys in (yield from data_keys.load_all(vault.table)).items():
        if all(key.master == vault.keyring.newest for key in keys):
            continue
        rewrapped = []
        for key in keys:
            plain = yield from vault.unwrap(name, key)
            rewrapped.append((yield from vault.wrap(name, plain.id, plain.secret)))
        # A key that another process adds meanwhile uses the newest master key; the next run rewraps the rest.
        count += yield from data_keys.replace(vault.table, name, keys, rewrapped)
    return count


def rotate(context: Context, layout: Layout, values: Mapping[str, Any]) -> Procedure[int]:
    """Add a data key to each context that an entity's secrets have for these values; return the number of contexts."""
    vault = _vault(context)
    names = {key_name(layout, field, marker, _item(layout, values)) for field, marker in _encrypted(layout)}
    for name in names:
        added = False
        while not added:
            known = (yield from data_keys.load(vault.table, [name])).get(name, [])
            added = yield from data_keys.add(vault.table, name, known, (yield from vault.new_key(name)))
    vault.forget(names)
    return len(names)


def reencrypt(context: Context, layout: Layout) -> Procedure[int]:
    """Encrypt again all items of an entity, copies included, that older data keys encrypted; return their number."""
    vault, table = _vault(context), context.table_name(layout.table)
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    types = {copy.copy.type or layout.type_name for copy in layout.copies} | {layout.type_name}
    count = 0
    while True:
        reply = yield from with_retries(Call("Scan", request))
        items = [item for item in reply["Items"] if _is_of(layout, types, item)]
        yield from vault.prepare((layout, item) for item in items)
        for item in items:
            count += yield from _reencrypt_item(vault, layout, table, item)
        if "LastEvaluatedKey" not in reply:
            return count
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def shred(context: Context, layout: Layout, values: Mapping[str, Any]) -> Procedure[int]:
    """Delete the data keys of a tenant, for every entity; return the number of contexts.

    The values are those of an entity's context: at least the leading one; further values select fewer contexts.
    """
    vault = _vault(context)
    item = _item(layout, values)
    field, leading = _led_by(layout, values)
    owner = KeyName.of(context_part(layout, field, leading, item)).owner
    parts = [context_part(layout, field, name, item) for name in values]
    shredded = [name for name in (yield from data_keys.load_owner(vault.table, owner)) if name.covers(parts)]
    yield from data_keys.delete(vault.table, shredded)
    vault.forget(shredded)
    return len(shredded)


def _vault(context: Context) -> "SecretVault":
    if isinstance(context.vault, NoVault):
        raise SecretError(
            "the repository has no keys; connect with secrets=... to a design that has secret fields"
        )
    return context.vault  # type: ignore[return-value]


def _led_by(layout: Layout, values: Mapping[str, Any]) -> tuple[FieldLayout, str]:
    """Return the secret field whose context begins with these values, and the name of the leading one."""
    led = [(field, marker.context) for field, marker in _encrypted(layout) if marker.context]
    for field, context in led:
        if context[0] in values and set(values) <= set(context):
            return field, context[0]
    known = " or ".join(dict.fromkeys(", ".join(context) for _, context in led)) or "none"
    raise UsageError(
        f"{layout.entity.__name__} has no keys for {', '.join(values) or 'an empty context'}; "
        f"its contexts are: {known}; the leading field is required"
    )


def _reencrypt_item(vault: "SecretVault", layout: Layout, table: str, item: Item) -> Procedure[bool]:
    stale = []
    for field, _ in _encrypted(layout):
        if field.stored in item and not (yield from _is_current(vault, layout, field, item)):
            stale.append(field)
    if not stale:
        return False
    try:
        fresh = yield from compute_with_keys(lambda: vault.encrypt(layout, vault.decrypt(layout, item)))
    except SecretShredded:
        return False
    names = {f"#{place}": field.stored for place, field in enumerate(stale)}
    new = {f":new{place}": fresh[field.stored] for place, field in enumerate(stale)}
    old = {f":old{place}": item[field.stored] for place, field in enumerate(stale)}
    request = {
        "TableName": table,
        "Key": {name: item[name] for name in layout.table.key},
        "UpdateExpression": "SET " + ", ".join(f"#{n} = :new{n}" for n in range(len(stale))),
        "ConditionExpression": " AND ".join(f"#{n} = :old{n}" for n in range(len(stale))),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": new | old,
    }
    try:
        yield from with_retries(Call("UpdateItem", request))
    except ConditionalCheckFailed:
        return False  # another write changed it meanwhile, and so encrypted it with the newest key
    return True


def _is_current(vault: "SecretVault", layout: Layout, field: FieldLayout, item: Item) -> Procedure[bool]:
    return (yield from compute_with_keys(lambda: vault.is_current(layout, field, item)))


def _encrypted(layout: Layout) -> list[tuple[FieldLayout, Encrypted]]:
    return layout.marked(Encrypted)


def _is_of(layout: Layout, types: set[str | None], item: Item) -> bool:
    if layout.type_name is None:
        return any(field.stored in item for field, _ in _encrypted(layout))
    return item.get(layout.table.discriminator, {}).get("S") in types


def _item(layout: Layout, values: Mapping[str, Any]) -> Item:
    unknown = set(values) - set(layout.fields)
    if unknown:
        raise UsageError(f"{layout.entity.__name__} has no field {', '.join(sorted(unknown))}")
    return {layout.fields[name].stored: to_attribute(value) for name, value in values.items()}


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
