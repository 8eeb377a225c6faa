"""Replies: JSON for the page, and errors as messages that say what to do."""

import logging
from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.responses import Response

from tablewright.console.endpoints import Conflict, Forbidden
from tablewright.console.service_messages import service_message
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.dynamodb.values.attributes import base64_text
from tablewright.errors import ResourceNotFound, ServiceError, TablewrightError

LOG = logging.getLogger("tablewright.console")

NO_STORE = {"Cache-Control": "no-store"}


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] = NO_STORE) -> Response:
    """Return a JSON reply; bytes become base64."""
    return Response(json_bytes(value), status, headers, "application/json")


def json_bytes(value: Any) -> bytes:
    """Return JSON; bytes become base64, other values their text.

    >>> json_bytes({"B": b"x"})
    b'{"B":"eA=="}'
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return orjson.dumps(_sendable(value), default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _sendable(value: Any) -> Any:
    """Return a value with what orjson rejects as text: integers of more than 64 bits, text that is not Unicode.

    >>> _sendable({"n": [2**70], "s": "a\\ud800"})
    {'n': ['1180591620717411303424'], 's': 'a?'}
    """
    if isinstance(value, Mapping):
        return {_sendable(name): _sendable(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_sendable(element) for element in value]
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return base64_text(bytes(value))
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return str(value)


def problem(status: int, code: str, message: str, fields: Mapping[str, str] | None = None) -> Response:
    """Return an error: its code, a message for people, and for a form the message of each field."""
    return json_reply({"error": {"code": code, "message": message, "fields": dict(fields or {})}}, status)


def problem_of(error: Exception) -> Response:
    """Return the reply for an error of an endpoint."""
    match error:
        case Forbidden():
            return problem(403, "Forbidden", str(error))
        case Conflict():
            return problem(409, "Conflict", str(error))
        case ValidationError():
            return problem(422, "Invalid", _first(error), _by_field(error))
        case ResourceNotFound():
            return problem(404, error.code, error.message)
        case ServiceError():
            return problem(400, error.code, service_message(error))
        case TablewrightError():
            return problem(400, type(error).__name__, str(error))
        case _:
            LOG.exception("an endpoint of the console failed", exc_info=error)
            text = f"The console failed with {type(error).__name__}; its log has the details."
            return problem(500, "ConsoleError", text)


def _by_field(error: ValidationError) -> dict[str, str]:
    problems = problems_of(error)
    return {
        ".".join(map(str, problem["loc"])): describe_problems([{**problem, "loc": ()}], shows_values=False)
        for problem in problems
    }


def _first(error: ValidationError) -> str:
    return describe_problems(problems_of(error)[:1], shows_values=False)
