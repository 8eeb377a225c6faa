"""Places: the options by which a command is told of a design and of the store that it lives on."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from tablewright.errors import UsageError

if TYPE_CHECKING:
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


def load_design(name: str) -> "Design":
    """The design of that name; modules of this folder are found too."""
    from tablewright.design.designs import Design

    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return Design.load(name)


def open_design(options: argparse.Namespace) -> "Repository":
    """The design on its store; no table is made."""
    from tablewright.access.connecting import connect

    if options.on == ":memory:":
        raise UsageError("what is in memory is gone when a command ends; give a file with --on")
    return connect(
        load_design(options.design), options.on, environment=options.env, prefix=options.prefix, create=False
    )
