"""Change places: where a change applies: the stored path, the declared type, and what else its new value depends on."""

import types
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.fields.annotations import NotNested, Part, member, plain_type
from tablewright.design.fields.conditions import FieldPath
from tablewright.design.fields.entity_attributes import path_source
from tablewright.design.fields.markers import MARKERS, Vector
from tablewright.errors import InvalidWrite

Kind: TypeAlias = Literal["number", "set", "list", "other", "unknown"]


@dataclass(frozen=True, slots=True)
class ChangePlace:
    """Where a change applies."""

    path: FieldPath
    stored: tuple[Part, ...]
    """The path under its stored names."""
    annotation: Any
    """The declared type, with its limits."""
    info: FieldInfo | None
    """The declaration of a field; None for a map entry or a list element."""
    is_validated_with_parents: bool = False
    """Whether a new value here must be validated together with what is around it."""

    @property
    def name(self) -> str:
        """The field of the entity."""
        return self.path.name

    @property
    def is_nested(self) -> bool:
        """Whether it is inside of a field."""
        return len(self.stored) > 1

    @property
    def is_element(self) -> bool:
        """Whether it is an element of a list."""
        return isinstance(self.stored[-1], int)

    @property
    def kind(self) -> Kind:
        """What is stored here, as far as it decides which changes apply."""
        return kind_of(self.annotation)

    @property
    def accepts_none(self) -> bool:
        """Whether None is one of its values."""
        return accepts_none(self.annotation)

    @property
    def is_limited(self) -> bool:
        """Whether it accepts only some values of its type."""
        return has_limits(plain_type(self.annotation)[1])

    @property
    def default(self) -> Any:
        """The value that an absent field has; None if there is none."""
        if self.info is None or self.info.is_required() or self.info.default_factory_takes_validated_data:
            return None
        return self.info.get_default(call_default_factory=True)

    def parent(self, depth: int = -1) -> FieldPath:
        """The path of the map or list around it: the next one, or the one at a depth."""
        return FieldPath(self.path.owner, self.path.parts[:depth], self.path.secret)


def place_of(entity: type[BaseModel], path: FieldPath) -> ChangePlace:
    """The place of a path in an entity; `InvalidWrite` if the entity does not have it."""
    owner = path.owner
    if owner is not None and not issubclass(entity, owner):
        raise InvalidWrite(
            f"{path_source(path)} is a field of {owner.__name__}, and the write changes a {entity.__name__}; "
            f"use a field of {entity.__name__}"
        )
    info = entity.model_fields.get(path.name)
    if info is None:
        raise InvalidWrite(
            f"{entity.__name__} has no field {path.name}; {suggestion(path.name, entity.model_fields)}"
        )
    path = FieldPath(entity, path.parts, path.secret)
    place = ChangePlace(path, (info.alias or path.name,), declared_type(info), info)
    for depth in range(2, len(path.parts) + 1):
        place = _nested(place, FieldPath(entity, path.parts[:depth], path.secret))
    return place


def declared_type(info: FieldInfo) -> Any:
    """The type of a field with its limits, as it was declared."""
    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation


def element_type(annotation: Any) -> Any:
    """The type of the elements of a list or a set, with its limits; `Any` if it is not declared."""
    arguments = get_args(plain_type(annotation)[0])
    return arguments[0] if arguments else Any


def kind_of(annotation: Any) -> Kind:
    """What values of a type are stored as, as far as it decides which changes apply.

    >>> kind_of(int | None), kind_of(list[str]), kind_of(bool), kind_of(Any)
    ('number', 'list', 'other', 'unknown')
    """
    plain, _ = plain_type(annotation)
    if get_origin(plain) in (Union, types.UnionType):
        kinds = {kind_of(kind) for kind in get_args(plain) if kind is not type(None)}
        return kinds.pop() if len(kinds) == 1 else "unknown"
    origin = get_origin(plain) or plain
    if plain is Any or origin is object:
        return "unknown"
    if not isinstance(origin, type):
        return "other"
    if issubclass(origin, int | float | Decimal) and not issubclass(origin, bool | Enum):
        return "number"
    if issubclass(origin, AbstractSet):
        return "set"
    return "list" if issubclass(origin, list) else "other"


def accepts_none(annotation: Any) -> bool:
    """Whether None is a value of a type."""
    if get_origin(annotation) is Annotated:
        return accepts_none(annotation.__origin__)
    if get_origin(annotation) in (Union, types.UnionType):
        return any(accepts_none(argument) for argument in get_args(annotation))
    return annotation in (None, type(None), Any)


def has_limits(metadata: tuple[Any, ...]) -> bool:
    """Whether metadata limits the values of a type; of the markers of this library, only the size of a vector does."""
    return any(isinstance(metadatum, Vector) or not isinstance(metadatum, MARKERS) for metadatum in metadata)


def _nested(parent: ChangePlace, path: FieldPath) -> ChangePlace:
    part = path.parts[-1]
    plain, metadata = plain_type(parent.annotation)
    try:
        stored, annotation = member(parent.annotation, part)
    except NotNested as error:
        raise InvalidWrite(f"{path_source(parent.path)} {error}") from None
    info = None
    is_model = isinstance(plain, type) and issubclass(plain, BaseModel)
    if is_model:
        info = plain.model_fields.get(str(part))
        annotation = annotation if info is None else declared_type(info)
    together = (
        parent.is_validated_with_parents
        or has_limits(metadata)
        or get_origin(plain) in (Union, types.UnionType)
        or (is_model and _has_validator(plain, str(part)))
    )
    return ChangePlace(path, (*parent.stored, stored), annotation, info, together)


def _has_validator(model: type[BaseModel], name: str) -> bool:
    """Whether a model validates a field with others, or with a function of its own."""
    decorators = model.__pydantic_decorators__
    validated = {name for validator in decorators.field_validators.values() for name in validator.info.fields}
    return bool(decorators.model_validators or decorators.root_validators or {"*", name} & validated)
