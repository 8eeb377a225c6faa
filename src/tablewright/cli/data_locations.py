"""Open the store that `--on` names, with or without a design."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import DEFAULT_FILE, location_kind
from tablewright.errors import ResourceNotFound, TablewrightError, UsageError

if TYPE_CHECKING:
    from tablewright.access.encryption.keyrings import Keyring
    from tablewright.access.repository import Repository
    from tablewright.connections import Connection
    from tablewright.design.designs import Design


def load_design(name: str) -> "Design":
    """Import a design; modules in the current directory are found too."""
    from tablewright.design.designs import Design, source_line

    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return Design.load(name)
    except TablewrightError:
        raise
    except Exception as error:
        # The module is the user's: its exceptions are not bugs of Tablewright.
        reason = str(error).partition("\n")[0]
        place = source_line(error) if not isinstance(error, SyntaxError) else None  # its text has the place
        what = f"{type(error).__name__}: {reason}{f' ({place})' if place else ''}"
        raise UsageError(
            f"cannot import {name.partition(':')[0]}: {what}; --debug prints the traceback"
        ) from error


def load_named_design(options: argparse.Namespace) -> "Design":
    """Import a design whose tables have names: a missing environment is an error before a store is opened."""
    design = load_design(options.design)
    for table in design.tables:
        table.physical_name(options.env)
    return design


def open_design(options: argparse.Namespace) -> "Repository":
    """Connect a design to its store; no table is created."""
    from tablewright.access.connect import connect

    return connect(
        load_named_design(options),
        options.on,
        environment=options.env,
        prefix=options.prefix,
        create=False,
        secrets=keyring(getattr(options, "keys", None)),
    )


def open_for_comparison(options: argparse.Namespace) -> "Repository":
    """Connect a design to its store to read it; a data file that does not exist is not created.

    A missing file has no tables, as an empty store in memory.
    """
    if location_kind(options.on) == "file" and not _exists(options.on):
        options = argparse.Namespace(**{**vars(options), "on": None})
    return open_design(options)


def open_deployed(options: argparse.Namespace) -> "Repository":
    """Connect a design to a store that has its tables; it is an error if one is missing."""
    if location_kind(options.on) == "file" and not _exists(options.on):
        load_named_design(options)  # the command below would fail without an environment
        raise UsageError(
            f"Data file {options.on} does not exist. Create it with: {_deploy_command(options)}, "
            "or give another location with --on"
        )
    db = open_design(options)
    try:
        _require_tables(db, options)
    except BaseException:
        db.close()
        raise
    return db


def _require_tables(db: "Repository", options: argparse.Namespace) -> None:
    for table in db.design.tables:
        name = db.context.table_name(table)
        try:
            db.connection.call("DescribeTable", {"TableName": name})
        except ResourceNotFound:
            raise UsageError(
                f"Table {name!r} does not exist at {options.on}. Create it with: {_deploy_command(options)}, "
                "or give another location with --on, --env or --prefix"
            ) from None


def _deploy_command(options: argparse.Namespace) -> str:
    options_by_name = {"--on": options.on, "--env": options.env, "--prefix": options.prefix}
    shown = "".join(
        f" {name} {value}"
        for name, value in options_by_name.items()
        if value and (name, value) != ("--on", DEFAULT_FILE)
    )
    return f"tablewright deploy {options.design}{shown}"


def keyring(keys: str | None) -> "Keyring | None":
    """Return the master keys that `--keys` names: a key file, or the ARN of a KMS key."""
    if keys is None:
        return None
    from tablewright.access.encryption.keyrings import KeyFile, KmsKey

    return KmsKey(keys) if keys.startswith("arn:") else KeyFile(keys)


def require_data_file(location: str, option: str) -> None:
    """Raise `UsageError` for a data file that does not exist, as opening it would create an empty one."""
    if location_kind(location) == "file" and not _exists(location):
        raise UsageError(f"data file {location} does not exist; give another location with {option}")


def open_tables(location: str, buckets: str | None = None) -> "Connection":
    """Connect to an existing store; a missing file is an error, as opening it would create an empty one."""
    if location_kind(location) != "file":
        if buckets:
            raise UsageError(f"--buckets is for data files; {location} has its own buckets")
        from tablewright.access.connect import open_location

        return open_location(location)
    require_data_file(location, "--on")
    # `open_location` would do, but its module imports Pydantic, which takes longer than the command.
    from tablewright.connections import embedded

    return embedded(location, buckets=buckets)


def _exists(file: str) -> bool:
    return os.path.exists(os.path.expanduser(file))


def list_all(
    connection: "Connection", operation: str, member: str, request: dict[str, Any], start: tuple[str, str]
) -> list[Any]:
    """Return all pages of a list; `start` names the reply's last key, and the request's member that takes it."""
    entries: list[Any] = []
    while True:
        reply = connection.call(operation, request)
        entries += reply[member]
        if not reply.get(start[0]):
            return entries
        request = {**request, start[1]: reply[start[0]]}


def table_names(connection: "Connection") -> list[str]:
    """Return the names of all tables."""
    start = ("LastEvaluatedTableName", "ExclusiveStartTableName")
    return list_all(connection, "ListTables", "TableNames", {}, start)


def list_backups(connection: "Connection") -> list[dict[str, Any]]:
    """Return all backups, also those made by the system."""
    start = ("LastEvaluatedBackupArn", "ExclusiveStartBackupArn")
    return list_all(connection, "ListBackups", "BackupSummaries", {"BackupType": "ALL"}, start)
