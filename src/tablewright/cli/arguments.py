"""Places: the options by which a command is told of a design and of the store that it lives on."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from tablewright.errors import ResourceNotFound, UsageError

if TYPE_CHECKING:
    from tablewright.access.encryption.keyrings import Keyring
    from tablewright.access.repository import Repository
    from tablewright.design.designs import Design


def design_argument(parser: argparse.ArgumentParser) -> None:
    """The design, by its name."""
    parser.add_argument("design", metavar="MODULE:DESIGN", help="the design, named as Python imports it")


def store_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, and what its tables are called there."""
    parser.add_argument(
        "--on",
        metavar="PLACE",
        default="tablewright.db",
        help="a file, http://..., or aws:region (tablewright.db, here)",
    )
    parser.add_argument("--env", metavar="ENV", help="what {env} in table names stands for")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="what all table names begin with")


def keys_argument(parser: argparse.ArgumentParser) -> None:
    """The keys behind secret fields."""
    parser.add_argument(
        "--keys",
        metavar="FILE",
        help="the master keys behind secret fields: a key file, or the ARN of a KMS key",
    )


def load_design(name: str) -> "Design":
    """The design of that name; modules of this folder are found too."""
    from tablewright.design.designs import Design

    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return Design.load(name)


def open_design(options: argparse.Namespace) -> "Repository":
    """The design on its store; no table is made."""
    from tablewright.access.connect import connect

    if options.on == ":memory:":
        raise UsageError("what is in memory is gone when a command ends; give a file with --on")
    return connect(
        load_design(options.design),
        options.on,
        environment=options.env,
        prefix=options.prefix,
        create=False,
        secrets=_keyring(getattr(options, "keys", None)),
    )


def open_deployed(options: argparse.Namespace) -> "Repository":
    """The design on a store that has its tables; refused where there are none."""
    if not options.on.startswith(("http://", "https://", "aws:", ":memory:")) and not os.path.exists(
        options.on
    ):
        raise UsageError(
            f"there is no file {options.on}; name another with --on, or deploy {options.design} to it first"
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
                f"there is no table {name} on {options.on}; deploy {options.design} first, "
                "or name another place with --on, --env or --prefix"
            ) from None


def _keyring(keys: str | None) -> "Keyring | None":
    if keys is None:
        return None
    from tablewright.access.encryption.keyrings import KeyFile, KmsKey

    return KmsKey(keys) if keys.startswith("arn:") else KeyFile(keys)
