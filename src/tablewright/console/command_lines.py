"""Command lines that the page shows, for the open design and its store, so that they run as they are printed."""

import shlex
from typing import Any

from tablewright.console.open_designs import OpenDesign

MEMORY = "memory"
EXAMPLE_FILE = "app.db"
"""The data file in commands that start with new data."""
IN_MEMORY = (
    "The data is in the memory of this console, where no command reaches it. Start the console with --on FILE to use "
    "the command line too."
)
FILE_IN_USE = "Stop this console first: a data file is used by one process at a time."
NEEDS_KEYS = "Add --keys with the master keys, since the design has encrypted fields."


def command_line(opened: OpenDesign, command: str, *options: str) -> str:
    """Return a command for an open design, with its location, environment and prefix.

    `command` may have several words: `generate samples`.
    """
    return _command(opened, command, opened.location, *options)


def command_note(opened: OpenDesign) -> str | None:
    """Return what to know before a command is run on the open store, or None; for data in memory none can be run."""
    if opened.location == MEMORY:
        return IN_MEMORY
    return None if opened.location.startswith(("http://", "https://", "aws:")) else FILE_IN_USE


def keys_note(opened: OpenDesign) -> str | None:
    """Return that a command needs the master keys, or None; `backup` and `plan` need none."""
    has_secrets = any(entity.layout.secrets for entity in opened.design.entities)
    return NEEDS_KEYS if has_secrets and opened.location != MEMORY else None


def common_commands(opened: OpenDesign) -> dict[str, Any]:
    """Return the commands that several views show.

    `check` needs no data. `file` and `serve` start with new data in a file. The others use the open store; `note` and
    `keys_note` say what to know before they are run, and `reachable` whether they can be run.
    """
    first = next(iter(opened.tables), "NAME")
    return {
        "check": shlex.join(["tablewright", "check", opened.source]),
        "deploy": command_line(opened, "deploy"),
        "fsck": command_line(opened, "fsck"),
        "samples": command_line(opened, "generate samples"),
        "rejects": command_line(opened, "migrate", "--rejects", "--json"),
        "backup": shlex.join(["tablewright", "backup", "--on", opened.location, "--table", first]),
        "file": _with_new_file(opened, _command(opened, "console", EXAMPLE_FILE, "--write")),
        "serve": _with_new_file(opened, _served(opened)),
        "note": command_note(opened),
        "keys_note": keys_note(opened),
        "reachable": opened.location != MEMORY,
    }


def _served(opened: OpenDesign) -> str:
    """The command that serves a data file with its console; `serve` knows no prefix of table names."""
    context = opened.db.context
    if context.prefix:
        return _command(opened, "console", EXAMPLE_FILE)
    name = f"{opened.source}@{context.environment}" if context.environment else opened.source
    return shlex.join(["tablewright", "serve", "--on", EXAMPLE_FILE, "--console", name])


def _with_new_file(opened: OpenDesign, command: str) -> str:
    return f"{_command(opened, 'deploy', EXAMPLE_FILE)}\n{command}"


def _command(opened: OpenDesign, command: str, location: str, *options: str) -> str:
    context = opened.db.context
    words = ["tablewright", *command.split(), opened.source, "--on", location]
    words += ["--env", context.environment] if context.environment else []
    words += ["--prefix", context.prefix] if context.prefix else []
    return shlex.join([*words, *options])
