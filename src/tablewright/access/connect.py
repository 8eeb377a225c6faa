"""Connect a design to a database in memory, a file, an endpoint or AWS.

connect(design)                                             in memory
connect(design, "app.db")                                   in a file
connect(design, "http://localhost:8000")                    at any DynamoDB endpoint
connect(design, "aws:eu-north-1", environment="main")       on AWS

The access layer is imported when a design is connected, so that programs which only read a design do not load it.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from tablewright.connections import Connection, Embedded, embedded
from tablewright.design.argument_errors import suggestion
from tablewright.design.designs import Design
from tablewright.errors import DesignError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tablewright.access.cursors import CursorKey
    from tablewright.access.encryption.keyrings import Keyring
    from tablewright.access.items.vault import Vault
    from tablewright.access.repository import Repository
    from tablewright.connections.embedded import Durability, Faults
    from tablewright.dynamodb.clock import Clock

ConnectionT = TypeVar("ConnectionT", bound=Connection)
Location: TypeAlias = str | os.PathLike[str] | Connection | None


# The kind of connection is known for memory, a path and a connection; text may be a file or an endpoint.
@overload
def connect(
    design: Design,
    where: os.PathLike[str] | None = None,
    *,
    environment: str | None = None,
    clock: Clock | None = None,
    faults: Faults | None = None,
    secrets: Keyring | None = None,
    cursor_key: CursorKey = (),
    create: bool | None = None,
    prefix: str = "",
    durability: Durability = "full",
    region: str = "us-east-1",
    buckets: str | os.PathLike[str] | None = None,
) -> Repository[Embedded]: ...
@overload
def connect(
    design: Design,
    where: ConnectionT,
    *,
    environment: str | None = None,
    clock: Clock | None = None,
    secrets: Keyring | None = None,
    cursor_key: CursorKey = (),
    create: bool | None = None,
    prefix: str = "",
) -> Repository[ConnectionT]: ...
@overload
def connect(
    design: Design,
    where: str,
    *,
    environment: str | None = None,
    clock: Clock | None = None,
    faults: Faults | None = None,
    secrets: Keyring | None = None,
    cursor_key: CursorKey = (),
    create: bool | None = None,
    prefix: str = "",
    **settings: Any,
) -> Repository[Any]: ...
def connect(
    design: Design,
    where: Location = None,
    *,
    environment: str | None = None,
    clock: Clock | None = None,
    faults: Faults | None = None,
    secrets: Keyring | None = None,
    cursor_key: CursorKey = (),
    create: bool | None = None,
    prefix: str = "",
    **settings: Any,
) -> Repository[Any]:
    """Connect a design to the store at `where`.

    - `where`: None is memory, a path is a file, `http://...` is any DynamoDB endpoint, `aws:eu-north-1` is AWS
      (`aws:` alone uses the region of your AWS settings). A `Connection` is used as it is.
    - `environment` is the value of `{env}` in table names such as `app-{env}-users`.
    - `clock` and `faults` are for the embedded engine, for tests; the clock also decides which items have expired.
    - `secrets` are the master keys for `Encrypted` and `Hashed` fields: a `KeyFile` or a `KmsKey`. A database in
      memory creates its own, which are lost with it.
    - `cursor_key` signs the cursors of pages, so that clients cannot make their own: a secret of at least 16 bytes. Of
      a list of secrets the first one signs, and all are accepted, so that the secret can be changed.
    - `create` is whether to create missing tables. Default: True for an embedded database, False elsewhere.
    - `prefix` is a prefix for all table names, so that several copies of a design can share an account.
    - `settings` are those of an embedded database (`durability=...`) or of boto3 (`aws_access_key_id=...`,
      `config=...`, or a `session=...`).
    """
    from tablewright.access.context import Context
    from tablewright.access.create_tables import create_missing
    from tablewright.access.cursors import Cursors
    from tablewright.access.layout_records import layout_record
    from tablewright.access.procedures import run_sync
    from tablewright.access.repository import Repository

    if not isinstance(design, Design):
        from tablewright.design.fields.descriptions import describe_argument

        raise UsageError(
            f"connect takes a Design, not {describe_argument(design)}; load one by name: Design.load(...)"
        )
    if design.problems:
        raise DesignError(f"{design.name} can be checked, but not run: {design.problems[0]}")
    connection = open_location(where, clock, faults, settings)
    try:
        known_clock = getattr(connection, "clock", None) or clock
        now = known_clock.now if known_clock else time.time
        vault = _vault(design, secrets, environment, prefix, in_memory=where is None)
        context = Context(now, environment, vault, design, prefix, Cursors(cursor_key))
        repository = Repository(design, connection, context)
        if isinstance(connection, Embedded) if create is None else create:
            run_sync(create_missing(design.tables, context, design), connection.call)
            context.incomplete.read_record = lambda table: run_sync(
                layout_record(design, table, context.table_name(table)), connection.call
            )
    except BaseException:
        if connection is not where:
            connection.close()
        raise
    return repository


def _vault(
    design: Design, keyring: Keyring | None, environment: str | None, prefix: str, *, in_memory: bool
) -> Vault:
    from tablewright.access.items.vault import NoVault

    if design.key_table is None or (keyring is None and not in_memory):
        return NoVault(is_in_design=design.key_table is not None)
    # Imported here, so that a design without secrets does not load a cryptographic library.
    from tablewright.access.encryption.field_encryption import SecretVault
    from tablewright.access.encryption.keyrings import MemoryKeys

    return SecretVault(keyring or MemoryKeys(), prefix + design.key_table.physical_name(environment))


def open_location(
    where: Location,
    clock: Clock | None = None,
    faults: Faults | None = None,
    settings: dict[str, Any] | None = None,
) -> Connection:
    """Return the connection to a location, as `connect` takes it, without a design."""
    settings = settings or {}
    if isinstance(where, str):
        _check_location(where)
    if where is None or isinstance(where, os.PathLike) or (isinstance(where, str) and not is_remote(where)):
        _check_settings(settings, _EMBEDDED_SETTINGS)
        return embedded(where, clock=clock, faults=faults, **settings)
    if faults is not None:
        raise UsageError("faults work only with an embedded database; connect to memory or a file")
    _check_settings(settings)
    if not isinstance(where, str):
        if settings:
            raise UsageError(f"a connection is used as it is; pass {', '.join(settings)} when you create it")
        return where
    from tablewright.connections.remote import Remote

    scheme, _, rest = where.partition(":")
    if scheme == "aws":
        return Remote(rest or None, clock=clock, **settings)
    return Remote(settings.pop("region", None), where, clock=clock, **settings)


_EMBEDDED_SETTINGS = ("durability", "region", "buckets")
_ARGUMENTS = (
    "environment",
    "clock",
    "faults",
    "secrets",
    "cursor_key",
    "create",
    "prefix",
    *_EMBEDDED_SETTINGS,
)


def _check_settings(settings: Iterable[str], known: Collection[str] | None = None) -> None:
    """Reject names that no argument has; `known` is None for a remote store, whose settings are those of boto3."""
    for name in settings:
        if name == "env":
            raise TypeError("connect has no argument env; write environment=")
        if known is not None and name not in known:
            hint = suggestion(name, _ARGUMENTS, "for a database in memory or a file it has")
            raise TypeError(f"connect has no argument {name}; {hint}")


def _check_location(where: str) -> None:
    """Reject text that looks like a remote location and would name a file: `aws`, `localhost:8000`."""
    if where == "aws" or re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", where):
        region = "" if where == "aws" else where
        raise UsageError(
            f"{where!r} would be a file; for AWS write 'aws:{region or 'eu-north-1'}'; for a file './{where}'"
        )
    if re.fullmatch(r"[\w.-]+:\d+/?", where):
        raise UsageError(
            f"{where!r} would be a file; for an endpoint write 'http://{where}'; for a file './{where}'"
        )


def is_remote(where: str) -> bool:
    """Whether a location is reached over the network."""
    return where.startswith(("http://", "https://", "aws:"))
