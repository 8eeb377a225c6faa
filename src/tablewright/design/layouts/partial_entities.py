"""Partial entities: made of some of their fields, each validated as its class validates it.

A field that a copy or a search leaves out has no value, not even its default. Validators of single fields are called.
Those of the class as a whole (`model_validator`, `model_post_init`) are not: they may need what was not read.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic._internal._model_construction import (
    init_private_attributes,
)  # pydantic has no public name for it
from pydantic_core import SchemaValidator

M = TypeVar("M", bound=BaseModel)

_WRAPPERS = frozenset(("model", "definitions", "function-before", "function-after", "function-wrap"))
"""Schemas that have the schema of the fields, or another of these, as their `schema`."""


def partial_entity(model: type[M], absent: frozenset[str], values: Mapping[str, Any], *, by_name: bool) -> M:
    """Return an instance without the absent fields; pydantic's `ValidationError` if a value is not valid.

    The names of the values are those in Python if `by_name`, otherwise the stored ones.

    >>> class Note(BaseModel):
    ...     title: str
    ...     pages: int
    ...     body: str
    >>> partial_entity(Note, frozenset(("body",)), {"title": "Engines", "pages": "7"}, by_name=True)
    Note(title='Engines', pages=7)
    """
    # pydantic returns the three parts of an instance: its values, its extra values, and the names that were given
    fields, extra, given = _validator(model, absent).validate_python(
        values, by_alias=not by_name, by_name=by_name
    )
    entity = model.__new__(model)
    object.__setattr__(entity, "__dict__", fields)
    object.__setattr__(entity, "__pydantic_extra__", extra)
    object.__setattr__(entity, "__pydantic_fields_set__", given)
    object.__setattr__(entity, "__pydantic_private__", None)
    if model.__private_attributes__:
        init_private_attributes(entity, None)
    return entity


@lru_cache(maxsize=1024)
def _validator(model: type[BaseModel], absent: frozenset[str]) -> SchemaValidator:
    """The validator of the fields of a class that are not absent."""
    whole = _fields_schema(model.__pydantic_core_schema__)
    present = {name: field for name, field in whole.schema["fields"].items() if name not in absent}
    schema: Any = {**whole.schema, "fields": present, "computed_fields": []}
    if whole.definitions:
        schema = {"type": "definitions", "schema": schema, "definitions": whole.definitions}
    return SchemaValidator(schema, whole.config)


@lru_cache(maxsize=1024)
def field_validator(model: type[BaseModel], name: str) -> SchemaValidator | None:
    """The validator of one field; None if it looks at other fields."""
    whole = _fields_schema(model.__pydantic_core_schema__)
    schema: Any = whole.schema["fields"][name]["schema"]
    if _has_info(schema):
        return None
    if whole.definitions:
        schema = {"type": "definitions", "schema": schema, "definitions": whole.definitions}
    return SchemaValidator(schema, whole.config)


def _has_info(schema: Any) -> bool:
    """Whether a validator in a schema takes an argument with the values of other fields."""
    if isinstance(schema, dict):
        return schema.get("type") == "with-info" or any(map(_has_info, schema.values()))
    return isinstance(schema, list) and any(map(_has_info, schema))


class _FieldsSchema(NamedTuple):
    """The schema of the fields of a class, with the settings and the definitions that it refers to."""

    schema: Any
    config: Any
    definitions: list[Any]


def _fields_schema(schema: Any) -> _FieldsSchema:
    """The schema of the fields, inside of the schema of its class."""
    config: Any = None
    definitions: list[Any] = []
    while schema["type"] != "model-fields":
        config = schema.get("config", config) if schema["type"] == "model" else config
        definitions = schema.get("definitions", definitions)
        if schema["type"] == "definition-ref":
            name = schema["schema_ref"]
            schema = next(definition for definition in definitions if definition.get("ref") == name)
        elif schema["type"] in _WRAPPERS:
            schema = schema["schema"]
        else:
            raise TypeError(f"a {schema['type']} schema has no fields")
    return _FieldsSchema(schema, config, definitions)
