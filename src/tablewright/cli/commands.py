"""The commands and their arguments."""

import argparse
import sys
from collections.abc import Sequence

from tablewright.engine.database import Database
from tablewright.errors import StoreError
from tablewright.server.guests import Guests
from tablewright.server.listening import serve
from tablewright.server.service import Service
from tablewright.storage import open_store

try:
    from uvloop import run as run_loop
except ImportError:  # pragma: no cover - Windows
    from asyncio import run as run_loop


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, run the command."""
    options = _parser().parse_args(arguments)
    try:
        store = open_store(None if options.memory else options.data)
    except StoreError as error:
        print(f"tablewright: {error}", file=sys.stderr)
        return 2
    database = Database(store, region=options.region)

    def ready(port: int) -> None:
        print(f"Tablewright listening on http://{options.host}:{port}", flush=True)

    try:
        run_loop(serve(database, Service(Guests()), options.host, options.port, ready))
    except OSError as error:
        print(f"tablewright: {error.strerror}", file=sys.stderr)
        return 2
    finally:
        database.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tablewright")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("serve")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--port", type=int, default=8000)
    command.add_argument("--data", default="tablewright.db")
    command.add_argument("--memory", action="store_true")
    command.add_argument("--region", default="us-east-1")
    return parser
