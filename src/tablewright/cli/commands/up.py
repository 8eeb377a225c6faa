"""Start the five systems: a DynamoDB endpoint, their APIs and background jobs, and a start page with links.

All systems use one data file. The first run adds sample data; later runs keep the data.
"""

import argparse
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tablewright.cli.arguments import location_argument, network, port_number, worker_count, workers_argument
from tablewright.cli.console_server import access_arguments, sessions_for
from tablewright.cli.listen_address import explain_bind_error
from tablewright.cli.output import bold, print_line
from tablewright.cli.progress import Progress
from tablewright.cli.systems import find_systems, require_systems
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from socket import socket

    from tablewright_systems.hosting import ConsoleMount, HostedSystems

    from tablewright.engine.database import Database

NAME = "up"
SUMMARY = "start the five systems on one data file, with sample data"
HOST = "127.0.0.1"
DEFAULT_WORKERS = 4
TRUSTED_PROXIES = "TABLEWRIGHT_TRUSTED_PROXIES"
EPILOG = """\
examples:
  tablewright up                        use tablewright.db in this directory
  tablewright up --samples 1000         add more sample data, on the first run
  tablewright token boards              create a token for an API, for a sample user
  tablewright migrate tablewright_systems.boards.design:design --on http://127.0.0.1:8000
                                        adopt rows that another program wrote into the tables
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `up`."""
    location_argument(parser, ("file",), aliases=("--data",))
    parser.add_argument(
        "--port",
        type=port_number,
        default=8000,
        help="port of the DynamoDB endpoint; 0 selects a free port (default: 8000)",
    )
    parser.add_argument(
        "--web-port",
        type=port_number,
        default=8080,
        help="port of the APIs and pages; 0 selects a free port (default: 8080)",
    )
    parser.add_argument(
        "--samples",
        metavar="N",
        type=int,
        default=20,
        help="amount of sample data; 0 adds none (default: 20)",
    )
    parser.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        action="append",
        type=network,
        help="address or network of a reverse proxy whose X-Forwarded-For header names the client; may be repeated "
        f"(default: none, or the addresses in {TRUSTED_PROXIES}, separated by commas)",
    )
    parser.add_argument(
        "--cors-origin",
        metavar="ORIGIN",
        action="append",
        type=_origin,
        default=[],
        help="origin whose web pages may call the APIs, such as http://localhost:3000; may be repeated (default: none)",
    )
    workers_argument(parser, min(worker_count("auto"), DEFAULT_WORKERS), f"auto, at most {DEFAULT_WORKERS}")
    access_arguments(parser, "console-")
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    require_systems()
    if options.workers > 1 and os.name == "nt":
        raise UsageError("--workers is not available on Windows")
    from pathlib import Path

    from tablewright.cli.web_server import listen
    from tablewright.engine.database import Database
    from tablewright.engine.storage import open_store
    from tablewright.server import log_to_stderr

    log_to_stderr(verbose=options.verbose)
    data = Path(options.on).expanduser().resolve()
    try:
        listener = listen(HOST, options.web_port)
    except OSError as error:
        raise UsageError(explain_bind_error(error, HOST, options.web_port, "--web-port")) from None
    with listener:
        database = Database(open_store(data))
        try:
            _serve(options, data, database, listener)
        except OSError as error:
            raise UsageError(explain_bind_error(error, HOST, options.port)) from None
        finally:
            database.close()
    return 0


def _serve(options: argparse.Namespace, data: "Path", database: "Database", listener: "socket") -> None:
    from tablewright_systems.hosting import HostedSystems, issuer_for, keys_for

    from tablewright.cli.web_server import Web, listen
    from tablewright.connections import Embedded
    from tablewright.server.listener import Served, serve_one
    from tablewright.server.service import ServiceSettings
    from tablewright.server.workers.process_links import ReaderSettings
    from tablewright.server.workers.supervisor import serve_with_workers

    listen(HOST, options.port).close()  # a port in use is an error before the sample data is added
    systems = HostedSystems(Embedded(database), keys_for(data))
    _fill(systems, options.samples)
    stops: list[Callable[[], None]] = []
    trusted_proxies = _trusted_proxies(options.trusted_proxy)

    def begin(bound: int) -> None:
        endpoint = f"http://{HOST}:{bound}"
        console, token = _console(systems, endpoint, data, options)
        issuers = issuer_for(data).for_audience
        application = systems.application(issuers, endpoint, options.cors_origin, data, console)
        stops.extend((console.close, Web(application, listener, trusted_proxies).stop))
        _announce(endpoint, f"http://{HOST}:{listener.getsockname()[1]}", options.on, token)
        background.enter_context(systems.running_jobs())  # the APIs exist, and their fakes of platforms

    with ExitStack() as background:
        try:
            settings = ServiceSettings(database.region, (HOST,))
            served = Served(database, settings.service(), HOST, options.port, begin)
            if options.workers == 1:
                serve_one(served)
            else:
                readers = ReaderSettings(data, settings, verbose=options.verbose)
                serve_with_workers(served, options.workers, readers)
        finally:
            for stop in stops:
                stop()


def _console(
    systems: "HostedSystems", endpoint: str, data: "Path", options: argparse.Namespace
) -> "tuple[ConsoleMount, str]":
    """Build the console of the systems; return it with the token for the terminal.

    Its commands use the endpoint, as the data file is in use.
    """
    from tablewright_systems.hosting import ConsoleMount

    from tablewright.console.application import build
    from tablewright.console.open_designs import OpenDesign

    opened = [
        OpenDesign(
            systems.repositories[system.name],
            system.title,
            endpoint,
            f"tablewright_systems.{system.name}.design:design",
            options.console_write,
            options.console_reveal,
            write_option="--console-write",
            reveal_option="--console-reveal",
        )
        for system in systems.systems
    ]
    sessions = sessions_for(str(data))
    console = build(opened, sessions)
    # Every program on this machine can read the start page: with secrets, only the terminal has a token.
    issue = (lambda: "") if options.console_reveal else sessions.issue
    return ConsoleMount(console, issue, console.close), sessions.issue()


def _origin(text: str) -> str:
    from tablewright_systems.web.cors import cors

    try:
        cors([text])
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _trusted_proxies(given: list[str] | None) -> list[str]:
    if given is not None:
        return given
    try:
        return [network(each) for each in os.environ.get(TRUSTED_PROXIES, "").split(",") if each.strip()]
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{TRUSTED_PROXIES}: each part {error}") from None


def _fill(systems: "HostedSystems", size: int) -> None:
    if size:
        with Progress(len(systems.repositories), "systems with sample data") as progress:
            systems.fill(size, progress.advance)


def _announce(endpoint: str, pages: str, data: str, token: str) -> None:
    systems = find_systems([])
    print_line(f"Tablewright listening on {bold(endpoint)}")
    print_line(f"\nStart page   {bold(pages)}/")
    print_line(f"Console      {pages}/console/?token={token}")
    for system in systems:
        print_line(f"{system.title:<12} {pages}/{system.name}/docs")
    command = f"{_command()} token {systems[0].name} --on {data}"
    print_line(f"\nTo create a token for the APIs, run in another terminal:\n\n{command}")
    print_line("\nPress Ctrl-C to stop. The data is kept.")


def _command() -> str:
    from pathlib import Path

    beside = Path(sys.executable).with_name("tablewright")
    return str(beside) if beside.exists() else "tablewright"
