"""Mint a token for the API of a system that `tablewright up` runs on this machine.

Without --as, it is for somebody whom the sample data says a lot about. The key that signs it lies beside the data file.
"""

import argparse
from pathlib import Path
from typing import Any

from tablewright.cli.commands.up import require_systems
from tablewright.cli.output import say
from tablewright.errors import UsageError

NAME = "token"
SUMMARY = "mint a token for the API of a system"
EPILOG = """\
examples:
  tablewright token boards
  curl -H "Authorization: Bearer $(tablewright token boards)" http://127.0.0.1:8080/boards/me
  tablewright token collabhub --as ada --claim email=ada@example.org --role admin
"""

_ITSELF = "the token itself"
_OTHERWISE = {"sub": "--as", "roles": "--role"} | dict.fromkeys(
    ("iss", "aud", "iat", "exp", "jti", "lifetime"), _ITSELF
)
"""What is no claim of the caller's choice, and how it is said."""
_FLAGS = {"true": True, "false": False}
"""Claims such as `email_verified` are no texts."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `token` understands."""
    parser.add_argument("system", metavar="SYSTEM", help="whose API it is for")
    parser.add_argument("--as", dest="user", metavar="USER", help="who it is for (a sample user)")
    parser.add_argument(
        "--claim", metavar="NAME=VALUE", action="append", default=[], help="what else it says"
    )
    parser.add_argument("--role", metavar="ROLE", action="append", default=[], help="a role on the platform")
    parser.add_argument(
        "--data", metavar="FILE", default="tablewright.db", help="the file (tablewright.db, here)"
    )


def run(options: argparse.Namespace) -> int:
    """Print the token."""
    require_systems()
    from tablewright_systems.hosting import issuer_for
    from tablewright_systems.registry import SYSTEMS, find

    system = find(options.system)
    if system is None:
        known = ", ".join(each.name for each in SYSTEMS)
        raise UsageError(f"there is no system {options.system}; there are: {known}")
    claims = dict(_claim(text) for text in options.claim)
    data = Path(options.data).expanduser().resolve()
    if not data.exists():
        raise UsageError(f"{options.data} does not exist; start the systems first: tablewright up")
    say(issuer_for(data).issue(options.user or system.demo_user, roles=options.role, **claims))
    return 0


def _claim(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"a claim is NAME=VALUE, such as email=ada@example.org; not {text!r}")
    if name in _OTHERWISE:
        raise UsageError(f"{name} is said by {_OTHERWISE[name]}")
    return name, _FLAGS.get(value, value)
