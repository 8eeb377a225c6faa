"""The OpenAPI document of an API: FastAPI's, completed for API viewers and client generators."""

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from tablewright_systems.web.openapi_examples import add_examples


def operation_id(route: APIRoute) -> str:
    """Name an operation by its tag and function: generated clients use the name as a method name."""
    return "_".join([*map(str, route.tags[:1]), route.name]).lower().replace(" ", "_")


def complete_openapi(app: FastAPI) -> None:
    """Give each operation of an application a summary, and each model an example."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            for operations in document["paths"].values():
                for operation in operations.values():
                    _summarise(operation)
            add_examples(document)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _summarise(operation: dict[str, Any]) -> None:
    """Use the first line of the endpoint's docstring as the summary, and the rest as the description."""
    summary, _, rest = operation.pop("description", operation["summary"]).partition("\n")
    operation["summary"] = summary.rstrip(".")
    if rest.strip():
        operation["description"] = rest.strip()
    operation["tags"] = [tag.capitalize() for tag in operation.get("tags", ())]
