"""Start the five systems: a DynamoDB endpoint, their APIs and background jobs, and a start page with links.

All systems use one data file. The first run adds sample data; later runs keep the data.
"""

import argparse
import errno
import os
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright import Console, embedded, errors
from tablewright_systems.commands.arguments import FILE, find_systems, location_argument, network, port_number
from tablewright_systems.commands.terminal import StopSignals, log_to_stderr, print_line, progress, styled

if TYPE_CHECKING:
    from socket import socket

    from tablewright import Connection
    from tablewright_systems.hosting import HostedSystems

NAME = "up"
SUMMARY = "start the five systems on one data file, with sample data"
HOST = "127.0.0.1"
DEFAULT_WORKERS, MAX_WORKERS = 4, 64
TRUSTED_PROXIES = "TABLEWRIGHT_TRUSTED_PROXIES"
EPILOG = """\
examples:
  tablewright-systems up                        use tablewright.db in this directory
  tablewright-systems up --samples 1000         add more sample data, on the first run
  tablewright-systems token boards              create a token for an API, for a sample user
  tablewright migrate tablewright_systems.boards.design:design --on http://127.0.0.1:8000
                                        adopt rows that another program wrote into the tables
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `up`."""
    location_argument(parser, FILE, alias=True)
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
    parser.add_argument(
        "--workers",
        type=worker_count,
        default=min(worker_count("auto"), DEFAULT_WORKERS),
        metavar="N",
        help="processes that serve clients of a data file, or auto: one less than processors "
        f"(default: auto, at most {DEFAULT_WORKERS})",
    )
    parser.add_argument(
        "--console-write", action="store_true", help="let the console change data (default: read-only)"
    )
    parser.add_argument(
        "--console-reveal",
        action="store_true",
        help="send decrypted secret fields to the browser, and log each one (default: they are hidden)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log each request, without its content")


def worker_count(text: str) -> int:
    """Parse a number of workers; `auto` is one less than processors, and 1 on Windows."""
    if text == "auto":
        return 1 if os.name == "nt" else min(max((os.cpu_count() or 1) - 1, 1), MAX_WORKERS)
    if not text.isdecimal() or not 1 <= int(text) <= MAX_WORKERS:
        raise argparse.ArgumentTypeError(f"must be auto or a number from 1 to {MAX_WORKERS}, got {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    if options.workers > 1 and os.name == "nt":
        raise errors.UsageError("--workers is not available on Windows")
    from tablewright_systems.hosting import listen

    log_to_stderr(verbose=options.verbose)
    data = Path(options.on).expanduser().resolve()
    with ExitStack() as opened:
        try:
            listener = opened.enter_context(listen(HOST, options.web_port))
        except OSError as error:
            raise _port_error(error, options.web_port, "--web-port") from None
        db = opened.enter_context(embedded(data))
        try:  # before the sample data is added: it takes seconds
            endpoint = opened.enter_context(db.serve(options.port, workers=options.workers)).url
        except OSError as error:
            raise _port_error(error, options.port, "--port") from None
        _serve(options, data, db, endpoint, listener)
    return 0


def _serve(
    options: argparse.Namespace, data: Path, connection: "Connection", endpoint: str, listener: "socket"
) -> None:
    from tablewright_systems.hosting import HostedSystems, issuer_for, keys_for, serving

    systems = HostedSystems(connection, keys_for(data))
    if options.samples:
        with progress(len(systems.repositories), "systems with sample data") as advance:
            systems.fill(options.samples, advance)
    console = _console(systems, endpoint, data, options)
    # Every program on this machine can read the start page: with secrets, only the terminal has a token.
    application = systems.application(
        issuer_for(data).for_audience,
        endpoint,
        options.cors_origin,
        data,
        console,
        shows_token=not options.console_reveal,
    )
    signals = StopSignals()
    with (
        serving(application, listener, _trusted_proxies(options.trusted_proxy)),
        closing(console),
        systems.running_jobs(),  # after the APIs, which have the fakes of platforms
    ):
        _announce(endpoint, f"http://{HOST}:{listener.getsockname()[1]}", options.on, console.issue_token())
        signals.wait()


def _console(systems: "HostedSystems", endpoint: str, data: Path, options: argparse.Namespace) -> Console:
    """Build the console of the systems. Its commands use the endpoint, as the data file is in use."""
    console = Console(data.with_name(f"{data.name}.console.key"))
    for system in systems.systems:
        console.add(
            systems.repositories[system.name],
            f"tablewright_systems.{system.name}.design:design",
            endpoint,
            title=system.title,
            writable=options.console_write,
            reveal=options.console_reveal,
            write_option="--console-write",
            reveal_option="--console-reveal",
        )
    return console


def _port_error(error: OSError, port: int, option: str) -> errors.UsageError:
    """Explain why a port cannot be opened, and what to do."""
    match error.errno:
        case errno.EADDRINUSE:
            reason = f"port {port} is in use; stop the program that uses it, or select a free port"
        case errno.EACCES:
            reason = f"port {port} needs root privileges; use a port above 1023, or select one"
        case _:
            return errors.UsageError(f"cannot listen on {HOST} port {port}: {error.strerror or error}")
    return errors.UsageError(f"{reason} with {option} 0")


def _origin(text: str) -> str:
    from tablewright_systems.web.cors import cors

    try:
        cors([text])
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _trusted_proxies(addresses: list[str] | None) -> list[str]:
    if addresses is not None:
        return addresses
    try:
        return [network(part) for part in os.environ.get(TRUSTED_PROXIES, "").split(",") if part.strip()]
    except argparse.ArgumentTypeError as error:
        raise errors.UsageError(f"{TRUSTED_PROXIES}: each part {error}") from None


def _announce(endpoint: str, pages: str, data: str, token: str) -> None:
    systems = find_systems([])
    print_line(f"Tablewright listening on {styled(endpoint, 'bold')}")
    print_line(f"\nStart page   {styled(pages, 'bold')}/")
    print_line(f"Console      {pages}/console/?token={token}")
    for system in systems:
        print_line(f"{system.title:<12} {pages}/{system.name}/docs")
    command = f"{_program()} token {systems[0].name} --on {data}"
    print_line(f"\nTo create a token for the APIs, run in another terminal:\n\n{command}")
    print_line("\nPress Ctrl-C to stop. The data is kept.")


def _program() -> str:
    """Return the name of the command, as it runs in another terminal."""
    script = Path(sys.executable).with_name("tablewright-systems")
    return str(script) if script.exists() else f"{sys.executable} -m tablewright_systems"
