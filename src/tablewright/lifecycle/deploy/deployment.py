"""Deployments: the way from the tables that live to the tables that a design wants.

    plan    what would be done, in order; nothing is touched
    deploy  do it, one step after the other, waiting for each to settle

A deployment that was killed is begun again: what it has done is no longer in the next plan.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tablewright.access.calls.procedures import Call, Pause, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table
from tablewright.errors import DeploymentError, ResourceInUse, ResourceNotFound
from tablewright.lifecycle.deploy.deployment_steps import (
    AddIndex,
    Backfill,
    CreateTable,
    DropIndex,
    ReplaceTable,
    Step,
)
from tablewright.lifecycle.deploy.setting_changes import setting_changes
from tablewright.lifecycle.deploy.table_state import IndexState, TableState, found, wanted

POLL = 0.5
# A backfill of a large table takes hours.
PATIENCE = 2 * 60 * 60 * 24


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, and what to know about it."""

    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()

    @property
    def destructive(self) -> tuple[Step, ...]:
        """The steps by which something is lost."""
        return tuple(step for step in self.steps if step.is_destructive)

    @property
    def units(self) -> int:
        """Write units that all of it consumes, on AWS."""
        return sum(step.units for step in self.steps)


def plan_of(design: Design, context: Context) -> Procedure[Plan]:
    """Compare a design with what lives."""
    steps: list[Step] = []
    warnings: list[str] = []
    for table in design.tables:
        name = context.table_name(table)
        have = yield from found(name)
        more, told = _steps(design, table, wanted(table, name), have, context.environment)
        steps += more
        warnings += told
    return Plan(tuple(steps), tuple(warnings))


def _steps(
    design: Design, table: Table, want: TableState, have: TableState | None, environment: str | None
) -> tuple[list[Step], list[str]]:
    definition = table.definition(environment) | {"TableName": want.name}
    if have is None:
        return [CreateTable(want.name, definition), *setting_changes(want, _just_made(want))], []
    if why := _reason_to_replace(want, have):
        replaced = ReplaceTable(
            want.name, definition, why, f"{want.name[:240]}-replaced", have.deletion_protection
        )
        warning = f"{want.name}: {why}, which cannot be changed; to keep its items, deploy under a new name and migrate"
        return [replaced, *setting_changes(want, _just_made(want))], [warning]
    indexes, warnings = _index_steps(design, table, want, have)
    return [*indexes, *setting_changes(want, have)], warnings + _expiry_warnings(want, have)


def _just_made(want: TableState) -> TableState:
    """The table right after CreateTable, which knows of no expiry and no recovery."""
    return replace(want, ttl=None, point_in_time_recovery=False)


def _reason_to_replace(want: TableState, have: TableState) -> str | None:
    if want.key != have.key:
        return f"its key is {_shown(have.key)} and shall be {_shown(want.key)}"
    for index in want.indexes:
        standing = have.index(index.name)
        if index.local and (standing is None or not standing.is_like(index)):
            return f"its local index {index.name} {'differs' if standing else 'is missing'}"
    for index in have.indexes:
        if index.local and want.index(index.name) is None:
            return f"it has a local index {index.name} that the design does not have"
    return None


def _shown(key: Sequence[tuple[str, str, str]]) -> str:
    return " and ".join(f"{name} ({kind})" for name, _, kind in key)


def _index_steps(
    design: Design, table: Table, want: TableState, have: TableState
) -> tuple[list[Step], list[str]]:
    """New indexes first, those that nobody wants last: in between, who reads the old can move to the new."""
    added: list[Step] = []
    dropped: list[Step] = []
    warnings: list[str] = []
    for index in want.indexes:
        standing = have.index(index.name)
        if standing is not None and standing.is_like(index):
            continue
        if standing is not None:
            why = f"its {_difference(index, standing)} changed"
            added.append(DropIndex(want.name, index.name, why))
            warnings.append(
                f"{want.name}: index {index.name} is replaced, and cannot be read meanwhile; "
                "to do without the gap, give the new one another name"
            )
        if index.local:
            continue
        # The attributes come first: when that is interrupted, the index is still to be added, and so are they. On AWS
        # the number of items is hours old, and none may be many.
        if _is_derived(design, table, index.name):
            added.append(Backfill(want.name, index.name, have.items))
        added.append(AddIndex(want.name, index, want.billing, have.items))
    for index in have.indexes:
        if want.index(index.name) is None and not index.local:
            dropped.append(DropIndex(want.name, index.name, "the design does not have it"))
    return [*added, *dropped], warnings


def _difference(index: IndexState, standing: IndexState) -> str:
    return "key" if index.key != standing.key else "projection"


def _is_derived(design: Design, table: Table, index: str) -> bool:
    """Whether its key attributes are made from templates, so that items written before lack them."""
    attributes = set(table.index(index).key)
    return any(
        not attributes <= {field.stored for field in entity.layout.fields.values()}
        for entity in design.entities_of(table)
        if any(key.index is not None and key.index.name == index for key in entity.layout.indexes)
    )


def _expiry_warnings(want: TableState, have: TableState) -> list[str]:
    if want.ttl and have.ttl and want.ttl != have.ttl:
        return [
            f"{want.name}: AWS lets the expiry attribute be changed once an hour; deploy again if it refuses"
        ]
    return []


OnProgress = Callable[[Step], None]
Fill = Callable[[Backfill], Procedure[None]]


def deploy(
    plan: Plan, fill: Fill, on_progress: OnProgress, *, allow_destructive: bool = False
) -> Procedure[int]:
    """Do what was planned; how many steps that were."""
    if plan.destructive and not allow_destructive:
        first = plan.destructive[0]
        raise DeploymentError(
            f"nothing was done: to {first.description} loses something; say --allow-destructive"
        )
    for step in plan.steps:
        on_progress(step)
        if isinstance(step, Backfill):
            yield from fill(step)
        for operation, request in step.requests:
            yield from _repeat_while_busy(Call(operation, request))
            yield from settle(step.table)
    return len(plan.steps)


def _repeat_while_busy(call: Call) -> Procedure[None]:
    for _ in range(PATIENCE):
        try:
            yield from with_retries(call)
            return
        except ResourceInUse:
            if call.operation == "CreateTable":
                raise
            yield Pause(POLL)


def settle(table: str) -> Procedure[None]:
    """Wait until a table and its indexes are ready, or it is gone."""
    for _ in range(PATIENCE):
        try:
            reply = yield from with_retries(Call("DescribeTable", {"TableName": table}))
        except ResourceNotFound:
            return
        told = reply["Table"]
        indexes = told.get("GlobalSecondaryIndexes") or ()
        if told["TableStatus"] == "ACTIVE" and all(each["IndexStatus"] == "ACTIVE" for each in indexes):
            return
        yield Pause(POLL)
    raise DeploymentError(f"{table} did not settle; look at it, and deploy again: what is done stays done")
