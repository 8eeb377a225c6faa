"""Show a design and its data in a web browser.

The command prints an address with a token, which opens the console in one browser. The console listens on this machine
only. It is read-only unless --write is given, and hides secret fields unless --reveal is given. Ctrl-C or SIGTERM stops
it.
"""

import argparse
import signal
import time

from tablewright.cli.arguments import (
    design_argument,
    keys_argument,
    location_argument,
    location_kind,
    port_number,
    table_name_arguments,
)
from tablewright.cli.console_server import (
    HOST,
    access_arguments,
    may_write,
    require_console,
    session_key,
)
from tablewright.cli.data_locations import open_design, require_data_file
from tablewright.cli.listen_address import explain_bind_error
from tablewright.cli.output import bold, print_line
from tablewright.errors import UsageError

NAME = "console"
SUMMARY = "show a design and its data in a web browser"
EPILOG = """\
examples:
  tablewright console shop.design:design                          look at tablewright.db
  tablewright console shop.design:design --env dev                if table names contain {env}
  tablewright console shop.design:design --write                  change items, run repairs, restore backups
  tablewright console shop.design:design --on http://127.0.0.1:8000
  tablewright console shop.design:design --on aws:eu-north-1 --env main
"""
_SIGNAL_INTERVAL = 0.2
"""Seconds between two looks at the received signals."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `console`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument(
        "--port",
        type=port_number,
        default=8090,
        help="port of the console; 0 selects a free port (default: 8090)",
    )
    access_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    require_console()
    from tablewright.cli.web_server import Web, listen
    from tablewright.console.console import Console
    from tablewright.server import log_to_stderr

    log_to_stderr()
    writable = may_write(options)
    require_data_file(options.on, "--on")
    try:
        listener = listen(HOST, options.port)
    except OSError as error:
        raise UsageError(explain_bind_error(error, HOST, options.port)) from None
    with listener, open_design(options) as db:
        console = Console(session_key(options.on))
        console.add(
            db,
            options.design,
            options.on,
            writable=writable,
            reveal=options.console_reveal,
            write_option=f"--write {options.on}" if location_kind(options.on) == "aws" else "--write",
            reveal_option="--reveal",
        )
        web = Web(console, listener)
        try:
            address = f"http://{HOST}:{listener.getsockname()[1]}/?token={console.issue_token()}"
            print_line(f"Console of {db.design.name} on {options.on}\n\n{bold(address)}\n")
            print_line("The address opens one browser, within ten minutes. Press Ctrl-C to stop.")
            _wait_for_signal()
        finally:
            console.close()
            web.stop()
    return 0


def _wait_for_signal() -> None:
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    # Python runs the handler when this thread wakes up: one that waits for a lock may never do so.
    while not signals:
        time.sleep(_SIGNAL_INTERVAL)
