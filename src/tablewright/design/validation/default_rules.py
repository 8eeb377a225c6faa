"""Default rules: what `fields.now()`, `fields.touched()` and `fields.new_id()` set is a valid value of the field.

Pydantic does not validate defaults: a `bool` with the default `fields.now()` would be stored as a time.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from tablewright.design.fields.annotations import plain_type, without_none
from tablewright.design.fields.markers import MARKERS, new_id, now, touched, ulid
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.errors import DesignError

_FACTORIES = (now, touched, new_id)


def check_declarations(entity: type[BaseModel]) -> None:
    """Reject markers in the place of a default, and markers and defaults without parentheses."""
    for name, info in entity.model_fields.items():
        field, kind = f"{entity.__name__}.{name}", type_name(plain_type(info.annotation)[0])
        marker = type(info.default).__name__
        if isinstance(info.default, MARKERS):
            raise DesignError(
                f"{field} has the marker fields.{marker}() as its default; "
                f"write {name}: Annotated[{kind}, fields.{marker}()]"
            )
        if info.default in _FACTORIES:
            raise DesignError(
                f"{field} has the function fields.{info.default.__name__} as its default; "
                f"call it: {name}: {kind} = fields.{info.default.__name__}()"
            )
        for each in (*info.metadata, *without_none(info.annotation)[2]):
            if isinstance(each, type) and issubclass(each, MARKERS):
                raise DesignError(
                    f"{field} has the marker fields.{each.__name__} without parentheses; "
                    f"write {name}: Annotated[{kind}, fields.{each.__name__}()]"
                )


def check_defaults(entity: type[BaseModel], fields: Mapping[str, FieldLayout]) -> None:
    """Reject automatic times and new ids in fields that do not accept them."""
    for name, field in fields.items():
        info = entity.model_fields[name]
        if field.automatic is not None and not _accepts(field, info, (datetime, int, str), _now(field)):
            default = "touched" if field.automatic == "touched" else "now"
            raise DesignError(
                f"{entity.__name__}.{name} has the default fields.{default}(), which is a time and not a valid "
                f"{type_name(field.annotation)}; declare it as fields.Timestamp"
            )
        if info.default_factory is ulid and not _accepts(field, info, (str,), ulid()):
            raise DesignError(
                f"{entity.__name__}.{name} has the default fields.new_id(), which is a text of 26 characters and not a "
                f"valid {type_name(field.annotation)}; declare it as str"
            )


def _now(field: FieldLayout) -> Any:
    return field.time_value(datetime.now(UTC).replace(microsecond=1000))


def _accepts(field: FieldLayout, info: FieldInfo, kinds: tuple[type, ...], value: Any) -> bool:
    """Whether a value is valid for a field; fields of these types without limits need no validation."""
    if field.annotation in kinds and not field.limited:
        return True
    annotation: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True
