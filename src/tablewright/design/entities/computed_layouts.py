"""The layouts of computed fields: pydantic's `@computed_field`, and `@fields.computed(...)` with its sources."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from tablewright.design.fields.annotations import without_none
from tablewright.design.fields.computed_fields import SOURCES
from tablewright.design.layouts.layouts import CopyLayout, FieldLayout, StoredModel
from tablewright.design.nearest_names import suggestion
from tablewright.design.validation.field_rules import check_names
from tablewright.errors import DesignError


def computed_layouts(entity: type[StoredModel]) -> dict[str, FieldLayout]:
    """The computed fields of a class; without declared sources, a field may depend on every stored field."""
    found = {}
    names = frozenset(entity.model_fields)
    for name, info in entity.model_computed_fields.items():
        check_names(entity.__name__, {name: info.alias or name})
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        declared = extra.get(SOURCES)
        sources = frozenset(map(str, declared)) if isinstance(declared, list) else names
        for source in sorted(sources - names):
            raise DesignError(
                f"{entity.__name__}.{name} is computed from {source}, which is no field; {suggestion(source, names)}"
            )
        if isinstance(info.wrapped_property, cached_property):
            raise DesignError(
                f"{entity.__name__}.{name} is a cached_property, which keeps its value when the entity changes; "
                "use property"
            )
        plain, optional, _ = without_none(info.return_type)
        found[name] = FieldLayout(name, info.alias or name, plain, optional, computed_from=sources)
    return found


def check_computed(
    entity: str,
    fields: Mapping[str, FieldLayout],
    computed: Mapping[str, FieldLayout],
    copies: Iterable[CopyLayout],
) -> None:
    """Reject computed fields in keys that may show a secret, and copies that lack what their keys are computed from."""
    for copy in copies:
        used = {name for key in copy.keys for name in key.names if name in computed}
        sources = {source for name in used for source in computed[name].computed_from or ()}
        lacking = sorted(sources - set(copy.copy.fields)) if copy.copy.fields is not None else []
        if lacking:
            raise DesignError(
                f"{entity}.{copy.name} has {', '.join(sorted(used))} in its keys, but lacks {', '.join(lacking)}, of "
                "which it may be computed; add them to fields=..., or name the fields: @fields.computed(...)"
            )
    for name, field in computed.items():
        secret = sorted(source for source in field.computed_from or () if fields[source].is_secret)
        if secret:
            others = ", ".join(f'"{each}"' for each in fields if not fields[each].is_secret)
            raise DesignError(
                f"{entity}.{name} is part of a key and may depend on {', '.join(secret)}, which is a secret; name the "
                f"fields that it depends on: @fields.computed(...) with some of {others}"
            )
