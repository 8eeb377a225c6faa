"""Applied changes: the values of a change are validated, and the change is applied to a value in Python.

The rules are those of DynamoDB: all changes of an update see the old values; the index of a list element is its index
in the old list; an element set beyond the end is appended.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import Part, plain_type
from tablewright.design.fields.change_places import ChangePlace, element_type, kind_of, place_of
from tablewright.design.fields.entity_attributes import path_source
from tablewright.design.fields.field_changes import (
    AddTo,
    Append,
    Change,
    Discard,
    LowerTo,
    Prepend,
    RaiseTo,
    Remove,
    SetIfAbsent,
    SetTo,
)
from tablewright.design.fields.revalidation import InvalidModel, rebuilt
from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.errors import InvalidWrite

REMOVED: Final = object()
"""The result of a change that leaves no value."""

_EXACT = Context(prec=38)
"""DynamoDB's numbers have 38 digits."""


class NoParent(Exception):
    """The map or list around a changed value does not exist; `parent` is its path as it is written in Python."""

    def __init__(self, change: "PlacedChange", depth: int) -> None:
        self.change = change.change
        self.parent = path_source(change.place.parent(depth))
        super().__init__(f"{self.parent} is absent")


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A change with its place and its validated value."""

    change: Change
    place: ChangePlace
    value: Any = None
    """The value of set; the amount or members of add; the members of discard; the elements of append."""

    @property
    def name(self) -> str:
        """The field of the entity."""
        return self.place.name

    def applied_to(self, before: Any, *, is_stored: bool) -> Any:
        """The new value, or `REMOVED`; `is_stored` decides `set_if_absent`."""
        match self.change:
            case SetTo() | Remove():
                return self.value
            case SetIfAbsent():
                return before if is_stored else self.value
            case RaiseTo():
                return self.value if before is None else max(before, self.value)
            case LowerTo():
                return self.value if before is None else min(before, self.value)
            case AddTo():
                return added(before, self.value)
            case Discard():
                return self._left(before)
            case Append():
                return [*self._elements(before), *self.value]
            case Prepend():
                return [*self.value, *self._elements(before)]
            case _:
                raise AssertionError(f"not a change: {self.change!r}")

    def _left(self, before: Any) -> Any:
        """The members that stay. No empty set is stored, so its field or map entry is absent."""
        if before is None:
            return REMOVED if self.place.info is None else None
        if kind_of(type(before)) != "set":
            raise InvalidWrite(f"{self.change.shown}: the stored value is a {type(before).__name__}")
        left = before - self.value
        if left or (self.place.info is not None and not self.place.accepts_none):
            return left
        return None if self.place.info is not None else REMOVED

    def _elements(self, before: Any) -> Sequence[Any]:
        if before is None:
            return ()
        if not isinstance(before, list | tuple):
            raise InvalidWrite(f"{self.change.shown}: the stored value is a {type(before).__name__}")
        return before


def added(before: Any, amount: Any) -> Any:
    """The sum of two numbers, or the union of two sets; an absent one counts as zero or as empty.

    >>> added(None, 2), added({"a"}, {"b"}) == {"a", "b"}, added(Decimal("0.1"), Decimal("0.2"))
    (2, True, Decimal('0.3'))
    """
    if before is None:
        return amount
    kinds = (kind_of(type(before)), kind_of(type(amount)))
    if kinds == ("set", "set"):
        return before | amount
    if kinds != ("number", "number"):
        raise InvalidWrite(
            f"a {type(amount).__name__} cannot be added to the stored {type(before).__name__}; change it with set"
        )
    if isinstance(before, float) or isinstance(amount, float):
        return float(before) + float(amount)
    if isinstance(before, Decimal) or isinstance(amount, Decimal):
        return _EXACT.add(Decimal(before), Decimal(amount))
    return before + amount


def placed_changes(entity: type[BaseModel], changes: Iterable[Any]) -> list[PlacedChange]:
    """The changes with their places and validated values; `InvalidWrite` if one does not fit, or two overlap."""
    placed = [_placed(entity, change) for change in changes]
    for one, other in combinations(placed, 2):
        if overlap(one.change.path.parts, other.change.path.parts):
            raise InvalidWrite(
                f"{one.change.shown} and {other.change.shown} overlap; an update changes each value once, "
                "so make it one change, or two updates"
            )
    return placed


def overlap(one: Sequence[Part], other: Sequence[Part]) -> bool:
    """Whether two paths are the same, or one is inside of the other."""
    return all(mine == theirs for mine, theirs in zip(one, other, strict=False))


def changed_fields(
    values: Mapping[str, Any], changes: Sequence[PlacedChange], is_stored: Callable[[PlacedChange, Any], bool]
) -> dict[str, Any]:
    """The new values of the fields that the changes touch; `NoParent` if a map or list that they need is absent.

    `is_stored` returns, for a change and its value before, whether that value is stored.
    """
    result = {}
    for name in dict.fromkeys(change.name for change in changes):
        inside = [change for change in changes if change.name == name]
        new = _changed(values.get(name), inside, 1, is_stored)
        result[name] = None if new is REMOVED else new
    return result


def resolved(
    values: Mapping[str, Any], change: PlacedChange, is_stored: Callable[[PlacedChange, Any], bool]
) -> PlacedChange:
    """A change as the value that it leaves at its place, computed from the values of the fields before."""
    before = values.get(change.name)
    for part in change.place.path.parts[1:]:
        before = _parts(before).get(part)
    new = change.applied_to(before, is_stored=is_stored(change, before))
    return PlacedChange(SetTo(change.change.path, change.change.source, new), change.place, new)


def holds_value(change: PlacedChange, before: Any) -> bool:
    """Whether an entity in Python has a value: None and empty sets are not stored."""
    return before is not None and before not in (set(), frozenset())


def validated(place: ChangePlace, annotation: Any, value: Any) -> Any:
    """A value as the declared type accepts it; `InvalidWrite` otherwise. A secret value is not shown."""
    try:
        # A nested model may be given as a map under its names in Python, as `model_dump` returns it.
        return type_adapter(annotation).validate_python(rebuilt(value), by_alias=True, by_name=True)
    except ValidationError as error:
        problems = problems_of(error)
    except InvalidModel as error:
        problems = error.problems
    where = path_source(place.path)
    raise InvalidWrite(f"{where} is not valid" if place.path.secret else describe_problems(problems, where))


def type_adapter(annotation: Any) -> TypeAdapter[Any]:
    """Return the validator of a type; made once, as it takes longer than a request."""
    try:
        return _kept_adapter(annotation)
    except TypeError:  # metadata that cannot be hashed
        return TypeAdapter(annotation)


@lru_cache(maxsize=1024)
def _kept_adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _placed(entity: type[BaseModel], change: Any) -> PlacedChange:
    if not isinstance(change, Change):
        raise InvalidWrite(
            f"an update of {entity.__name__} takes changes such as {entity.__name__}.field.set(...), "
            f"got a {type(change).__name__}; "
            "a mapping goes into set={...} or add={...}, a condition into when="
        )
    place = place_of(entity, change.path)
    return PlacedChange(change, place, _value(place, change))


def _value(place: ChangePlace, change: Change) -> Any:
    match change:
        case Remove():
            return _removed(place)
        case SetTo(value=None) if not (place.info is None and place.accepts_none):
            return _removed(place)
        case SetTo(value=value):
            return validated(place, place.annotation, value)
        case SetIfAbsent(value=value) | RaiseTo(value=value) | LowerTo(value=value):
            if value is None:
                raise InvalidWrite(f"{change.shown} takes a value, not None")
            return validated(place, place.annotation, value)
        case AddTo(members=members) if _is_number(place, members):
            return _amount(place, change, members)
        case AddTo(members=members) | Discard(members=members):
            return _members(place, change, members)
        case Append(members=members) | Prepend(members=members):
            return _list(place, change, members)
        case _:
            raise AssertionError(f"not a change: {change!r}")


def _removed(place: ChangePlace) -> Any:
    """What is left when a value is removed: a field that cannot be None has its default."""
    if place.info is None:
        return REMOVED
    if place.accepts_none:
        return None
    if place.info.is_required():
        raise InvalidWrite(f"{path_source(place.path)} is required and cannot be removed")
    return place.default


def _is_number(place: ChangePlace, members: tuple[Any, ...]) -> bool:
    adds_number = len(members) == 1 and kind_of(type(members[0])) == "number"
    return place.kind == "number" or (place.kind == "unknown" and adds_number)


def _amount(place: ChangePlace, change: Change, members: tuple[Any, ...]) -> Any:
    if len(members) != 1 or kind_of(type(members[0])) != "number":
        raise InvalidWrite(f"{change.shown}: a number takes one number to add")
    return validated(place, plain_type(place.annotation)[0], members[0])


def _members(place: ChangePlace, change: Change, members: tuple[Any, ...]) -> Any:
    if place.kind not in ("set", "unknown"):
        suited = "a number or a set" if isinstance(change, AddTo) else "a set"
        raise InvalidWrite(f"{change.shown}: the field is not {suited}; change it with set")
    if not members:
        raise InvalidWrite(f"{change.shown} takes one member or more")
    return validated(place, set[element_type(place.annotation)], members)  # type: ignore[misc]


def _list(place: ChangePlace, change: Change, elements: tuple[Any, ...]) -> Any:
    if place.kind not in ("list", "unknown"):
        raise InvalidWrite(f"{change.shown}: the field is not a list; change it with set")
    if not elements:
        raise InvalidWrite(f"{change.shown} takes one element or more")
    return validated(place, list[element_type(place.annotation)], list(elements))  # type: ignore[misc]


def _changed(
    value: Any, changes: Sequence[PlacedChange], depth: int, is_stored: Callable[[PlacedChange, Any], bool]
) -> Any:
    """A value with the changes at it or inside of it; `depth` is the number of parts of its path."""
    first = changes[0]
    if len(first.place.path.parts) == depth:
        return first.applied_to(value, is_stored=is_stored(first, value))
    if value is None:
        raise NoParent(first, depth)
    groups: dict[Part, list[PlacedChange]] = {}
    for change in changes:
        groups.setdefault(change.place.path.parts[depth], []).append(change)
    old = _parts(value)
    new = {part: _changed(old.get(part), inside, depth + 1, is_stored) for part, inside in groups.items()}
    return _with_parts(value, new, first)


def _parts(value: Any) -> dict[Any, Any]:
    if isinstance(value, BaseModel):
        return {**value.__dict__, **(value.model_extra or {})}
    if isinstance(value, Mapping):
        return dict(value)
    return dict(enumerate(value)) if isinstance(value, list | tuple) else {}


def _with_parts(value: Any, new: Mapping[Any, Any], change: PlacedChange) -> Any:
    """A model, map or list with new values of some parts."""
    kept = {part: content for part, content in new.items() if content is not REMOVED}
    removed = new.keys() - kept.keys()
    if isinstance(value, BaseModel):
        return _with_fields(value, kept, change)
    if isinstance(value, Mapping):
        return {part: content for part, content in {**value, **kept}.items() if part not in removed}
    if isinstance(value, list | tuple):
        elements = [kept.get(index, content) for index, content in enumerate(value) if index not in removed]
        return [*elements, *(kept[index] for index in sorted(kept) if index >= len(value))]
    raise InvalidWrite(f"{change.change.shown}: the stored value around it is a {type(value).__name__}")


def _with_fields(model: BaseModel, new: Mapping[str, Any], change: PlacedChange) -> BaseModel:
    """A model with new values of some fields, validated as a whole."""
    try:
        made = type(model).model_validate({**_parts(model), **new}, by_name=True, by_alias=False)
    except ValidationError as error:
        secret = change.place.path.secret
        shown = "the new value is not valid" if secret else describe_problems(problems_of(error))
        raise InvalidWrite(f"{change.change.shown}: {shown}") from None
    made.model_fields_set.intersection_update(model.model_fields_set | new.keys())
    return made
