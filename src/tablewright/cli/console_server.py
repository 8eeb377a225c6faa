"""The console behind a port: what `console` and `serve` share."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.cli.arguments import location_kind, port_number
from tablewright.cli.data_locations import keyring, load_design
from tablewright.cli.listen_address import explain_bind_error
from tablewright.cli.output import bold, print_line
from tablewright.errors import DesignError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tablewright.console.console import Console
    from tablewright.design.designs import Design
    from tablewright.engine.database import Database

HOST = "127.0.0.1"
"""The address of the console: this machine only."""


def require_console() -> None:
    """Raise `UsageError` if the packages of the console are not installed."""
    from tablewright.console.console import require_package

    require_package("starlette")
    require_package("uvicorn")


def access_arguments(parser: "argparse._ActionsContainer", prefix: str = "") -> None:
    """Add the options that say what the console may do; `prefix` is for commands that do more than the console."""
    if prefix:
        parser.add_argument(
            f"--{prefix}write",
            action="store_true",
            help="let the console change data (default: read-only)",
        )
    else:
        parser.add_argument(
            "--write",
            dest="console_write",
            metavar="LOCATION",
            nargs="?",
            const="",
            help="let the console change data (default: read-only); for AWS, repeat the location: --write aws:REGION",
        )
    parser.add_argument(
        f"--{prefix}reveal",
        dest="console_reveal",
        action="store_true",
        help="send decrypted secret fields to the browser, and log each one (default: they are hidden)",
    )


def console_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `serve` for a console."""
    group = parser.add_argument_group("console")
    group.add_argument(
        "--console",
        metavar="MODULE:DESIGN",
        action="append",
        default=[],
        help="show this design and its data in a web browser; MODULE:DESIGN@ENV gives {env} in table names; may be "
        "repeated",
    )
    group.add_argument(
        "--console-port",
        type=port_number,
        default=8090,
        help="port of the console, on this machine only; 0 selects a free port (default: 8090)",
    )
    group.add_argument(
        "--console-keys", metavar="KEYS", help="master keys of secret fields: FILE, or the ARN of a KMS key"
    )
    access_arguments(group, "console-")


def may_write(options: argparse.Namespace) -> bool:
    """Return whether the console may write; on AWS, only if the location is repeated."""
    location: str | None = options.console_write
    if location is None:
        return False
    if location_kind(options.on) == "aws" and location != options.on:
        raise UsageError(
            f"{options.on} is AWS: to let the console write there, repeat the location: --write {options.on}"
        )
    if location not in ("", options.on):
        raise UsageError(f"--write {location} is not the location of the console, which is {options.on}")
    return True


def session_key(location: str) -> Path | None:
    """Return the file of the key that signs browser sessions: those of a data file last over restarts."""
    if location_kind(location) != "file":
        return None
    data = Path(location).expanduser().resolve()
    return data.with_name(f"{data.name}.console.key")


def open_console(database: "Database", options: argparse.Namespace, endpoint: str) -> "Console":
    """Connect the designs that `--console` names to the database of a server.

    A name is MODULE:DESIGN, or MODULE:DESIGN@ENV for a design whose table names contain an environment.
    """
    from tablewright.access.connect import connect
    from tablewright.connections import Embedded
    from tablewright.console.console import Console

    console, keys = Console(session_key(options.on)), keyring(options.console_keys)
    for name in options.console:
        source, _, environment = name.partition("@")
        db = connect(
            load_design(source),
            Embedded(database),
            environment=environment or None,
            secrets=keys,
            create=False,
        )
        console.add(
            db,
            source,
            endpoint,
            writable=options.console_write,
            reveal=options.console_reveal,
            write_option="--console-write",
            reveal_option="--console-reveal",
        )
    return console


def check_console(options: argparse.Namespace) -> None:
    """Raise the errors of `serve --console` before the server starts."""
    if options.console:
        require_console()
        for name in options.console:
            source, _, environment = name.partition("@")
            _check_environment(load_design(source), environment, name)
    elif options.console_write or options.console_reveal or options.console_keys:
        raise UsageError("--console-write, --console-reveal and --console-keys need --console MODULE:DESIGN")


def _check_environment(design: "Design", environment: str, name: str) -> None:
    """Raise the error of table names that need an environment, with the option that gives it."""
    for table in design.tables:
        try:
            table.physical_name(environment or None)
        except DesignError as error:
            if environment:
                raise
            raise UsageError(f"table {table.name} needs an environment: --console {name}@dev") from error


def start_console(database: "Database", options: argparse.Namespace, endpoint: str) -> "Callable[[], None]":
    """Serve the console of `serve --console` in a thread, and print its address; return the function that stops it."""
    require_console()
    from tablewright.cli.web_server import Web, listen

    console = open_console(database, options, endpoint)
    try:
        listener = listen(HOST, options.console_port)
    except OSError as error:
        raise UsageError(explain_bind_error(error, HOST, options.console_port, "--console-port")) from None
    web = Web(console, listener)
    print_line(
        f"Console: {bold(f'http://{HOST}:{listener.getsockname()[1]}/?token={console.issue_token()}')}"
    )

    def stop() -> None:
        console.close()
        web.stop()
        listener.close()

    return stop
