"""Options that several commands share, and the types of their values.

`--on LOCATION` says where the data is, in every command: a file, `http://HOST:PORT`, `aws:REGION`, or `memory`. A file
with the name `memory` is written `./memory`. `--data FILE` and `--memory` are older names for two of these.
"""

import argparse
import os
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Literal, TypeAlias

from tablewright.errors import UsageError

LocationKind: TypeAlias = Literal["file", "endpoint", "aws", "memory"]
LASTING: tuple[LocationKind, ...] = ("file", "endpoint", "aws")
"""Locations whose data outlives the command."""
DEFAULT_FILE = "tablewright.db"
MEMORY = "memory"
MAX_WORKERS = 64
_SPELLED: dict[LocationKind, str] = {
    "file": "FILE",
    "endpoint": "http://HOST:PORT",
    "aws": "aws:REGION",
    "memory": MEMORY,
}


def design_argument(parser: argparse.ArgumentParser) -> None:
    """Add the design, by its import name."""
    parser.add_argument("design", metavar="MODULE:DESIGN", help="import name of the design")


def location_argument(
    parser: argparse.ArgumentParser,
    accepted: tuple[LocationKind, ...] = LASTING,
    *,
    default: str | None = DEFAULT_FILE,
    aliases: Collection[str] = (),
    summary: str | None = None,
) -> None:
    """Add `--on LOCATION`; a location of a kind that is not accepted is an error that names those that are."""
    group = parser.add_mutually_exclusive_group()
    summary = summary or f"data location: {_spelled(accepted)} (default: %(default)s)"
    location = location_type(parser.prog.removeprefix("tablewright "), accepted)
    group.add_argument("--on", metavar="LOCATION", type=location, default=default, help=summary)
    if "--data" in aliases:
        group.add_argument(
            "--data",
            metavar="FILE",
            dest="on",
            type=location,
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


def _spelled(accepted: tuple[LocationKind, ...]) -> str:
    *others, last = (_SPELLED[kind] for kind in accepted)
    return f"{', '.join(others)} or {last}" if others else last


def location_kind(location: str) -> LocationKind:
    """Return the kind of a location.

    >>> [location_kind(text) for text in ("app.db", "http://127.0.0.1:8000", "aws:eu-north-1", "memory")]
    ['file', 'endpoint', 'aws', 'memory']
    """
    if location == MEMORY:
        return "memory"
    if location.startswith("aws:"):
        return "aws"
    return "endpoint" if "://" in location else "file"


def location_type(
    command: str, accepted: tuple[LocationKind, ...], option: str = "--on"
) -> Callable[[str], str]:
    """Return the parser of a location; one of a kind that is not accepted is an error that names those that are."""

    def parse(text: str) -> str:
        location = MEMORY if text == ":memory:" else text
        kind = location_kind(location)
        if not location or (kind == "endpoint" and not _is_address(location)):
            raise UsageError(f"{location!r} is not a valid location; give {_SPELLED[kind]} with {option}")
        if kind in accepted:
            return location
        reason = ": data in memory is lost when the command ends" if kind == "memory" else ""
        raise UsageError(f"{command} cannot use {location}{reason}; give {_spelled(accepted)} with {option}")

    return parse


def _is_address(location: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(location)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
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
    """Add the directory that replaces S3."""
    parser.add_argument(
        "--buckets",
        metavar="DIR",
        help="directory of local S3 buckets, one folder each (default: FILE.buckets, next to the data file)",
    )


def workers_argument(parser: argparse.ArgumentParser, default: int, shown: str) -> None:
    """Add the number of processes that serve clients; `shown` is the default in the help."""
    parser.add_argument(
        "--workers",
        type=worker_count,
        default=default,
        metavar="N",
        help=f"processes that serve clients of a data file, or auto: one less than processors (default: {shown})",
    )


def workload_argument(parser: argparse.ArgumentParser) -> None:
    """Add the workload file."""
    parser.add_argument(
        "--workload",
        metavar="FILE",
        help="JSON file with rates, sizes and counts (default: those that the design declares)",
    )


def json_argument(parser: argparse._ActionsContainer, what: str) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def rate_argument(parser: argparse._ActionsContainer) -> None:
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


def positive_number(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number of at least 1, got {text!r}")
    return int(text)


def worker_count(text: str) -> int:
    """Parse a number of workers; `auto` is one less than processors, and 1 on Windows.

    >>> worker_count("4")
    4
    """
    if text == "auto":
        return 1 if os.name == "nt" else min(max((os.cpu_count() or 1) - 1, 1), MAX_WORKERS)
    if not text.isdecimal() or not 1 <= int(text) <= MAX_WORKERS:
        raise argparse.ArgumentTypeError(f"must be auto or a number from 1 to {MAX_WORKERS}, got {text!r}")
    return int(text)


def port_number(text: str) -> int:
    """Parse a port."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535, got {text!r}")
    return int(text)


def network(text: str) -> str:
    """Parse an IP address, or a network such as `10.0.0.0/8`."""
    try:
        ip_network(text.strip(), strict=False)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be an IP address or a network such as 10.0.0.0/8, got {text!r}"
        ) from None
    return text.strip()


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
