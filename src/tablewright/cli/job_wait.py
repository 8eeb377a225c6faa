"""Waiting: for what goes on after its request was answered, at any place, and how a person sees that it does."""

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.cli.output import Progress
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

# Seconds between two questions: a local server is quick, AWS takes minutes.
SHORTEST, LONGEST = 0.05, 5.0


def place_argument(parser: argparse.ArgumentParser) -> None:
    """Where the tables are."""
    parser.add_argument(
        "--on",
        metavar="PLACE",
        default="tablewright.db",
        help="a file, http://..., or aws:region (tablewright.db, here)",
    )


def buckets_argument(parser: argparse.ArgumentParser) -> None:
    """Where the buckets of a data file are."""
    parser.add_argument(
        "--buckets",
        metavar="DIR",
        help="the directory with the buckets of a data file (FILE.buckets, beside it)",
    )


def open_tables(place: str, buckets: str | None = None) -> "Connection":
    """A connection to a place that is there; a file that is not would only be made, and empty."""
    from tablewright.access.connect import is_remote, open_place

    if is_remote(place):
        if buckets:
            raise UsageError(f"--buckets is for data files; what {place} has for buckets is its own")
        return open_place(place)
    if not Path(place).expanduser().exists():
        raise UsageError(f"{place} does not exist; name a data file, http://... or aws:region with --on")
    return open_place(place, settings={"buckets": buckets})


def wait_for(
    ask: Callable[[], dict[str, Any]],
    is_going_on: Callable[[dict[str, Any]], bool],
    progress: Progress,
    tell: Callable[[dict[str, Any]], str] = lambda answer: "",
) -> dict[str, Any]:
    """Ask until it is over; the last answer. Meanwhile the bar tells how long it takes."""
    start, pause = time.monotonic(), SHORTEST
    while True:
        answer = ask()
        if not is_going_on(answer):
            return answer
        progress.step(f"{tell(answer)} {time.monotonic() - start:.0f} s".lstrip(), count=0)
        time.sleep(pause)
        pause = min(pause * 1.5, LONGEST)


def moment(text: str) -> float:
    """A moment from the command line: 2026-02-18T14:25:00, or seconds since 1970; UTC unless it says otherwise."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a moment is written 2026-02-18T14:25:00, or in seconds since 1970, not {text!r}"
        ) from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def shown(time_: Any) -> str:
    """A moment of a reply: seconds from the embedded engine, a datetime from boto3."""
    read = time_ if isinstance(time_, datetime) else datetime.fromtimestamp(time_, UTC)
    return read.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def plain(reply: Any) -> Any:
    """A reply as JSON can carry it, with moments as text."""
    if isinstance(reply, dict):
        return {name: plain(member) for name, member in reply.items()}
    if isinstance(reply, list):
        return [plain(member) for member in reply]
    return reply.astimezone(UTC).isoformat() if isinstance(reply, datetime) else reply


def pages(
    connection: "Connection", operation: str, member: str, request: dict[str, Any], mark: tuple[str, str]
) -> list[Any]:
    """All entries of a listing; `mark` names the member that leads to the next page, and where it goes."""
    entries: list[Any] = []
    while True:
        reply = connection.call(operation, request)
        entries += reply[member]
        if not reply.get(mark[0]):
            return entries
        request = {**request, mark[1]: reply[mark[0]]}
