"""Computed fields: values that are computed from other fields, to use in keys."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from pydantic import computed_field

from tablewright.errors import DesignError, UsageError

T = TypeVar("T")

SOURCES = "computed_from"
"""The name under which pydantic keeps the declared sources of a computed field."""


class ComputedField(Generic[T]):
    """A computed field as type checkers see it: an attribute of an entity with the type that the function returns."""

    if TYPE_CHECKING:

        def __get__(self, entity: Any, owner: type | None = None) -> T: ...


def computed(*sources: str) -> Callable[[Callable[[Any], T]], ComputedField[T]]:
    """Make a method a computed field of these fields, for use in keys: `"MONTH#{month}"`.

        @fields.computed("created_at")
        def month(self) -> str:
            return f"{self.created_at:%Y-%m}"

    The value is not stored, except in keys. The method can read only the named fields, so that the library knows when
    keys change. It must return the same value for the same fields; None keeps the entity out of the index. Pydantic's
    `@computed_field` works too: it may depend on every field, so that every update of the entity reads it first.
    """
    if not sources or not all(isinstance(source, str) for source in sources):
        raise DesignError('computed needs the names of its fields: @fields.computed("created_at")')

    def decorate(function: Callable[[Any], T]) -> Any:
        @wraps(function)
        def value(entity: Any) -> T:
            return function(_Sources(entity, function.__name__, sources))

        return computed_field(json_schema_extra={SOURCES: list(sources)})(_ComputedProperty(value))

    return decorate


class _ComputedProperty(property):
    """A property that cannot be compared on the class: its value is not stored, so that no condition can use it."""

    def _problem(self, *_: object) -> NoReturn:
        raise UsageError(f"{self!r}; a condition compares the fields that it is computed from")

    def __repr__(self) -> str:
        name = getattr(self.fget, "__qualname__", "the field").rpartition("<locals>.")[2]
        return f"{name} is computed, and stored only in keys"

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _problem
    between = one_of = begins_with = contains = exists = is_absent = size = _problem
    __hash__ = property.__hash__


class _Sources:
    """An entity of which only the declared fields can be read."""

    __slots__ = ("_entity", "_name", "_sources")

    def __init__(self, entity: Any, name: str, sources: tuple[str, ...]) -> None:
        self._entity = entity
        self._name = name
        self._sources = sources

    def __getattr__(self, name: str) -> Any:
        if name in self._sources:
            return getattr(self._entity, name)
        named = ", ".join(f'"{source}"' for source in (*self._sources, name))
        raise DesignError(
            f"{type(self._entity).__name__}.{self._name} uses {name}, which is not among its fields; "
            f"write @fields.computed({named})"
        )
