"""Options that several commands share, and the types of their values.

`--on PLACE` names the place of the data in every command: a file, `http://HOST:PORT`, `aws:REGION`, or `memory`. A file
that is called `memory` is written `./memory`. `--data FILE` and `--memory` are older names for two of these places.
"""

import argparse
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from tablewright.errors import UsageError

PlaceKind: TypeAlias = Literal["file", "endpoint", "aws", "memory"]
LASTING: tuple[PlaceKind, ...] = ("file", "endpoint", "aws")
"""Places whose data outlives the command."""
DEFAULT_FILE = "tablewright.db"
MEMORY = "memory"
_PLACE_HELP = "data location: FILE, http://HOST:PORT, aws:REGION or memory (default: %(default)s)"
_SPELLED: dict[PlaceKind, str] = {
    "file": "FILE",
    "endpoint": "http://HOST:PORT",
    "aws": "aws:REGION",
    "memory": MEMORY,
}


def design_argument(parser: argparse.ArgumentParser) -> None:
    """Add the design, by its import name."""
    parser.add_argument("design", metavar="MODULE:DESIGN", help="import name of the design")


def place_argument(
    parser: argparse.ArgumentParser,
    accepted: tuple[PlaceKind, ...] = LASTING,
    *,
    default: str = DEFAULT_FILE,
    aliases: Collection[str] = (),
) -> None:
    """Add `--on PLACE`; a place of a kind that is not accepted is an error that names those that are."""
    group = parser.add_mutually_exclusive_group()
    place = _place_type(parser.prog.removeprefix("tablewright "), accepted)
    group.add_argument("--on", metavar="PLACE", type=place, default=default, help=_PLACE_HELP)
    if "--data" in aliases:
        group.add_argument(
            "--data",
            metavar="FILE",
            dest="on",
            type=place,
            default=argparse.SUPPRESS,
            help="alias for --on FILE",
        )
    if "--memory" in aliases:
        group.add_argument(
            "--memory",
            dest="on",
            action="store_const",
            const=MEMORY,
            default=argparse.SUPPRESS,
            help="store data in memory only",
        )


def place_kind(place: str) -> PlaceKind:
    """Return the kind of a place.

    >>> place_kind("app.db"), place_kind("http://127.0.0.1:8000"), place_kind("aws:eu-north-1"), place_kind("memory")
    ('file', 'endpoint', 'aws', 'memory')
    """
    if place == MEMORY:
        return "memory"
    if place.startswith("aws:"):
        return "aws"
    return "endpoint" if place.startswith(("http://", "https://")) else "file"


def _place_type(command: str, accepted: tuple[PlaceKind, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        place = MEMORY if text == ":memory:" else text
        kind = place_kind(place)
        if not place or (kind == "endpoint" and not _is_address(place)):
            raise UsageError(f"{place!r} is not a valid place; give {_SPELLED[kind]} with --on")
        if kind in accepted:
            return place
        reason = ": data in memory is lost when the command ends" if kind == "memory" else ""
        *others, last = (_SPELLED[each] for each in accepted)
        fix = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(f"{command} cannot use {place}{reason}; give {fix} with --on")

    return parse


def _is_address(place: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(place)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def table_name_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what turns the table names of a design into those of a store."""
    parser.add_argument("--env", metavar="ENV", help="value of {env} in table names")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="prefix of all table names")


def keys_argument(parser: argparse.ArgumentParser) -> None:
    """Add the master keys of encrypted fields."""
    parser.add_argument(
        "--keys", metavar="FILE", help="master keys of encrypted fields: a key file, or the ARN of a KMS key"
    )


def buckets_argument(parser: argparse.ArgumentParser) -> None:
    """Add the directory that takes the place of S3."""
    parser.add_argument(
        "--buckets",
        metavar="DIR",
        help="directory of local S3 buckets, one folder each (default: FILE.buckets, next to the data file)",
    )


def workload_argument(parser: argparse.ArgumentParser) -> None:
    """Add the workload file."""
    parser.add_argument(
        "--workload",
        metavar="FILE",
        help="JSON file with rates, sizes and counts (default: those that the design declares)",
    )


def json_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def rate_argument(parser: argparse.ArgumentParser) -> None:
    """Add a limit on consumed capacity."""
    parser.add_argument(
        "--rate", metavar="UNITS", type=_rate, help="maximum capacity units per second (default: no limit)"
    )


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not rate > 0:
        raise argparse.ArgumentTypeError(f"must be a number of units per second, such as 50, got {text!r}")
    return rate


def port_number(text: str) -> int:
    """Parse a port."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535, got {text!r}")
    return int(text)


def timestamp(text: str) -> float:
    """Parse `2026-02-18T14:25:00` (UTC unless it has an offset) or seconds since 1970."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a time such as 2026-02-18T14:25:00, or seconds since 1970, got {text!r}"
        ) from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
