"""Path edits: changes inside of an attribute, and changes that DynamoDB computes from the stored value."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from tablewright.access.condition_text import Aliases
from tablewright.access.items.item_values import nested_attribute, to_attribute
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.applied_changes import REMOVED, PlacedChange
from tablewright.design.fields.change_places import ChangePlace
from tablewright.design.fields.field_changes import AddTo, Append, Discard, Prepend, SetIfAbsent
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.errors import InvalidWrite, ValueNotStorable

PathEditKind: TypeAlias = Literal[
    "set", "set_if_absent", "remove", "increase", "append", "prepend", "discard"
]
DocumentPath: TypeAlias = tuple[str | int, ...]
Parent: TypeAlias = tuple[DocumentPath, Literal["M", "L"]]
"""The path and the type of a map or list that must exist around a changed value."""

_CLAUSES = {"remove": "REMOVE", "discard": "DELETE"}


@dataclass(frozen=True, slots=True)
class PathEdit:
    """A change of one value of an item. `start` is the value that an absent number or list counts as."""

    path: DocumentPath
    kind: PathEditKind
    value: AttributeValue | None = None
    start: AttributeValue | None = None

    @property
    def clause(self) -> str:
        """The clause of the update expression."""
        return _CLAUSES.get(self.kind, "SET")

    @property
    def is_repeatable(self) -> bool:
        """Whether executing it twice does no harm. The index of an element is another after the list has changed."""
        is_counted = self.kind in ("increase", "append", "prepend")
        return not is_counted and all(isinstance(part, str) for part in self.path)

    @property
    def parent(self) -> Parent | None:
        """The map or list that must exist around the value; None for an attribute."""
        if len(self.path) == 1:
            return None
        return self.path[:-1], "L" if isinstance(self.path[-1], int) else "M"

    def text(self, aliases: Aliases) -> str:
        """Return the action in its clause."""
        path = path_text(aliases, self.path)
        if self.value is None:
            return path
        value = aliases.value(self.value)
        if self.kind == "discard":
            return f"{path} {value}"
        if self.kind in ("set", "set_if_absent"):
            return f"{path} = {value}" if self.kind == "set" else f"{path} = if_not_exists({path}, {value})"
        assert self.start is not None
        before = f"if_not_exists({path}, {aliases.value(self.start)})"
        if self.kind == "increase":
            return f"{path} = {before} + {value}"
        operands = (before, value) if self.kind == "append" else (value, before)
        return f"{path} = list_append({', '.join(operands)})"

    def is_applied_to(self, item: Item) -> bool:
        """Return whether an item is in a state that this edit can leave."""
        value = value_at(item, self.path)
        match self.kind:
            case "remove":
                return value is None
            case "set":
                return value is not None and normalise(value) == normalise(self.value or {})
            case "set_if_absent":
                return value is not None
            case "discard":
                return value is None or not _shared(normalise(value), normalise(self.value or {}))
            case _:
                return False  # a sum does not show who added to it


def in_order(edits: Sequence[PathEdit]) -> list[PathEdit]:
    """Return edits with list elements set from the front and removed from the back.

    DynamoDB takes them in any order; other implementations apply them one after another.
    """
    kept = sorted((edit for edit in edits if edit.kind != "remove"), key=_index)
    return kept + sorted((edit for edit in edits if edit.kind == "remove"), key=_index, reverse=True)


def _index(edit: PathEdit) -> int:
    last = edit.path[-1]
    return last if isinstance(last, int) else -1


def path_edit(change: PlacedChange) -> PathEdit:
    """Return the edit of a change that DynamoDB can apply itself."""
    place = change.place
    try:
        return _path_edit(change, place.stored)
    except ValueNotStorable as error:
        raise InvalidWrite(f"{change.change.shown}: {error}") from None


def _path_edit(change: PlacedChange, path: DocumentPath) -> PathEdit:
    place = change.place
    match change.change:
        case AddTo():
            return PathEdit(path, "increase", to_attribute(change.value), number_when_absent(place))
        case Append() | Prepend() as joined:
            kind: PathEditKind = "append" if isinstance(joined, Append) else "prepend"
            return PathEdit(path, kind, to_attribute(change.value), _list_when_absent(place))
        case Discard():
            return PathEdit(path, "discard", to_attribute(change.value))
        case _:
            value = _stored(place, change.value)
    if isinstance(change.change, SetIfAbsent):
        if value is None:
            raise InvalidWrite(f"{change.change.shown} takes a value that can be stored, not an empty set")
        return PathEdit(path, "set_if_absent", value)
    return PathEdit(path, "remove") if value is None else PathEdit(path, "set", value)


def path_text(aliases: Aliases, path: DocumentPath) -> str:
    """Return a document path with aliased names.

    >>> path_text(Aliases(), ("addresses", "home", "lines", 0))
    '#0.#1.#2[0]'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{aliases.name(part)}"
    return text.removeprefix(".")


def value_at(item: Item, path: DocumentPath) -> AttributeValue | None:
    """Return the value at a path of an item, or None."""
    value: AttributeValue | None = {"M": item}
    for part in path:
        if value is None:
            return None
        if isinstance(part, str):
            value = value.get("M", {}).get(part)
        else:
            elements = value.get("L", [])
            value = elements[part] if part < len(elements) else None
    return value


def number_when_absent(place: ChangePlace) -> AttributeValue:
    """Return the value of a number that is not stored: its default, or zero when the default is None."""
    default = None if place.accepts_none else place.default
    return {"N": "0"} if default is None else to_attribute(default)


def _list_when_absent(place: ChangePlace) -> AttributeValue:
    default = None if place.accepts_none else place.default
    return {"L": []} if default is None else to_attribute(default)


def _stored(place: ChangePlace, value: object) -> AttributeValue | None:
    """A value as it is stored; None when it is not."""
    if value is REMOVED:
        return None
    if place.info is None:
        return to_attribute(value)
    if place.is_nested:
        return nested_attribute(place.info, value)
    is_empty = value is None or (isinstance(value, set | frozenset) and not value)
    return None if is_empty else to_attribute(value)


def _shared(value: AttributeValue, members: AttributeValue) -> bool:
    ((kind, content),) = members.items()
    return bool(set(content) & set(value.get(kind, ())))
