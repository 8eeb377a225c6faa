"""Form schemas: the JSON schema of a model, without references, as the forms of the page take it."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel

_PREFIX = "#/$defs/"
_MOST_DEPTH = 12
"""Deeper models, which contain themselves, are edited as JSON."""


def form_schema(model: type[BaseModel], secrets: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of a model: definitions in place of references, `secret: true` on secret fields.

    >>> class Address(BaseModel):
    ...     city: str
    >>> class Person(BaseModel):
    ...     address: Address
    >>> form_schema(Person)["properties"]["address"]["properties"]["city"]["type"]
    'string'
    """
    schema = model.model_json_schema(by_alias=False)
    definitions = schema.pop("$defs", {})
    found: dict[str, Any] = _resolved(schema, definitions, 0)
    found.setdefault("properties", {})
    for name, member in found["properties"].items():
        if name in secrets:
            member.pop("default", None)
            member.pop("examples", None)
            member["secret"] = True
    return found


def _resolved(value: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if isinstance(value, list):
        return [_resolved(each, definitions, depth) for each in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith(_PREFIX):
        if depth >= _MOST_DEPTH:
            return {"type": "object"}
        others = {name: each for name, each in value.items() if name != "$ref"}
        target = definitions[reference.removeprefix(_PREFIX)]
        return _resolved(target | others, definitions, depth + 1)
    return {name: _resolved(each, definitions, depth) for name, each in value.items()}
