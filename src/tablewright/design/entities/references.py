"""References: where the fields with `References` and `OwnedBy` lead to, and how what an entity owns is listed.

    class Role(Entity, table=main, type="ROLE"):
        startup_id: Annotated[str, fields.OwnedBy(Startup)]
        author_id: Annotated[str, fields.References("User")]

A target may be defined later, so references are resolved when the design is made.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.argument_errors import suggestion
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import OwnedBy, References, Unique
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.compared_values import ValueMismatch, check_types, element_type
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout, StoredModel
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.validation.field_rules import is_many
from tablewright.errors import DesignError


@dataclass(frozen=True, slots=True)
class DeclaredReference:
    """A field that contains the key of another entity, or of many."""

    entity: type[Entity]
    field: FieldLayout
    target: type[Entity]
    target_field: str
    """The field of the target that has the same value."""
    sources: Mapping[str, str]
    """The fields of the target that are known from the entity, each with the entity's field that has its value."""
    many: bool
    """Whether the field is a list or a set of references."""
    is_owned: bool
    lock: FieldLayout | None = None
    """The unique field of the target by whose lock it is found; None if its primary key is known."""
    problem: str = ""
    """Why the target cannot be found from the entity; empty if it can."""
    fix: str = ""

    @property
    def name(self) -> str:
        """The class and the field."""
        return f"{self.entity.__name__}.{self.field.name}"

    def targets(self, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The values that identify each target, for the fields of an entity; none where a field is None."""
        shared = {name: values.get(own) for name, own in self.sources.items() if name != self.target_field}
        if None in shared.values():
            return
        value = values.get(self.field.name)
        for key in value or () if self.many else (value,):
            if key is not None:
                yield {**shared, self.target_field: key}


@dataclass(frozen=True, slots=True)
class Ownership:
    """How the entities of one class that an owner owns are listed: by a query on one of their keys."""

    reference: DeclaredReference
    key: KeyLayout
    clauses: tuple[KeyClause, ...]
    """The key condition, with the names of the fields of the owned class."""
    is_exact: bool
    """Whether the primary key shows the owner: what has such a key is owned, whatever its attributes are."""

    @property
    def owned(self) -> type[Entity]:
        """The class of what is owned."""
        return self.reference.entity

    def values(self, owner: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the key condition, for the fields of the owner."""
        return {own: owner[name] for name, own in self.reference.sources.items()}


def resolve_references(design: str, entities: Sequence[type[Entity]]) -> tuple[DeclaredReference, ...]:
    """The references between the entities of a design; DesignError if a target is not part of it or does not fit."""
    return tuple(
        _resolved(design, entity, field, marker, entities)
        for entity in entities
        for field, marker in entity.layout.marked(References)
    )


def _resolved(
    design: str,
    entity: type[Entity],
    field: FieldLayout,
    marker: References,
    entities: Sequence[type[Entity]],
) -> DeclaredReference:
    name = f"{entity.__name__}.{field.name}"
    target = _target(design, name, marker, entities)
    layout = target.layout
    for named in (*marker.within, *([marker.field] if marker.field else ())):
        if layout.field(named) is None:
            hint = suggestion(named, layout.fields)
            raise DesignError(f"{name} refers to {target.__name__}.{named}, which is no field; {hint}")
    target_field = marker.field or _target_field(entity, field, marker, layout)
    known = {
        common: common for common in layout.fields if common in entity.layout.fields and common != field.name
    }
    known |= {**marker.within, target_field: field.name}
    lock = _lock(layout, target_field, known)
    needed = layout.primary.names if lock is None else (target_field, *lock.marker(Unique).scope)
    sources = {source: known[source] for source in needed if source in known} | {target_field: field.name}
    _check_types(entity, target, field, sources)
    problem, fix = ("", "") if lock else _unreachable(entity, target, target_field, sources)
    reference = DeclaredReference(
        entity,
        field,
        target,
        target_field,
        sources,
        is_many(field),
        isinstance(marker, OwnedBy),
        lock,
        problem,
        fix,
    )
    if reference.is_owned and not layout.secrets.isdisjoint(layout.primary.names):
        raise DesignError(
            f"{name} is owned by {target.__name__}, whose key contains a secret: a stored {target.__name__} has only "
            "its hash, so that what it owns cannot be listed; use References"
        )
    if reference.is_owned and (problem or lock):
        raise DesignError(
            f"{name} is owned by {target.__name__}, but does not contain its primary key, which is made of "
            f"{', '.join(layout.primary.names)}; {fix or 'refer to the primary key'}"
        )
    return reference


def _target(design: str, name: str, marker: References, entities: Sequence[type[Entity]]) -> type[Entity]:
    targets = [entity for entity in entities if marker.target in (entity, entity.__name__)]
    if len(targets) == 1:
        return targets[0]
    shown = marker.target_name
    if targets:
        raise DesignError(
            f"{name} refers to {shown}, and {design} has two entities of this name; give the class"
        )
    hint = f"add it to Design(..., entities=[..., {shown}])"
    if isinstance(marker.target, str):
        hint = suggestion(shown, [entity.__name__ for entity in entities], "its entities are")
    raise DesignError(f"{name} refers to {shown}, which is no entity of {design}; {hint}")


def _target_field(entity: type[Entity], field: FieldLayout, marker: References, layout: Layout) -> str:
    """The field of the target's key that a field has the value of: of the same name, or the only one that is left."""
    left = [name for name in layout.primary.names if name not in marker.within]
    if field.name in left:
        return field.name
    others = [name for name in left if name not in entity.layout.fields]
    for names in (left, others):
        if len(names) == 1:
            return names[0]
    name, target = f"{entity.__name__}.{field.name}", layout.entity.__name__
    if not left:
        raise DesignError(
            f"{name} refers to {target}, whose key contains no field that {field.name} could be; remove the reference"
        )
    raise DesignError(
        f"{name} refers to {target}, whose key is made of {', '.join(left)}; say which of them it contains: "
        f'References({target}, field="{left[-1]}")'
    )


def _lock(layout: Layout, target_field: str, known: Mapping[str, str]) -> FieldLayout | None:
    """The unique field by whose lock a target is found, if its primary key is not known."""
    if target_field in layout.primary.names and known.keys() >= set(layout.primary.names):
        return None
    field = layout.fields.get(target_field)
    unique: Unique | None = field.marker(Unique) if field else None
    return field if unique is not None and known.keys() >= set(unique.scope) else None


def _unreachable(
    entity: type[Entity], target: type[Entity], target_field: str, sources: Mapping[str, str]
) -> tuple[str, str]:
    """Why a target cannot be found from a reference, and the fix; empty texts if its primary key is known."""
    layout, own = target.layout, entity.__name__
    if target_field in layout.primary.names and sources.keys() >= set(layout.primary.names):
        return "", ""
    field = layout.field(target_field)
    unique: Unique | None = field.marker(Unique) if field else None
    needed = layout.primary.names if unique is None else unique.scope
    missing = [name for name in needed if name not in sources]
    if target_field not in layout.primary.names and unique is None:
        return (
            f"it contains {target.__name__}.{target_field}, which is neither part of the primary key nor unique",
            f"refer to the primary key ({', '.join(layout.primary.names)}), or make {target.__name__}.{target_field} "
            "fields.Unique()",
        )
    what = "the key" if unique is None else f"the lock of {target_field}"
    return (
        f"{what} of {target.__name__} needs {' and '.join(missing)}, which {own} has not",
        f"add the field {missing[0]} to {own}, or name the field that has its value: "
        f'References({target.__name__}, within={{"{missing[0]}": "..."}})',
    )


def _check_types(
    entity: type[Entity], target: type[Entity], field: FieldLayout, sources: Mapping[str, str]
) -> None:
    """Reject a reference whose values can never be those of the target."""
    for name, own in sources.items():
        mine, theirs = entity.layout.fields[own], target.layout.field(name)
        annotation = element_type(mine.annotation) if own == field.name and is_many(mine) else mine.annotation
        try:
            check_types(annotation, theirs.annotation if theirs else Any, "equal")
        except ValueMismatch as error:
            raise DesignError(
                f"{entity.__name__}.{field.name} refers to {target.__name__}, but {entity.__name__}.{own} can never be "
                f"equal to {target.__name__}.{name}: it {error}"
            ) from None


def list_owned(references: Iterable[DeclaredReference]) -> dict[type[StoredModel], tuple[Ownership, ...]]:
    """What each class owns, and how it is listed; DesignError if no key of what is owned leads from the owner to it."""
    owned: dict[type[StoredModel], tuple[Ownership, ...]] = {}
    for reference in references:
        if reference.is_owned:
            owned[reference.target] = (*owned.get(reference.target, ()), _ownership(reference))
    return owned


def _ownership(reference: DeclaredReference) -> Ownership:
    layout = reference.entity.layout
    local_first = sorted(layout.indexes, key=lambda key: not (key.index and key.index.local))
    for key in (layout.primary, *local_first):
        clauses = tuple(_clauses(layout, key, set(reference.sources.values())))
        if _lists_all(layout, key, clauses, reference):
            return Ownership(reference, key, clauses, _is_exact(key, clauses, reference))
    owner, own = reference.target.__name__, reference.entity.__name__
    names = "#".join(f"{{{name}}}" for name in reference.sources.values())
    raise DesignError(
        f"{reference.name} is owned by {owner}, but no key of {own} lists the entities of an owner: none has a "
        f"partition key of {' and '.join(reference.sources.values())}; give it one, such as "
        f'Keys(primary=("{owner.upper()}#{names}", ...)) or an index with "{owner.upper()}#{names}", or use References'
    )


def _clauses(layout: Layout, key: KeyLayout, known: set[str]) -> Iterator[KeyClause]:
    """The key condition, as far as a key is made of known fields; none if its partition key is not."""
    partition = key.index.partition if key.index else (layout.table.partition,)
    if any(
        attribute in partition and not known.issuperset(template.names) for attribute, template in key.parts
    ):
        return
    for attribute, template in key.parts:
        if known.issuperset(template.names):
            yield KeyClause(attribute, "=", (template,))
            continue
        prefix = "".join(_known_parts(template, known))
        if prefix and layout.table.type_of(attribute) == "S":
            yield KeyClause(attribute, "begins_with", (Template(prefix),))
        return


def _known_parts(template: Template, known: set[str]) -> Iterator[str]:
    for part in template.parts:
        if not isinstance(part, str) and part.name not in known:
            return
        yield str(part)


def _lists_all(
    layout: Layout, key: KeyLayout, clauses: Iterable[KeyClause], reference: DeclaredReference
) -> bool:
    """Whether a key condition selects an owner, and every entity of the owner has the key."""
    known = set(reference.sources.values())
    if not {name for clause in clauses for name in clause.names} >= known:
        return False
    if key.sparse and not all(key.sparse.goes_with(name) and name in known for name in key.sparse.names):
        return False
    in_key = (layout.field(name) for name in key.names if name not in known)
    return key.index is None or not any(field is None or field.optional for field in in_key)


def _is_exact(key: KeyLayout, clauses: Iterable[KeyClause], reference: DeclaredReference) -> bool:
    parts = (part for clause in clauses for part in clause.templates[0].fields)
    shown = {part.name for part in parts if part.is_reversible}
    return key.index is None and shown >= set(reference.sources.values())
