"""The view patterns: each access pattern as a form; run it, and see its requests, its cost and its code."""

from typing import Any

from pydantic import Field, ValidationError

from tablewright.console.endpoints import MAX_LIMIT, Body, ConsoleRequest, get, post
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_costs import pattern_cost, pattern_policy
from tablewright.console.patterns.pattern_examples import example_parameters, form_schema
from tablewright.console.patterns.pattern_runs import hides_values, run_pattern, show_run, without_values
from tablewright.console.patterns.request_code import pattern_code
from tablewright.design.argument_errors import suggestion, with_known_names
from tablewright.design.patterns import Pattern
from tablewright.errors import UsageError

DEFAULT_LIMIT = 50


class Parameters(Body):
    """The parameters of a pattern, and the part of its results that is requested."""

    parameters: dict[str, Any] = Field(default_factory=dict)
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT)
    cursor: str | None = None
    include_expired: bool = False


def describe_pattern(request: ConsoleRequest) -> dict[str, Any]:
    """Describe a pattern: its form, its settings, its expected cost and the IAM policy that it needs."""
    opened = request.design
    pattern = _pattern_class(opened, request.path["pattern"])
    plan = pattern.__plan__
    settings = plan.pattern
    return {
        "name": plan.name,
        "kind": plan.kind,
        "description": plan.description,
        "document": (pattern.__doc__ or "").strip(),
        "table": opened.db.context.table_name(plan.table),
        "index": plan.index.name if plan.index else None,
        "entities": [layout.entity.__name__ for layout in plan.layouts],
        "condition": " AND ".join(map(str, plan.clauses)),
        "filter": plan.filter.source if plan.filter else None,
        "fields": list(settings.fields),
        "descending": settings.descending,
        "consistent": settings.consistent,
        "page_size": settings.page_size,
        "problems": [str(problem) for problem in plan.problems],
        "pages": plan.kind in ("query", "scan"),
        "schema": form_schema(pattern, pattern._secrets()),
        "cost": pattern_cost(opened, plan),
        "policy": pattern_policy(opened, plan),
    }


def give_example(request: ConsoleRequest) -> dict[str, Any]:
    """Return parameters with which a pattern finds something in the stored data."""
    pattern = _pattern_class(request.design, request.path["pattern"])
    parameters, note = example_parameters(request.design, pattern)
    return {"parameters": parameters, "note": note}


def explain_pattern(request: ConsoleRequest) -> dict[str, Any]:
    """Return the request of a run, its estimated capacity and its code, without running it."""
    opened, body = request.design, request.parse(Parameters)
    pattern = _pattern(opened, request.path["pattern"], body.parameters)
    plan = pattern.__plan__
    limit = body.limit if plan.kind in ("query", "scan") else None
    explained = opened.db.explain(pattern, limit=limit)
    shown = without_values(explained.request) if hides_values(plan) else explained.request
    return {
        "operation": explained.operation,
        "table": explained.table,
        "index": explained.index,
        "request": shown,
        "items": explained.items,
        "item_size": explained.item_size,
        "units": 0.0 if explained.unit == "search" else explained.capacity,
        "searched_bytes": explained.capacity if explained.unit == "search" else 0.0,
        "code": pattern_code(opened, pattern, explained.operation, explained.request, limit),
    }


def run(request: ConsoleRequest) -> dict[str, Any]:
    """Run a pattern; return its items, the cursor of the next page and the requests that it made."""
    opened, body = request.design, request.parse(Parameters)
    pattern = _pattern(opened, request.path["pattern"], body.parameters)
    result = run_pattern(
        opened, pattern, body.limit, body.cursor or None, include_expired=body.include_expired
    )
    return show_run(opened, pattern, result)


def _pattern_class(opened: OpenDesign, name: str) -> type[Pattern[Any]]:
    known: dict[str, type[Pattern[Any]]] = {pattern.__name__: pattern for pattern in opened.design.patterns}
    if name not in known:
        raise UsageError(f"{opened.name} has no pattern {name}; {suggestion(name, known)}")
    return known[name]


def _pattern(opened: OpenDesign, name: str, parameters: dict[str, Any]) -> Pattern[Any]:
    """Return a pattern with parameters from JSON; `ValidationError` names each invalid parameter."""
    pattern = _pattern_class(opened, name)
    try:
        return pattern.model_validate(parameters, by_name=True, by_alias=False)
    except ValidationError as error:
        raise with_known_names(pattern, error) from None


ROUTES = [
    get("/patterns/{pattern}", describe_pattern),
    get("/patterns/{pattern}/example", give_example),
    post("/patterns/{pattern}/explain", explain_pattern, writes=False),
    post("/patterns/{pattern}/run", run, writes=False),
]
