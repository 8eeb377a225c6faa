"""Connecting a design: to this process, a file, an endpoint or AWS.

connect(design)                                             in memory
connect(design, "app.db")                                   in a file
connect(design, "http://localhost:8000")                    at any DynamoDB endpoint
connect(design, "aws:eu-north-1", environment="main")       on AWS
"""

import os
import time
from typing import TYPE_CHECKING, Any

from tablewright.access.calls.procedures import run_sync
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.items.vault import NoVault, Vault
from tablewright.access.repository import Repository
from tablewright.connections import Connection, Embedded, embedded
from tablewright.design.designs import Design
from tablewright.errors import DesignError, UsageError

if TYPE_CHECKING:
    from tablewright.access.encryption.keyrings import Keyring
    from tablewright.engine.faults.injector import Faults
    from tablewright.engine.state.clock import Clock

Place = str | os.PathLike[str] | Connection | None


def connect(
    design: Design,
    where: Place = None,
    *,
    environment: str | None = None,
    clock: "Clock | None" = None,
    faults: "Faults | None" = None,
    secrets: "Keyring | None" = None,
    create: bool | None = None,
    prefix: str = "",
    **settings: Any,
) -> Repository:
    """A repository: the design, on the store at `where`.

    - `where`: nothing is memory, a path is a file, `http://...` is any DynamoDB endpoint, `aws:eu-north-1` is AWS
      (`aws:` alone is the region that your AWS settings have). A `Connection` is taken as it is.
    - `environment` fills in table names such as `app-{env}-users`.
    - `clock` and `faults` are the embedded engine's, for tests; the clock also tells what has expired.
    - `secrets` are the master keys behind `Encrypted` and `Hashed` fields: a `KeyFile` or a `KmsKey`. A database in
      memory has its own, which is gone with it.
    - `create` makes missing tables. In memory and in a file that is done anyway; elsewhere only when you say so.
    - `prefix` is what all table names shall begin with: several copies of a design can share an account.
    - `settings` are for an embedded database (`durability=...`) or for boto3 (`aws_access_key_id=...`, `config=...`,
      or a whole `session=...`).
    """
    if design.complaints:
        raise DesignError(f"{design.name} can be checked, but not run: {design.complaints[0]}")
    connection = open_place(where, clock, faults, settings)
    try:
        told = getattr(connection, "clock", None) or clock
        now = told.now if told else time.time
        vault = _vault(design, secrets, environment, prefix, in_memory=where is None)
        context = Context(now, environment, vault, frozenset(design.tables), prefix)
        repository = Repository(design, connection, context)
        if isinstance(connection, Embedded) if create is None else create:
            run_sync(create_missing(design.tables, context), connection.call)
    except BaseException:
        if connection is not where:
            connection.close()
        raise
    return repository


def _vault(
    design: Design, keyring: "Keyring | None", environment: str | None, prefix: str, *, in_memory: bool
) -> Vault:
    if design.key_table is None or (keyring is None and not in_memory):
        return NoVault(is_in_design=design.key_table is not None)
    # Who has no secrets does not pay for loading a cryptographic library.
    from tablewright.access.encryption.keyrings import MemoryKeys
    from tablewright.access.encryption.secret_vault import SecretVault

    return SecretVault(keyring or MemoryKeys(), prefix + design.key_table.physical_name(environment))


def open_place(
    where: Place,
    clock: "Clock | None" = None,
    faults: "Faults | None" = None,
    settings: dict[str, Any] | None = None,
) -> Connection:
    """The connection to a place, as `connect` takes one, without a design."""
    settings = settings or {}
    if where is None or isinstance(where, os.PathLike) or (isinstance(where, str) and not is_remote(where)):
        return embedded(where, clock=clock, faults=faults, **settings)
    if faults is not None:
        raise UsageError("faults are the embedded engine's; connect to memory or a file")
    if not isinstance(where, str):
        if settings:
            raise UsageError(f"a connection is taken as it is; make it with {', '.join(settings)} itself")
        return where
    from tablewright.connections.remote import Remote

    scheme, _, rest = where.partition(":")
    if scheme == "aws":
        return Remote(rest or None, clock=clock, **settings)
    return Remote(settings.pop("region", None), where, clock=clock, **settings)


def is_remote(where: str) -> bool:
    """Whether a place is reached over the network."""
    return where.startswith(("http://", "https://", "aws:"))
