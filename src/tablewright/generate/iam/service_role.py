"""The service role: runs access patterns and writes entities, and nothing else.

With a tenant, everything is limited to the partitions of the tenant. What cannot be limited is an error, unless it is
named as shared.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tablewright.design.argument_errors import suggestion
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Counter, Encrypted, Hashed, Unique, Version
from tablewright.design.indexes import VectorIndex
from tablewright.design.layouts.layouts import LOCK, CopyLayout, KeyLayout, Layout
from tablewright.design.patterns import Pattern
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import Plan, projected_attributes
from tablewright.design.tables import Table
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants, TableArns
from tablewright.generate.iam.partition_patterns import PartitionPattern, literal, partition_pattern

Member = type[Pattern[Any]] | type[Entity]

READS = {
    "get": ("BatchGetItem", "ConditionCheckItem", "GetItem"),  # get_all reads several at once, Check compares
    "find": ("Query",),
    "query": ("Query",),
    "scan": ("Scan",),
    "batch": ("BatchGetItem",),
    "nearest": ("SearchVectors",),
}
# Decrypting secrets reads their keys; only writing secrets creates keys.
KEY_READS = ("BatchGetItem",)
KEY_WRITES = ("BatchGetItem", "PutItem")
# Shredding a tenant deletes its keys; other roles do not need these actions.
KEY_SHREDS = ("DeleteItem", "Query")


@dataclass(frozen=True, slots=True)
class Right:
    """What a member needs: actions on a table or index, in some partitions."""

    resource: str
    actions: tuple[str, ...]
    partitions: tuple[PartitionPattern, ...]
    about: str
    """The key that the partitions are those of, for messages."""
    attributes: tuple[str, ...] | None = None

    @property
    def is_limited(self) -> bool:
        """Whether it is limited to the partitions of the tenant."""
        return bool(self.partitions) and all(partition.is_limited for partition in self.partitions)


class ServiceRole:
    """The rights of a role that runs patterns and writes entities of a design."""

    def __init__(self, design: Design, arns: TableArns, tenant: str | None = None) -> None:
        self.design = design
        self.arns = arns
        self.tenant = tenant
        if tenant is not None:
            _require_field(design, tenant)

    def grant(self, grants: Grants, members: Sequence[Member], shared: Collection[str] = ()) -> None:
        """Add the rights of these members; raises UsageError for what cannot be limited to the tenant."""
        problems = []
        for member in members:
            for right in self.rights(member):
                if self.tenant is not None and not right.is_limited and member.__name__ not in shared:
                    problems.append(f"{member.__name__} ({right.about})")
                grants.add(right.resource, right.actions, right.partitions, right.attributes)
        if problems:
            raise UsageError(
                f"these cannot be limited to {self.tenant}, so every tenant could use them for the data of all: "
                f"{', '.join(dict.fromkeys(problems))}; leave them out with --only, or accept each with --shared NAME"
            )

    def is_limited(self, member: Member) -> bool:
        """Whether everything that a pattern or entity needs is limited to the tenant."""
        return all(right.is_limited for right in self.rights(member))

    def rights(self, member: Member) -> Iterator[Right]:
        """What a pattern or entity needs."""
        if issubclass(member, Entity):
            yield from self._writes(member.layout)
        else:
            yield from self._reads(member.__plan__)

    def _reads(self, plan: Plan) -> Iterator[Right]:
        table, index = plan.table, plan.index
        resource = self.arns.of(table, index.name if index else None)
        # The leading attribute of a key with several. A search has no leading keys that a policy could limit.
        clauses = () if plan.kind == "nearest" else plan.partition_clauses[:1]
        partitions = [self._clause_pattern(plan, clause) for clause in clauses]
        named = ", ".join(f"{clause.attribute} = {clause.templates[0].text}" for clause in clauses)
        about = named or ("a search" if plan.kind == "nearest" else "a scan")
        if plan.lock is not None:  # the owner of the lock is read too
            partitions += [self._key_pattern(layout, layout.primary) for layout in plan.layouts]
        yield Right(resource, READS[plan.kind], tuple(partitions), about, _attributes(plan))
        for layout in plan.layouts:
            yield from self._keys(layout, KEY_READS)

    def _clause_pattern(self, plan: Plan, clause: KeyClause) -> PartitionPattern:
        """The pattern of a clause; a parameter with another name than the field of the key is that field."""
        kind = plan.table.type_of(clause.attribute)
        pattern = partition_pattern(clause.templates[0], kind, self.tenant)
        for layout in plan.layouts:
            key = layout.key_for(plan.index)
            template = dict(key.parts).get(clause.attribute) if key else None
            if not pattern.is_limited and template is not None and clause.has_form_of(template):
                pattern = partition_pattern(template, kind, self.tenant)
        return pattern

    def _key_pattern(self, layout: Layout, key: KeyLayout) -> PartitionPattern:
        attribute, template = key.parts[0]
        return partition_pattern(template, layout.table.type_of(attribute), self.tenant)

    def _writes(self, layout: Layout) -> Iterator[Right]:
        arn = self.arns.of(layout.table)
        main = self._key_pattern(layout, layout.primary)
        yield Right(arn, tuple(main_actions(layout)), (main,), _shown(layout.primary))
        for copy in layout.copies:
            pattern = self._key_pattern(layout, copy.primary)
            yield Right(arn, tuple(copy_actions(layout, copy)), (pattern,), f"copy {_shown(copy.primary)}")
        for field, _ in layout.marked(Unique):
            pattern = self._lock_pattern(layout, field.name)
            about = f"locks of {field.name}, which a tenant could take from others"
            yield Right(arn, tuple(lock_actions(layout, field.name)), (pattern,), about)
        yield from self._deletions(layout, main)
        yield from self._keys(layout, KEY_WRITES)

    def _deletions(self, layout: Layout, main: PartitionPattern) -> Iterator[Right]:
        """What the deletion of an entity with its owner, or with what it owns, needs besides its writes."""
        table, owns = self.arns.of(layout.table), self.design.owned_by(layout.entity)
        references = [
            reference for reference in self.design.references_of(layout.entity) if reference.is_owned
        ]
        if not owns and not references:
            return
        dependents = [self._key_pattern(layout, copy.primary) for copy in layout.copies]
        dependents += [self._lock_pattern(layout, field.name) for field, _ in layout.marked(Unique)]
        if dependents:
            yield Right(table, ("BatchGetItem",), tuple(dependents), "its copies and locks")
        for reference in references:
            for listing in self.design.owned_by(reference.target):
                if listing.reference is not reference:
                    continue
                index = listing.key.index
                pattern, about = self._key_pattern(layout, listing.key), _shown(listing.key)
                yield Right(
                    self.arns.of(layout.table, index.name if index else None), ("Query",), (pattern,), about
                )
                if index is not None:
                    yield Right(table, ("BatchGetItem",), (main,), _shown(layout.primary))
                elif not owns and not dependents:
                    yield Right(table, ("BatchWriteItem",), (main,), _shown(layout.primary))

    def _lock_pattern(self, layout: Layout, name: str) -> PartitionPattern:
        lock = layout.lock_of(name)
        if lock is not None:
            return self._key_pattern(layout, lock.key)
        typed = literal(f"{LOCK}#{layout.type_name or layout.entity.__name__}#{name}#")
        return PartitionPattern(f"{typed}*")

    def _keys(self, layout: Layout, actions: tuple[str, ...]) -> Iterator[Right]:
        """The keys of the secrets of an entity, by the leading value of their contexts."""
        if self.design.key_table is None or not layout.secrets:
            return
        arn = self.arns.of(self.design.key_table)
        owners = [_key_owner(layout, marker, self.tenant) for _, marker in layout.marked(Encrypted)]
        if own := tuple(owner for owner in owners if owner is not None):
            yield Right(arn, actions, own, "encryption keys")
        for key in _common_keys(layout):
            # A tenant can use a key that all share, and cannot read it without the master key.
            yield Right(arn, KEY_READS, (PartitionPattern(key, is_limited=True),), "encryption keys")
            if actions != KEY_READS:
                about = "encryption keys of all tenants, which a tenant could replace"
                yield Right(arn, actions, (PartitionPattern(key),), about)

    def notes(self, members: Sequence[Member]) -> list[str]:
        """What the declared writes of entities do not prevent, because others write in the same partitions."""
        entities = [member.layout for member in members if issubclass(member, Entity)]
        remarks = []
        for layout in entities:
            main = self._key_pattern(layout, layout.primary)
            others: dict[str, set[str]] = {}
            for other in entities:
                kinds = self._kinds_of_writes(other, layout.table, main) - layout.writes
                if kinds and other is not layout:
                    others[other.entity.__name__] = kinds
            if others:
                remarks.append(_note(layout, others))
        return remarks

    def _kinds_of_writes(self, layout: Layout, table: Table, partitions: PartitionPattern) -> set[str]:
        """The writes that an entity needs in partitions of a table, besides creating."""
        return {
            kind
            for right in self._writes(layout)
            for action, kind in _KINDS.items()
            if action in right.actions
            and right.resource == self.arns.of(table)
            and any(partition.overlaps(partitions) for partition in right.partitions)
        }


_KINDS = {"UpdateItem": "update", "DeleteItem": "delete"}


def _note(layout: Layout, others: dict[str, set[str]]) -> str:
    name = layout.entity.__name__
    kinds = " or ".join(kind for kind in _KINDS.values() if any(kind in other for other in others.values()))
    return (
        f"{name} allows no {kinds}, but {', '.join(others)} {'does' if len(others) == 1 else 'do'} in the same "
        f"partitions ({_shown(layout.primary)}), and IAM does not tell sort keys apart; give {name} partitions of its "
        f"own, or leave {', '.join(others)} out with --only"
    )


def _common_keys(layout: Layout) -> Iterator[str]:
    """The owners of keys that are not those of a field, so that all tenants share them."""
    if any(not marker.context for _, marker in layout.marked(Encrypted)):
        kind = layout.type_name or layout.entity.__name__
        yield literal(f'[["entity","{layout.table.name}","{kind}"]]')
    if layout.marked(Hashed):
        yield '[["digests"]]'


def _key_owner(layout: Layout, marker: Encrypted, tenant: str | None) -> PartitionPattern | None:
    """The owner of the keys of a field, by the leading field of its context; None if it has no context."""
    if not marker.context:
        return None
    leading = layout.fields[marker.context[0]]
    is_tenant = leading.name == tenant
    value = f"${{aws:PrincipalTag/{leading.name}}}" if is_tenant else "*"
    return PartitionPattern(f'[["{literal(leading.stored)}","{value}"]]', is_tenant)


def main_actions(layout: Layout) -> Iterator[str]:
    """The actions on the main item, by the writes that the entity allows."""
    yield "ConditionCheckItem"
    yield "PutItem"
    if layout.writes & {"update", "delete"}:
        yield "GetItem"
    if "update" in layout.writes:
        yield "UpdateItem"
    if "delete" in layout.writes:
        yield "DeleteItem"
        is_plain = not (layout.copies or any(map(layout.marked, (Unique, Counter, Version))))
        if is_plain:
            yield "BatchWriteItem"


def copy_actions(layout: Layout, copy: CopyLayout) -> Iterator[str]:
    """The actions on a copy: an update deletes it if its key depends on more than the key of the entity."""
    yield "PutItem"
    may_move = copy.copy.each or layout.upcasts or set(copy.primary.names) - set(layout.primary.names)
    if "delete" in layout.writes or ("update" in layout.writes and may_move):
        yield "DeleteItem"


def lock_actions(layout: Layout, name: str) -> Iterator[str]:
    """The actions on the lock of a unique field: an update deletes it if the field can change."""
    yield "PutItem"
    if "delete" in layout.writes or ("update" in layout.writes and name not in layout.primary.names):
        yield "DeleteItem"


def members_of(design: Design, names: Sequence[str]) -> list[Member]:
    """The patterns and entities of these names; all if none are given."""
    members: tuple[Member, ...] = (*design.patterns, *design.entities)
    known = {member.__name__: member for member in members}
    for name in names:
        if name not in known:
            hint = suggestion(name, known)
            raise UsageError(f"{design.name} has no pattern or entity {name}; {hint}")
    return [known[name] for name in names] if names else list(members)


def _require_field(design: Design, tenant: str) -> None:
    names = dict.fromkeys(
        name
        for entity in design.entities
        for key in (entity.layout.primary, *(copy.primary for copy in entity.layout.copies))
        for name in key.parts[0][1].names
    )
    if tenant not in names:
        hint = suggestion(tenant, names, "the partition keys have")
        raise UsageError(f"no partition key of {design.name} contains {tenant}; {hint}")


def _attributes(plan: Plan) -> tuple[str, ...] | None:
    """The attributes that a pattern reads; None for all."""
    if not plan.pattern.fields or any(layout.upcasts for layout in plan.layouts):
        return None
    filtered = plan.filter.names.values() if plan.filter else ()
    vector = (plan.index.attribute,) if isinstance(plan.index, VectorIndex) else ()
    return (*projected_attributes(plan), *(clause.attribute for clause in plan.clauses), *filtered, *vector)


def _shown(key: KeyLayout) -> str:
    attribute, template = key.parts[0]
    return f"{attribute} = {template.text}"
