"""Request code: the same read as Tablewright, boto3 and AWS CLI code, to copy."""

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from tablewright.access.connect import is_remote
from tablewright.connections import Embedded
from tablewright.console.command_lines import MEMORY
from tablewright.console.open_designs import OpenDesign
from tablewright.design.fields.masking import MASK
from tablewright.design.patterns import Pattern
from tablewright.dynamodb.values.attributes import base64_text

SERVED = "http://localhost:8000"
"""The address of `tablewright serve`, for a database that only this process can reach."""
_WIDTH = 100


def pattern_code(
    opened: OpenDesign, pattern: Pattern[Any], operation: str, request: Mapping[str, Any], limit: int | None
) -> dict[str, str]:
    """Return the texts `tablewright`, `boto3` and `cli`."""
    return {
        "tablewright": tablewright_code(opened, pattern, limit),
        "boto3": boto3_code(opened, operation, request),
        "cli": cli_code(opened, operation, request),
    }


def tablewright_code(opened: OpenDesign, pattern: Pattern[Any], limit: int | None = None) -> str:
    """Return Python code that runs a pattern.

    Values of types that have no literal are passed as JSON, which the pattern validates.
    """
    kind, plan = type(pattern), pattern.__plan__
    imports = _Imports()
    imports.add("tablewright", "connect")
    module, _, name = opened.source.partition(":")
    imports.add(module, name or "design")
    imports.add(kind.__module__, kind.__name__)
    secrets = kind._secrets()
    values = {field: MASK if field in secrets else getattr(pattern, field) for field in kind.model_fields}
    arguments = [f"{field}={imports.literal(value)}" for field, value in values.items()]
    call = _call(f"{kind.__name__}(", arguments, ")")
    method = "rows" if plan.pattern.fields else "run"
    paged = f", limit={limit}" if limit is not None and plan.kind in ("query", "scan") else ""
    place = "" if opened.location == "memory" else f", {json.dumps(opened.location)}"
    named = opened.db.context.environment
    place += f", environment={json.dumps(named)}" if named else ""
    place += f", prefix={json.dumps(opened.db.context.prefix)}" if opened.db.context.prefix else ""
    result, show = ("found", "print(found)") if plan.kind in ("get", "find") else ("page", _LOOP)
    return "\n".join(
        [
            *imports.lines(),
            "",
            f"db = connect({name or 'design'}{place})",
            *_secret_note(secrets),
            f"{result} = db.{method}({call}{paged})",
            show,
            "",
        ]
    )


_LOOP = "for each in page:\n    print(each)"


def _secret_note(secrets: Iterable[str]) -> list[str]:
    return [f"# Put the value of {name} in the place of {MASK}." for name in sorted(secrets)]


def boto3_code(opened: OpenDesign, operation: str, request: Mapping[str, Any]) -> str:
    """Return Python code that sends a request with boto3."""
    arguments = [f"{name}={_python(value, 1)}" for name, value in request.items()]
    call = f"client.{_words(operation, '_')}("
    lines = "\n".join(f"    {argument}," for argument in arguments)
    endpoint = _endpoint(opened)
    settings = [json.dumps("dynamodb"), f"region_name={json.dumps(region_of(opened))}"]
    settings += [f"endpoint_url={json.dumps(endpoint)}"] if endpoint else []
    return "\n".join(
        [
            "import boto3",
            "",
            *_served_note(opened, endpoint),
            *_masked_note(request),
            f"client = boto3.client({', '.join(settings)})",
            f"reply = {call}\n{lines}\n)",
            "print(reply)",
            "",
        ]
    )


def cli_code(opened: OpenDesign, operation: str, request: Mapping[str, Any]) -> str:
    """Return a command of the AWS CLI that sends a request."""
    options = [_option(name, value) for name, value in request.items()]
    endpoint = _endpoint(opened)
    options.append(f"--region {region_of(opened)}")
    options += [f"--endpoint-url {endpoint}"] if endpoint else []
    command = " \\\n  ".join([f"aws dynamodb {_words(operation, '-')}", *options])
    return "\n".join([*_served_note(opened, endpoint), *_masked_note(request), command, ""])


def _option(name: str, value: Any) -> str:
    option = f"--{_words(name, '-')}"
    if isinstance(value, bool):
        return option if value else f"--no-{_words(name, '-')}"
    if isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False, default=base64_text)
        return f"{option} {shlex.quote(text)}"
    # A value that begins with a hyphen would be an option.
    return (
        f"{option}={shlex.quote(str(value))}" if str(value).startswith("-") else f"{option} {_quoted(value)}"
    )


