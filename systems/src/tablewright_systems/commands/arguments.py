"""Options that several commands share, and the types of their values.

`--on LOCATION` says where the data is, as in the commands of Tablewright: a file, `http://HOST:PORT`, `aws:REGION`, or
`memory`. A file with the name `memory` is written `./memory`.
"""

import argparse
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from urllib.parse import urlsplit

from tablewright import errors
from tablewright_systems.registry import SYSTEMS, System

DEFAULT_FILE = "tablewright.db"
MEMORY = "memory"
FILE, ENDPOINT, AWS = "FILE", "http://HOST:PORT", "aws:REGION"
"""Kinds of locations, as messages write them; memory is the fourth."""


def location_argument(
    parser: argparse.ArgumentParser, *kinds: str, default: str = DEFAULT_FILE, alias: bool = False
) -> None:
    """Add `--on LOCATION` for these kinds of locations; with `alias`, also `--data FILE`."""
    group = parser.add_mutually_exclusive_group()
    location = location_type(parser.prog.rpartition(" ")[2], kinds)
    summary = f"data location: {_listed(kinds)} (default: %(default)s)"
    group.add_argument("--on", metavar="LOCATION", type=location, default=default, help=summary)
    if alias:
        group.add_argument(
            "--data",
            metavar="FILE",
            dest="on",
            type=location,
            default=argparse.SUPPRESS,
            help="alias for --on FILE",
        )


def location_kind(location: str) -> str:
    """Return the kind of a location.

    >>> [location_kind(text) for text in ("app.db", "http://127.0.0.1:8000", "aws:eu-north-1", "memory")]
    ['FILE', 'http://HOST:PORT', 'aws:REGION', 'memory']
    """
    if location == MEMORY:
        return MEMORY
    if location.startswith("aws:"):
        return AWS
    return ENDPOINT if "://" in location else FILE


def location_type(command: str, kinds: Sequence[str]) -> Callable[[str], str]:
    """Return the parser of a location; one of another kind is an error that names those that are accepted."""

    def parse(text: str) -> str:
        location = MEMORY if text == ":memory:" else text
        kind = location_kind(location)
        if not location or (kind == ENDPOINT and not _is_address(location)):
            raise errors.UsageError(f"{location!r} is not a valid location; give {kind} with --on")
        if kind in kinds:
            return location
        reason = ": data in memory is lost when the command ends" if kind == MEMORY else ""
        raise errors.UsageError(f"{command} cannot use {location}{reason}; give {_listed(kinds)} with --on")

    return parse


def _listed(kinds: Sequence[str]) -> str:
    *others, last = kinds
    return f"{', '.join(others)} or {last}" if others else last


def _is_address(location: str) -> bool:
    try:
        parts = urlsplit(location)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


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


def find_systems(names: Sequence[str]) -> list[System]:
    """Return the systems with these names; without names, all systems."""
    known = {system.name: system for system in SYSTEMS}
    for name in names:
        if name not in known:
            raise errors.UsageError(f"unknown system {name!r}; the systems are: {', '.join(known)}")
    return [known[name] for name in names] or list(SYSTEMS)
