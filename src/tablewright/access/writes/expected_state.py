"""The expected state of a stored entity: its items as they would be written now.

A value that was never stored is not invented: a missing timestamp or generated id would differ each time. Such fields
are left out, and so are the index keys and copies that are made of them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from tablewright.access.context import Context
from tablewright.access.items.decoding import unknown_item
from tablewright.access.items.footprint import ComparableKey, Dependent, footprint
from tablewright.access.items.item_values import key_of
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Unique
from tablewright.design.layouts.layouts import OWNER, KeyLayout, Layout
from tablewright.dynamodb.values.attributes import Item


class ExpectedState(NamedTuple):
    """An entity and its items, not encrypted."""

    entity: Entity
    main: Item
    dependents: Mapping[ComparableKey, Dependent]
    undecided: frozenset[str] = frozenset()
    """Key attributes of indexes that are made of values which were never stored."""

    @property
    def layout(self) -> Layout:
        """The layout of the entity."""
        return self.entity.layout

    @property
    def key(self) -> Item:
        """The primary key."""
        return key_of(self.layout.table, self.main)

    def owned_by(self, key: Item) -> "ExpectedState":
        """Return the state with copies and locks that belong to another key of the entity."""
        mark: Item = {OWNER: {"M": key}}
        owned = {
            own: dependent._replace(item=dependent.item | mark, mark=mark)
            if OWNER in dependent.mark
            else dependent
            for own, dependent in self.dependents.items()
        }
        return self._replace(main=self.main | key, dependents=owned)

    @property
    def index_attributes(self) -> frozenset[str]:
        """The attributes that are stored for indexes only, and whose values are known."""
        return index_attributes(self.layout) - self.undecided


def expected_state(
    context: Context,
    layout: Layout,
    item: Item,
    decrypted: Item,
    *,
    any_key: bool = False,
    any_name: bool = False,
) -> ExpectedState:
    """Return the expected state of a stored item; `decrypted` is what the decoder reads it as.

    Raise `UnknownItem` when the item is no such entity. `any_key` accepts a key of another template; the expected state
    has the key that the class makes. `any_name` accepts nested models under their names in Python.
    """
    entity = context.decoder(layout).entity_from(item, decrypted, any_key=any_key, any_name=any_name)
    made = footprint(entity, context.vault)
    invented = {name for name in _generated(layout.entity) if layout.fields[name].stored not in decrypted}
    if not invented:
        return ExpectedState(entity, made.main, made.dependents)
    unstored = {layout.fields[name].stored for name in invented}
    invented |= layout.with_computed(invented)
    if any_key and _depends(layout.primary, invented):
        raise unknown_item(
            layout.table,
            item,
            f"is not a valid {layout.entity.__name__}: it lacks fields of which its key is made",
        )
    undecided = {attribute for key in layout.indexes if _depends(key, invented) for attribute, _ in key.parts}
    known = {copy.name for copy in layout.copies if not any(_depends(key, invented) for key in copy.keys)}
    dependents = {
        key: dependent._replace(item=_without(dependent, invented, unstored))
        for key, dependent in made.dependents.items()
        if (
            dependent.copy in known
            if dependent.field is None
            else not (dependent.lock and _depends(dependent.lock.key, invented))
        )
    }
    main = {name: value for name, value in made.main.items() if name not in unstored | undecided}
    return ExpectedState(entity, main, dependents, frozenset(undecided) & index_attributes(layout))


def keeps_dependents(expected: ExpectedState, stored: Item) -> bool:
    """Return whether the copies and locks of a stored item certainly have the keys of the expected ones.

    That is so when the fields that these keys are made of are text or whole numbers, and stored as the expected state
    has them. It saves most entities that are rewritten the computation of their former state. `stored` is decrypted.
    """
    sources = _dependent_sources(type(expected.entity))
    if sources is None:
        return False
    values = expected.entity.__dict__
    for name, attribute in sources:
        value, before = values[name], stored.get(attribute)
        if type(value) is str:
            is_same = before == {"S": value}
        elif type(value) is int:
            is_same = before == {"N": str(value)}
        else:
            is_same = value is None and before is None
        if not is_same:
            return False
    return True


@cache
def _dependent_sources(entity: type[Entity]) -> tuple[tuple[str, str], ...] | None:
    """The fields that the keys of copies and locks are made of, each with its attribute.

    None when the keys may depend on more than the stored values of these fields: on secrets, computed fields, the
    elements of a list, or functions of the class that validate.
    """
    layout = entity.layout
    schemas = _field_schemas(entity.__pydantic_core_schema__)
    if layout.secrets or layout.computed or any(copy.copy.each for copy in layout.copies):
        return None
    keys = [*(copy.primary for copy in layout.copies), *(lock.key for lock in layout.locks)]
    names = {name for key in keys for name in key.names}
    for field, unique in layout.marked(Unique):
        names |= {field.name, *unique.within}
    if any(name not in layout.fields or _calls_functions(schemas.get(name)) for name in names):
        return None
    return tuple((name, layout.fields[name].stored) for name in sorted(names))


def _field_schemas(schema: Any) -> Mapping[str, Any]:
    """The schemas by which pydantic validates the fields of a class; none if functions see the class as a whole."""
    if schema["type"] == "model" and not (schema.get("custom_init") or schema.get("post_init")):
        inner: Mapping[str, Any] = schema["schema"]
        return inner["fields"] if inner["type"] == "model-fields" else {}
    return {}


def _calls_functions(schema: Any) -> bool:
    """Whether a validation calls functions; True for what is not known."""
    if isinstance(schema, Mapping):
        kind = str(schema.get("type", ""))
        if kind.startswith(("function", "definition", "custom")) or "default_factory" in schema:
            return True
        return any(
            _calls_functions(part) for part in schema.values() if isinstance(part, dict | list | tuple)
        )
    return schema is None or (
        isinstance(schema, list | tuple) and any(_calls_functions(part) for part in schema)
    )


def index_attributes(layout: Layout) -> frozenset[str]:
    """Return the attributes of the main item that are stored for indexes only."""
    return _index_attributes(layout.entity)


@cache
def _index_attributes(entity: type[Entity]) -> frozenset[str]:
    layout = entity.layout
    return frozenset(layout.table.key_attributes) - layout.permanent_attributes


@cache
def _generated(entity: type[Entity]) -> frozenset[str]:
    """The fields whose default differs each time: timestamps and generated ids."""
    generated = set()
    for name, field in entity.layout.fields.items():
        make = entity.model_fields[name]
        if make.default_factory is None:
            continue
        once, twice = (make.get_default(call_default_factory=True, validated_data={}) for _ in range(2))
        if field.automatic or once != twice:
            generated.add(name)
    return frozenset(generated)


def _without(dependent: Dependent, invented: set[str], unstored: set[str]) -> Item:
    """A copy or lock without the attributes that are made of invented values."""
    if dependent.lock is not None:
        made = {name for name, template in dependent.lock.attributes if invented & set(template.names)}
        unstored = made - dependent.mark.keys()
    return {name: value for name, value in dependent.item.items() if name not in unstored}


def _depends(key: KeyLayout, names: set[str]) -> bool:
    return bool(names & set(key.names))
