"""The values of an entity that its keys are made of: its fields, and the computed fields among them."""

from collections.abc import Mapping
from typing import Any

from tablewright.design.entities.entities import Entity
from tablewright.errors import DesignError, KeyValueError


def entity_values(entity: Entity) -> Mapping[str, Any]:
    """Return the fields of an entity, and the computed fields that are used in its keys."""
    computed = entity.layout.computed
    if not computed:
        return entity.__dict__
    return {**entity.__dict__, **{name: _computed(entity, name) for name in computed}}


def _computed(entity: Entity, name: str) -> Any:
    try:
        return getattr(entity, name)
    except DesignError:
        raise
    except Exception as error:  # a function of the user
        raise KeyValueError(f"{name} cannot be computed: {type(error).__name__}: {error}") from error
