"""Create a token for the API of a system that `tablewright-systems up` runs on this machine.

Without --as, the token is for a sample user with much sample data. The signing key is stored next to the data file.
"""

import argparse
from pathlib import Path
from typing import Any

from tablewright import errors
from tablewright_systems.commands.arguments import FILE, find_systems, location_argument
from tablewright_systems.commands.terminal import print_line

NAME = "token"
SUMMARY = "create a token for the API of a system"
EPILOG = """\
examples:
  tablewright-systems token boards
  curl -H "Authorization: Bearer $(tablewright-systems token boards)" http://127.0.0.1:8080/boards/me
  tablewright-systems token collabhub --as ada --claim email=ada@example.org --role admin
"""

_OPTIONS = {"sub": "--as", "roles": "--role"}
"""Claims with an option of their own."""
_AUTOMATIC = ("iss", "aud", "iat", "exp", "jti", "lifetime")
"""Claims that are set by the command."""
_BOOLEANS = {"true": True, "false": False}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `token`."""
    parser.add_argument(
        "system", metavar="SYSTEM", help="system whose API accepts the token; others reject it"
    )
    location_argument(parser, FILE, alias=True)
    parser.add_argument("--as", dest="user", metavar="USER", help="user ID (default: a sample user)")
    parser.add_argument(
        "--claim",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="add a claim, such as email=ada@example.org; may be repeated",
    )
    parser.add_argument(
        "--role",
        metavar="ROLE",
        action="append",
        default=[],
        help="add a platform role, such as admin or worker; may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Print the token."""
    (system,) = find_systems([options.system])
    from tablewright_systems.hosting import issuer_for

    claims = dict(_claim(text) for text in options.claim)
    if "email" in claims:  # the APIs use an address only if the token says that it was verified
        claims.setdefault("email_verified", True)
    data = Path(options.on).expanduser().resolve()
    if not data.exists():
        raise errors.UsageError(
            f"data file {options.on} does not exist; start the systems first: tablewright-systems up"
        )
    issuer = issuer_for(data).for_audience(system.name)
    print_line(issuer.issue(options.user or system.demo_user, roles=options.role, **claims))
    return 0


def _claim(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise errors.UsageError(f"--claim must be NAME=VALUE, such as email=ada@example.org, got {text!r}")
    if name in _OPTIONS:
        raise errors.UsageError(f"--claim cannot set {name}; use {_OPTIONS[name]}")
    if name in _AUTOMATIC:
        raise errors.UsageError(f"--claim cannot set {name}; its value is automatic")
    return name, _BOOLEANS.get(value, value)
