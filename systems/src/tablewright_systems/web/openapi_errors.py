"""Errors in the OpenAPI document: each operation lists those that it can send, each with the same body.

An operation declares the errors that only it knows. Those that follow from its form are added to all operations: a
body can be too large, a token can be invalid. The tests check that no reply has a status that is not declared.
"""

from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from tablewright_systems.web.error_replies import PROBLEM, Problem, title_of

Document = dict[str, Any]

_EVERYWHERE = {400, 422, 500, 503}
_WITH_BODY = {413, 415}
_RETRY_AFTER = {429, 503}
_SCHEMAS = "#/components/schemas/{model}"

# Code and text of the example for each status.
_EXAMPLES = {
    400: ("bad_request", "the body is not valid JSON"),
    401: ("unauthenticated", "send a token: Authorization: Bearer <token>"),
    403: ("forbidden", "the caller may not change this resource"),
    404: ("not_found", "the resource was not found"),
    409: ("conflict", "this name is already taken"),
    410: ("gone", "the link has expired"),
    412: ("precondition_failed", "the resource was changed since it was read; read it again"),
    413: ("too_large", "the body is larger than 1048576 bytes"),
    415: ("unsupported_content_type", "send JSON with the header Content-Type: application/json"),
    422: ("invalid", "name: must have at least 3 characters"),
    429: ("too_many", "rate limit exceeded; try again in 30 s"),
    500: ("internal", "the request failed unexpectedly; the server's log has details under 1f0c2d1e8a7b4c3d"),
    503: ("busy", "the store is busy; try again"),
}


def problems(*statuses: int) -> dict[int | str, Document]:
    """Declare the errors of an operation: `@router.get("/me", responses=problems(404))`.

    They replace the usual ones, which are those of `usual_problems`. A router declares what each of its operations can
    send besides: `Router("Startups", responses=problems(403))`.

    >>> problems(404)
    {404: {'description': 'Not found'}}
    """
    return {status: {"description": title_of(status)} for status in statuses}


def usual_problems(path: str, methods: Collection[str]) -> dict[int | str, Document]:
    """Return the errors of most operations: a read does not find what its path names, a change is refused too.

    >>> list(usual_problems("/boards/{board_id}", {"GET"})), list(usual_problems("/boards", {"POST"}))
    ([404], [403, 404, 409])
    """
    if set(methods) - {"GET"}:
        return problems(403, 404, 409)
    return problems(404) if "{" in path else {}


def add_errors(operation: Document, is_post: bool) -> None:
    """Add the errors that follow from the form of an operation to those that it declares."""
    is_conditional = any(parameter["name"] == "if-match" for parameter in operation.get("parameters", ()))
    responses = operation["responses"]
    statuses = {
        *(int(status) for status in responses if int(status) >= HTTPStatus.BAD_REQUEST),
        *_EVERYWHERE,
        *(_WITH_BODY if "requestBody" in operation else ()),
        *({401} if "security" in operation else ()),
        *({412} if is_conditional else ()),
        *({409} if is_post else ()),  # an idempotency key can be in use
    }
    operation["responses"] = {
        **{status: reply for status, reply in responses.items() if int(status) not in statuses},
        **{str(status): {"$ref": f"#/components/responses/{_name(status)}"} for status in sorted(statuses)},
    }


def add_error_components(document: Document) -> None:
    """Add the body of errors, and the reply of each status, which the operations refer to."""
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):  # FastAPI's own
        schemas.pop(unused, None)
    problem = Problem.model_json_schema(ref_template=_SCHEMAS, mode="serialization")
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    components["responses"] = {_name(status): _reply(status) for status in _EXAMPLES}


def _reply(status: int) -> Document:
    code, detail = _EXAMPLES[status]
    example = {
        "type": f"urn:tablewright:problem:{code}",
        "title": title_of(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    content = {"schema": {"$ref": _SCHEMAS.format(model="Problem")}, "example": example}
    reply: Document = {"description": title_of(status), "content": {PROBLEM: content}}
    if status in _RETRY_AFTER:
        seconds = {"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer"}}
        reply["headers"] = {"Retry-After": seconds}
    return reply


def _name(status: int) -> str:
    """Name of a reply.

    >>> _name(404)
    'NotFound'
    """
    return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")
