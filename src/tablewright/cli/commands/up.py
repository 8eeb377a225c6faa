"""Start everything: the DynamoDB endpoint, the five systems with their APIs, and a page that leads to each.

All of it works on one data file, with sample data in it from the first run on. A second run keeps what is there.
"""

import argparse
import sys
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from tablewright.cli.commands.serve import explain, port_number
from tablewright.cli.output import Progress, bold, say
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright_systems.hosting import HostedSystems

NAME = "up"
SUMMARY = "start the five systems, on one file with sample data"
HOST = "127.0.0.1"
EPILOG = """\
examples:
  tablewright up                        on tablewright.db, here
  tablewright up --samples 1000         with more to look at, on the first run
  tablewright token boards              a token for an API, in the name of a sample user
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `up` understands."""
    parser.add_argument(
        "--data", metavar="FILE", default="tablewright.db", help="the file (tablewright.db, here)"
    )
    parser.add_argument(
        "--port", type=port_number, default=8000, help="the port of the DynamoDB endpoint (8000)"
    )
    parser.add_argument(
        "--web-port", type=port_number, default=8080, help="the port of pages and APIs (8080)"
    )
    parser.add_argument(
        "--samples", metavar="N", type=int, default=20, help="how much sample data (20; 0 is none)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")


def run(options: argparse.Namespace) -> int:
    """Serve until told to stop."""
    require_systems()
    from tablewright.cli.web_server import listen
    from tablewright.engine.database import Database
    from tablewright.server import quiet_log
    from tablewright.storage import open_store

    quiet_log(verbose=options.verbose)
    data = Path(options.data).expanduser().resolve()
    try:
        listener = listen(HOST, options.web_port)
    except OSError as error:
        raise UsageError(explain(error, HOST, options.web_port, "--web-port")) from None
    with listener:
        database = Database(open_store(data))
        try:
            _serve(options, data, database, listener)
        except OSError as error:
            raise UsageError(explain(error, HOST, options.port)) from None
        finally:
            database.close()
    return 0


def require_systems() -> None:
    """Say what to install where the systems cannot run."""
    try:
        import fastapi  # noqa: F401
        import jwt  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: pip install 'tablewright[systems]'") from None


def _serve(options: argparse.Namespace, data: Path, database: "Database", listener: socket) -> None:
    from tablewright.cli.web_server import Web
    from tablewright.connections import Embedded
    from tablewright.server import Guests, Service, serve
    from tablewright_systems.hosting import HostedSystems, issuer_for, keys_for

    household = HostedSystems(Embedded(database), keys_for(data))
    _fill(household, options.samples)
    pages: list[Web] = []

    def begin(bound: int) -> None:
        endpoint = f"http://{HOST}:{bound}"
        pages.append(Web(household.application(issuer_for(data), endpoint), listener))
        _announce(endpoint, f"http://{HOST}:{listener.getsockname()[1]}", options.data)

    try:
        serve(database, Service(Guests([HOST])), HOST, options.port, begin)
    finally:
        for each in pages:
            each.stop()


def _fill(household: "HostedSystems", size: int) -> None:
    if size:
        with Progress(len(household.repositories), "systems have sample data") as progress:
            household.fill(size, progress.step)


def _announce(endpoint: str, pages: str, data: str) -> None:
    from tablewright_systems.registry import SYSTEMS

    say(f"Tablewright listening on {bold(endpoint)}")
    say(f"\nStart page   {bold(pages)}/")
    for system in SYSTEMS:
        say(f"{system.title:<12} {pages}/{system.name}/docs")
    first = SYSTEMS[0]
    say(f"\nA token for the APIs, in another terminal:\n\n{_command()} token {first.name} --data {data}")
    say("\nCtrl-C stops everything; the data stays.")


def _command() -> str:
    beside = Path(sys.executable).with_name("tablewright")
    return str(beside) if beside.exists() else "tablewright"
