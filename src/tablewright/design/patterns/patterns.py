"""Access patterns: a pattern is a class, a request is its instance.

    class UsersByRole(Query[User]):
        "List users by role."
        role: Role
        key = "GSI1PK = ROLE#{role}"
        descending = True

    page = db.run(UsersByRole(role=Role.FOUNDER))

Parameters are typed fields. `key` is the key condition, as in the design document; without it, the pattern uses the
entity's own key, as far as there are parameters for it. A pattern that cannot work raises `DesignError` when its class
is defined.
"""

import types
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin

from pydantic import ConfigDict

from tablewright.design.argument_errors import define_bases
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.masking import hide_input, masked
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import Layout, abstract_error, is_abstract
from tablewright.design.patterns.plan_compiler import compile_plan
from tablewright.design.plans.pattern_settings import PatternSettings
from tablewright.design.plans.plans import Kind, Plan
from tablewright.design.validation.field_rules import annotated_fields
from tablewright.design.validation.pattern_rules import check_setting_names
from tablewright.errors import DesignError

T = TypeVar("T", covariant=True)  # a pattern only ever returns it


def _entities(pattern: "type[Pattern[Any]]") -> tuple[Layout, ...] | None:
    """The layouts of the entities in `Query[User | Role]`; None for base classes."""
    metadata = pattern.__pydantic_generic_metadata__
    if metadata["origin"] is not None or metadata["parameters"]:
        return None
    for base in pattern.__mro__:
        arguments = getattr(base, "__pydantic_generic_metadata__", {}).get("args")
        if arguments:
            return tuple(_layout(pattern, entity) for entity in _alternatives(arguments[0]))
    return None


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return get_args(annotation)
    return (annotation,)


def _layout(pattern: "type[Pattern[Any]]", entity: Any) -> Layout:
    if not (isinstance(entity, type) and issubclass(entity, Entity)):
        raise DesignError(
            f"{pattern.__name__} returns {_shown(entity)}, which is not an Entity; write Query[User]"
        )
    if is_abstract(entity):
        raise DesignError(f"{pattern.__name__} returns {entity.__name__}: {abstract_error(entity)}")
    return entity.layout


def _shown(given: Any) -> str:
    return given if isinstance(given, str) else type_name(given)


class Pattern(PatternSettings, Generic[T]):
    """The base class of all patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    __kind__: ClassVar[Kind]
    __plan__: ClassVar[Plan]

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Check the names of the parameters."""
        if arguments:
            name, value = next(iter(arguments.items()))
            raise DesignError(
                f"{cls.__name__} has no class argument {name}; settings are written in the class: {name} = {value!r}"
            )
        super().__init_subclass__()
        check_setting_names(cls, annotated_fields(cls), PatternSettings.__class_vars__)

    @classmethod
    def __pydantic_init_subclass__(cls, **extra: Any) -> None:
        """Compile the plan of a concrete pattern."""
        super().__pydantic_init_subclass__(**extra)
        entities = _entities(cls)
        if entities is None:
            return
        check_setting_names(cls, cls.model_fields, PatternSettings.__class_vars__)
        cls.__plan__ = compile_plan(cls, cls.__kind__, entities)
        if cls._secrets():
            hide_input(cls)

    @classmethod
    def _secrets(cls) -> frozenset[str]:
        return frozenset(
            name for layout in cls.__plan__.layouts for name in layout.secrets if name in cls.model_fields
        )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """The arguments that `repr` shows; secrets are masked."""
        return masked(self._secrets(), super().__repr_args__())


class Get(Pattern[T], Generic[T]):
    """One item by its whole key: `T | None`."""

    __kind__ = "get"


class Find(Pattern[T], Generic[T]):
    """One item through an index: `T | None`."""

    __kind__ = "find"


class Query(Pattern[T], Generic[T]):
    """The items of one partition, in order, page by page."""

    __kind__ = "query"


class Scan(Pattern[T], Generic[T]):
    """All items of a table or index, in no useful order, page by page."""

    __kind__ = "scan"


class BatchGet(Pattern[T], Generic[T]):
    """Many items by their keys: parameters that are lists vary together, the others are shared."""

    __kind__ = "batch"


define_bases(PatternSettings, Pattern, Get, Find, Query, Scan, BatchGet)