def _quoted(value: Any) -> str:
    return shlex.quote(str(value))


def _masked_note(request: Mapping[str, Any]) -> list[str]:
    is_masked = MASK in json.dumps(request, default=base64_text)
    return [f"# {MASK} is the place of a secret value: DynamoDB stores its hash."] if is_masked else []


def _served_note(opened: OpenDesign, endpoint: str | None) -> list[str]:
    if endpoint != SERVED or is_remote(opened.location):
        return []
    if opened.location == MEMORY:
        return [
            "# The data is in the memory of the console: serve a data file, with tablewright serve --on FILE"
        ]
    return [f"# Serve the data first: {shlex.join(['tablewright', 'serve', '--on', opened.location])}"]


def _endpoint(opened: OpenDesign) -> str | None:
    if opened.location.startswith(("http://", "https://")):
        return opened.location  # also of a server that runs in this process
    if isinstance(opened.db.connection, Embedded):
        return SERVED
    endpoint: str | None = getattr(opened.db.connection, "endpoint", None)
    return endpoint


def region_of(opened: OpenDesign) -> str:
    """Return the region of a connection; us-east-1 if it has none."""
    return getattr(opened.db.connection, "region", None) or "us-east-1"


def _words(name: str, separator: str) -> str:
    """Return the name of an operation or a member as boto3 (`_`) and the AWS CLI (`-`) write it.

    >>> _words("BatchGetItem", "_"), _words("KeyConditionExpression", "-")
    ('batch_get_item', 'key-condition-expression')
    """
    return re.sub(r"(?<!^)(?=[A-Z])", separator, name).lower()


class _Imports:
    """The imports of a text, and the literals that need them."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def add(self, module: str, name: str) -> None:
        self._names.setdefault(module, set()).add(name)

    def lines(self) -> list[str]:
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]

    def literal(self, value: Any) -> str:
        """Return the Python text of a value."""
        match value:
            case Enum():
                self.add(type(value).__module__, type(value).__name__)
                return f"{type(value).__name__}.{value.name}"
            case datetime():
                self.add("datetime", "datetime")
                self.add("datetime", "UTC")
                return (
                    f"datetime.fromisoformat({json.dumps(value.astimezone(UTC).isoformat())}).astimezone(UTC)"
                )
            case date():
                self.add("datetime", "date")
                return f"date({value.year}, {value.month}, {value.day})"
            case Decimal():
                self.add("decimal", "Decimal")
                return f'Decimal("{value}")'
            case list() | tuple() | set() | frozenset():
                return f"[{', '.join(self.literal(element) for element in value)}]"
            case str():
                return _text(value)
            case _:
                return repr(value)


def _text(value: str) -> str:
    """Return a Python string; control and bidi characters are escaped.

    >>> _text('say "hi"')
    '\\'say "hi"\\''
    """
    shown = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in value
    )
    if shown != value or "\\" in value or ('"' in value and "'" in value):
        return ascii(value)
    return f'"{value}"' if '"' not in value else f"'{value}'"


def _call(begin: str, arguments: list[str], end: str) -> str:
    line = begin + ", ".join(arguments) + end
    if len(line) <= _WIDTH - 20:
        return line
    return begin + "\n" + "".join(f"    {argument},\n" for argument in arguments) + end


def _python(value: Any, depth: int) -> str:
    """Return the Python text of a request's member, on several lines if it is long."""
    match value:
        case bool() | int() | float() | None:
            return repr(value)
        case str():
            return _text(value)
        case bytes() | bytearray() | memoryview():
            return repr(bytes(value))
        case dict():
            members = [f"{_text(name)}: {_python(member, depth + 1)}" for name, member in value.items()]
            return _bracketed("{", members, "}", depth)
        case list() | tuple():
            return _bracketed("[", [_python(element, depth + 1) for element in value], "]", depth)
        case _:
            return _text(str(value))


def _bracketed(begin: str, members: list[str], end: str, depth: int) -> str:
    line = begin + ", ".join(members) + end
    if len(line) <= _WIDTH - 30 and "\n" not in line:
        return line
    pad = "    " * (depth + 1)
    return begin + "\n" + "".join(f"{pad}{member},\n" for member in members) + "    " * depth + end
