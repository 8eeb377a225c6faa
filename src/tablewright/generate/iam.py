"""IAM: least-privilege policies for the roles of a design.

A policy is derived from the access patterns that a role runs and the entities that it writes: it allows each action on
the table or index that is used, without wildcards. With a tenant, a table whose partition keys all contain the id of
the tenant is restricted to the partitions of that tenant.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Unique
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import LOCK
from tablewright.design.patterns.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.design.tables.tables import Table
from tablewright.errors import UsageError

Member = type[Pattern[Any]] | type[Entity]

READS = {
    "get": ("dynamodb:BatchGetItem", "dynamodb:GetItem"),  # get_all reads several at once
    "find": ("dynamodb:Query",),
    "query": ("dynamodb:Query",),
    "scan": ("dynamodb:Scan",),
    "batch": ("dynamodb:BatchGetItem",),
}
# A write reads the old item, and a transaction checks items that it does not write.
WRITES = (
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
)
# Decrypting secrets reads their keys; only writing secrets creates keys.
KEY_READS = ("dynamodb:BatchGetItem",)
KEY_WRITES = ("dynamodb:BatchGetItem", "dynamodb:PutItem")
# Shredding a tenant deletes its keys; other roles do not need these actions.
KEY_SHREDS = ("dynamodb:DeleteItem", "dynamodb:Query")


@dataclass(frozen=True, slots=True)
class TableArns:
    """Builds the ARNs of tables and indexes."""

    region: str
    account: str
    environment: str | None = None
    prefix: str = ""
    partition: str = "aws"

    def of(self, table: Table, index: str | None = None) -> str:
        """The ARN of a table or of an index."""
        name = self.prefix + table.physical_name(self.environment)
        arn = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{name}"
        return f"{arn}/index/{index}" if index else arn


Key = tuple[str, bool]
"""A resource, and whether it is restricted to the partitions of the tenant."""


@dataclass(slots=True)
class _Grant:
    """The actions allowed on one table or index, and the partitions."""

    actions: set[str] = field(default_factory=set)
    partitions: set[str] = field(default_factory=set)
    """The patterns of their keys; empty is all partitions."""


class _Grants(dict[Key, _Grant]):
    """All grants of a role."""

    def add(self, resource: str, actions: Iterable[str], partitions: Sequence[str | None]) -> None:
        """Allow actions; a partition that is None does not contain the tenant."""
        own = {each for each in partitions if each is not None}
        is_bound = bool(partitions) and len(own) == len(set(partitions))
        grant = self.setdefault((resource, is_bound), _Grant())
        grant.actions.update(actions)
        if is_bound:
            grant.partitions |= own


def policy(
    design: Design,
    arns: TableArns,
    members: Sequence[Member] = (),
    tenant: str | None = None,
    *,
    may_shred: bool = False,
) -> dict[str, Any]:
    """The policy of a role that runs these patterns and writes these entities; by default, all of the design."""
    grants = _Grants()
    for member in members or (*design.patterns, *design.entities):
        if issubclass(member, Entity):
            _grant_writes(grants, design, arns, member, tenant)
        else:
            _grant_reads(grants, design, arns, member.__plan__, tenant)
    if may_shred:
        _grant_keys(grants, design, arns, KEY_SHREDS)
    statements = [_statement(resource, grant) for (resource, _), grant in sorted(grants.items(), key=_order)]
    return {"Version": "2012-10-17", "Statement": statements}


def _order(entry: tuple[Key, _Grant]) -> Key:
    return entry[0]


def members_of(design: Design, names: Sequence[str]) -> list[Member]:
    """The patterns and entities of these names."""
    members: tuple[Member, ...] = (*design.patterns, *design.entities)
    known = {member.__name__: member for member in members}
    for name in names:
        if name not in known:
            raise UsageError(f"{design.name} has no pattern or entity {name}; it has: {', '.join(known)}")
    return [known[name] for name in names]


def _grant_reads(grants: _Grants, design: Design, arns: TableArns, plan: Plan, tenant: str | None) -> None:
    index = plan.index.name if plan.index else None
    partitions = [_partition(clause.templates[0], tenant) for clause in plan.partition_clauses]
    if plan.lock is not None:  # the owner of the lock is read too
        partitions += [_partition(layout.primary.parts[0][1], tenant) for layout in plan.layouts]
    grants.add(arns.of(plan.table, index), READS[plan.kind], partitions)
    if any(layout.secrets for layout in plan.layouts):
        _grant_keys(grants, design, arns, KEY_READS)


def _grant_writes(
    grants: _Grants, design: Design, arns: TableArns, entity: type[Entity], tenant: str | None
) -> None:
    layout = entity.layout
    keys = [layout.primary, *(copy.primary for copy in layout.copies)]
    partitions = [_partition(key.parts[0][1], tenant) for key in keys]
    if all(partitions):
        # Locks of unique values are shared by all tenants.
        partitions += [_lock_partition(layout, unique.name, tenant) for unique, _ in layout.marked(Unique)]
    grants.add(arns.of(layout.table), WRITES, partitions)
    if layout.secrets:
        _grant_keys(grants, design, arns, KEY_WRITES)


def _lock_partition(layout: Layout, name: str, tenant: str | None) -> str:
    """The pattern of the partition keys of a field's locks."""
    lock = layout.lock_of(name)
    if lock is None:
        return f"{LOCK}#{layout.type_name or layout.entity.__name__}#{name}#*"
    template = lock.key.parts[0][1]
    return _partition(template, tenant) or "".join(
        part if isinstance(part, str) else "*" for part in template.parts
    )


def _grant_keys(grants: _Grants, design: Design, arns: TableArns, actions: Iterable[str]) -> None:
    if design.key_table is not None:
        grants.add(arns.of(design.key_table), actions, ())


def _partition(template: Template, tenant: str | None) -> str | None:
    """The pattern of a partition key of the tenant; None if the key does not contain the tenant."""
    if tenant is None or tenant not in template.names:
        return None
    own = f"${{aws:PrincipalTag/{tenant}}}"
    return "".join(
        part if isinstance(part, str) else own if part.name == tenant else "*" for part in template.parts
    )


def _statement(resource: str, grant: _Grant) -> dict[str, Any]:
    statement: dict[str, Any] = {"Effect": "Allow", "Action": sorted(grant.actions), "Resource": resource}
    if grant.partitions:
        like = "StringLike" if any("*" in key for key in grant.partitions) else "StringEquals"
        statement["Condition"] = {
            f"ForAllValues:{like}": {"dynamodb:LeadingKeys": sorted(grant.partitions)},
            # ForAllValues is true for a request without keys, such as a Scan: require that there are keys.
            "Null": {"dynamodb:LeadingKeys": "false"},
        }
    return statement
