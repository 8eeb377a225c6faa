"""The view query: PartiQL and raw requests, saved queries, exports and bulk changes."""

from typing import Any, Literal

from pydantic import Field

from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.items.key_texts import with_bytes
from tablewright.console.queries import bulk_changes, result_exports
from tablewright.console.queries.query_completion import completion, template
from tablewright.console.queries.raw_replies import masked, send
from tablewright.console.queries.raw_requests import OPERATIONS, RawRequest, raw_request
from tablewright.console.queries.saved_queries import SavedQuery, delete_query, list_queries, save_query
from tablewright.errors import UsageError


class QueryBody(Body):
    """A request, and where its page starts."""

    operation: str
    request: dict[str, Any]
    start: Any = None


class ExportBody(QueryBody):
    """A query, and the form of its export."""

    format: Literal["csv", "jsonl", "dynamodb"]
    columns: list[str] | None = None


class BulkBody(QueryBody):
    """A query, the name of its table as the user typed it, and how many items may still be changed."""

    confirm: str
    most: int = Field(ge=0)


class EditBody(BulkBody):
    """The fields of an entity to set and to remove."""

    entity: str
    set: dict[str, Any] = Field(default_factory=dict)
    remove: list[str] = Field(default_factory=list)


class EditCheck(QueryBody):
    """The change of a bulk edit, to be checked."""

    entity: str
    set: dict[str, Any] = Field(default_factory=dict)
    remove: list[str] = Field(default_factory=list)


class SaveBody(Body):
    """A query to be saved."""

    name: str
    kind: Literal["statement", "request"]
    text: str
    operation: str = "ExecuteStatement"
    description: str = ""
    replace: bool = False


class NameBody(Body):
    """The name of a saved query."""

    name: str


def describe(request: ConsoleRequest) -> dict[str, Any]:
    """Return the words for completion, the templates of requests and the limits."""
    return completion(request.design) | {"most_exported": result_exports.MOST_ITEMS}


def give_template(request: ConsoleRequest) -> dict[str, Any]:
    """Return a request of an operation on a table, with places to fill in."""
    operation, name = request.text("operation"), request.text("table")
    request.design.table(name)
    if operation not in OPERATIONS:
        raise UsageError(f"the console has no operation {operation}; it has: {', '.join(OPERATIONS)}")
    return {"request": template(request.design, operation, name)}


def run(request: ConsoleRequest) -> dict[str, Any]:
    """Send a request to DynamoDB; return its reply without secret values. Writes need --write."""
    body = request.parse(QueryBody)
    return send(_raw(request, body), with_bytes(body.start))


def export(request: ConsoleRequest) -> dict[str, Any]:
    """Return one page of a query as text: CSV, JSON lines or DynamoDB's JSON. Only the first page has a header."""
    body = request.parse(ExportBody)
    raw = _raw(request, body)
    if raw.operation not in ("Query", "Scan", "ExecuteStatement") or raw.is_write:
        raise UsageError("an export takes a Query, a Scan or a SELECT statement")
    reply = send(raw, with_bytes(body.start))
    columns = body.columns or result_exports.columns_of(request.design, raw.table)
    # A file outlives the console: secret values are left out of it even with --reveal.
    items = [masked(raw.secrets, row["item"]) for row in reply["rows"]]
    header = body.start is None
    return {
        "text": result_exports.export_text(items, body.format, columns, header=header),
        "items": len(items),
        "hidden": result_exports.hidden_names(items),
        "units": reply["units"],
        "next": reply["next"],
        "note": reply["note"],
        "failed": reply["failed"],
    }


def count(request: ConsoleRequest) -> dict[str, Any]:
    """Count the items of one page of a query, by entity, with the capacity that deleting them takes."""
    body = request.parse(QueryBody)
    raw = _whole_items(request, body)
    return bulk_changes.count_step(raw, with_bytes(body.start))


def check_edit(request: ConsoleRequest) -> dict[str, Any]:
    """Check the change of a bulk edit, and change nothing."""
    body = request.parse(EditCheck)
    field_edit = bulk_changes.field_edit(_whole_items(request, body), body.entity, body.set, body.remove)
    return {
        "entity": field_edit.entity.__name__,
        "set": list(field_edit.set),
        "remove": list(field_edit.remove),
    }


def delete(request: ConsoleRequest) -> dict[str, Any]:
    """Delete items of a query, for a few seconds; return where the next step starts."""
    body = request.parse(BulkBody)
    raw = _confirmed(request, body)
    return bulk_changes.delete_step(raw, with_bytes(body.start), body.most)


def edit(request: ConsoleRequest) -> dict[str, Any]:
    """Edit items of a query, for a few seconds; return where the next step starts."""
    body = request.parse(EditBody)
    raw = _confirmed(request, body)
    change = bulk_changes.field_edit(raw, body.entity, body.set, body.remove)
    return bulk_changes.edit_step(raw, with_bytes(body.start), body.most, change)


def list_saved(request: ConsoleRequest) -> dict[str, Any]:
    """Return the saved queries of the design."""
    return {"queries": list_queries(request.design.name)}


def save(request: ConsoleRequest) -> dict[str, Any]:
    """Save a query as a file of the project."""
    body = request.parse(SaveBody)
    query = SavedQuery(
        design=request.design.name,
        kind=body.kind,
        text=body.text,
        operation=body.operation,
        description=body.description,
    )
    return {"path": str(save_query(body.name, query, replace=body.replace))}


def delete_saved(request: ConsoleRequest) -> dict[str, Any]:
    """Delete a saved query."""
    return {"deleted": delete_query(request.parse(NameBody).name, request.design.name)}


def _raw(request: ConsoleRequest, body: QueryBody) -> RawRequest:
    return raw_request(request.design, body.operation, body.request)


def _whole_items(request: ConsoleRequest, body: QueryBody) -> RawRequest:
    raw = _raw(request, body)
    bulk_changes.require_whole_items(raw)
    return raw


def _confirmed(request: ConsoleRequest, body: BulkBody) -> RawRequest:
    raw = _whole_items(request, body)
    name = request.design.db.context.table_name(raw.table)
    if body.confirm != name:
        raise UsageError(f"type the name of the table, {name}, to change its items")
    return raw


ROUTES = [
    get("/query", describe),
    get("/query/template", give_template),
    post("/query/run", run, writes=False),
    post("/query/export", export, writes=False),
    post("/query/bulk/count", count, writes=False),
    post("/query/bulk/check", check_edit, writes=False),
    post("/query/bulk/delete", delete, writes=True),
    post("/query/bulk/edit", edit, writes=True),
    get("/query/saved", list_saved),
    post("/query/saved", save, writes=False),
    post("/query/saved/delete", delete_saved, writes=False),
]
