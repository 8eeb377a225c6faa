"""Access patterns: a pattern is a class, a request is its instance.

    class UsersByRole(Query[User]):
        "List users by role."
        role: Role
        key = "GSI1PK = ROLE#{role}"
        newest_first = True

    page = db.run(UsersByRole(role=Role.FOUNDER))

Parameters are typed fields. `key` is the line of the design document; without it, the key is the entity's own, as far
as the parameters reach. A pattern that cannot work is refused when its class is defined.
"""

import types
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from tablewright.design.entities.entities import Entity
from tablewright.design.fields.rates import Rate
from tablewright.design.layouts.layouts import Layout
from tablewright.design.patterns.plans import Kind, Plan, compile_plan
from tablewright.design.validation.secret_rules import hide_input, masked
from tablewright.design.validation.shadowed_names import annotated_fields
from tablewright.errors import DesignError

T = TypeVar("T", covariant=True)  # a pattern only ever returns it


def _entities(pattern: "type[Pattern[Any]]") -> tuple[Layout, ...] | None:
    """The layouts of the entities in `Query[User | Role]`; None for the patterns that are only bases."""
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
        raise DesignError(f"{pattern.__name__} returns {entity!r}, which is no Entity; write Query[User]")
    return entity.layout


def _check_parameters(pattern: "type[Pattern[Any]]", names: Iterable[str]) -> None:
    for name in names:
        if name in Pattern.__class_vars__:
            raise DesignError(
                f"{pattern.__name__} has a parameter {name}, which is a setting of every pattern; "
                f"call it {name}_ and give a key line that says so"
            )


class Pattern(BaseModel, Generic[T]):
    """The base of all patterns, with their settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: ClassVar[Kind]
    plan: ClassVar[Plan]

    key: ClassVar[str | None] = None
    """The key condition, as the document writes it."""
    index: ClassVar[str | None] = None
    """The index to read; found by the key line when there is one."""
    filter: ClassVar[str | None] = None
    """A DynamoDB filter over field names, with the pattern's parameters as `:name`."""
    fields: ClassVar[tuple[str, ...]] = ()
    """The fields to read; none is all of them."""
    newest_first: ClassVar[bool] = False
    consistent: ClassVar[bool] = False
    page_size: ClassVar[int | None] = None
    rate: ClassVar[Rate | None] = None
    """How often it runs; feeds capacity, cost and heat."""
    items: ClassVar[int | None] = None
    """How many items one run is expected to return."""
    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and meant: `{"TW303": "why it is so"}`."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Look at the names of the parameters."""
        super().__init_subclass__(**arguments)
        _check_parameters(cls, annotated_fields(cls))

    @classmethod
    def __pydantic_init_subclass__(cls, **extra: Any) -> None:
        """Compile the plan of a concrete pattern."""
        super().__pydantic_init_subclass__(**extra)
        entities = _entities(cls)
        if entities is None:
            return
        _check_parameters(cls, cls.model_fields)
        cls.plan = compile_plan(cls, cls.kind, entities)
        if cls._secrets():
            hide_input(cls)

    @classmethod
    def _secrets(cls) -> frozenset[str]:
        return frozenset(
            name for layout in cls.plan.layouts for name in layout.secrets if name in cls.model_fields
        )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """What `repr` shows: never a secret to look for."""
        return masked(self._secrets(), super().__repr_args__())


class Get(Pattern[T], Generic[T]):
    """One item by its whole key: `T | None`."""

    kind = "get"


class Find(Pattern[T], Generic[T]):
    """One item through an index: `T | None`."""

    kind = "find"


class Query(Pattern[T], Generic[T]):
    """The items of one partition, in order, page by page."""

    kind = "query"


class Scan(Pattern[T], Generic[T]):
    """All items of a table or index, in no useful order, page by page."""

    kind = "scan"


class BatchGet(Pattern[T], Generic[T]):
    """Many items by their keys: parameters that are lists vary together, the others are shared."""

    kind = "batch"
