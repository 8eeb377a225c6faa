"""Deployments: create or update tables to match a design.

    plan    compute the steps, in order; nothing is changed
    deploy  execute the steps, one after the other, and wait until each is complete

A deployment that was killed is started again: finished steps are not in the new plan.
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
from tablewright.lifecycle.deploy.table_state import IndexState, TableState, current_state, desired_state

POLL = 0.5
# A backfill of a large table takes hours.
PATIENCE = 2 * 60 * 60 * 24


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a deployment, and warnings about them."""

    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()

    @property
    def destructive(self) -> tuple[Step, ...]:
        """The steps that lose data, or during which reads fail."""
        return tuple(step for step in self.steps if step.is_destructive)

    @property
    def units(self) -> int:
        """Write units that all steps consume on AWS."""
        return sum(step.units for step in self.steps)


def plan_of(design: Design, context: Context) -> Procedure[Plan]:
    """Compare a design with the existing tables; return the steps to match them."""
    steps: list[Step] = []
    warnings: list[str] = []
    for table in design.tables:
        name = context.table_name(table)
        current = yield from current_state(name)
        desired = desired_state(table, name)
        table_steps, table_warnings = _steps(design, table, desired, current, context.environment)
        steps += table_steps
        warnings += table_warnings
    return Plan(tuple(steps), tuple(warnings))


def _steps(
    design: Design, table: Table, desired: TableState, current: TableState | None, environment: str | None
) -> tuple[list[Step], list[str]]:
    definition = table.definition(environment) | {"TableName": desired.name}
    if current is None:
        return [CreateTable(desired.name, definition), *setting_changes(desired, _just_created(desired))], []
    if why := _reason_to_replace(desired, current):
        replaced = ReplaceTable(
            desired.name, definition, why, f"{desired.name[:240]}-replaced", current.deletion_protection
        )
        warning = f"{desired.name}: {why}, which cannot change; to keep the items, deploy under a new name and migrate"
        return [replaced, *setting_changes(desired, _just_created(desired))], [warning]
    indexes, warnings = _index_steps(design, table, desired, current)
    return [*indexes, *setting_changes(desired, current)], warnings + _expiry_warnings(desired, current)


def _just_created(desired: TableState) -> TableState:
    """Return the state right after CreateTable, which sets neither TTL nor point-in-time recovery."""
    return replace(desired, ttl=None, point_in_time_recovery=False)


def _reason_to_replace(desired: TableState, current: TableState) -> str | None:
    if desired.key != current.key:
        return f"its key is {_shown(current.key)}, the design has {_shown(desired.key)}"
    for index in desired.indexes:
        current_index = current.index(index.name)
        if index.local and (current_index is None or not current_index.is_like(index)):
            return f"its local index {index.name} {'differs' if current_index else 'is missing'}"
    for index in current.indexes:
        if index.local and desired.index(index.name) is None:
            return f"it has a local index {index.name} that the design does not have"
    return None


def _shown(key: Sequence[tuple[str, str, str]]) -> str:
    return " and ".join(f"{name} ({kind})" for name, _, kind in key)


def _index_steps(
    design: Design, table: Table, desired: TableState, current: TableState
) -> tuple[list[Step], list[str]]:
    """Add new indexes first and drop old ones last, so that readers can switch in between."""
    added: list[Step] = []
    dropped: list[Step] = []
    warnings: list[str] = []
    for index in desired.indexes:
        current_index = current.index(index.name)
        if current_index is not None and current_index.is_like(index):
            continue
        if current_index is not None:
            why = f"its {_difference(index, current_index)} changed"
            added.append(DropIndex(desired.name, index.name, why))
            warnings.append(
                f"{desired.name}: index {index.name} is replaced, and cannot be read meanwhile; "
                "to avoid the gap, give the new index another name"
            )
        if index.local:
            continue
        # The backfill comes first: if it is interrupted, the next plan has the index and so the backfill again. It is
        # planned even for 0 items, because on AWS the item count is hours old.
        if _is_derived(design, table, index.name):
            added.append(Backfill(desired.name, index.name, current.items))
        added.append(AddIndex(desired.name, index, desired.billing, current.items))
    for index in current.indexes:
        if desired.index(index.name) is None and not index.local:
            dropped.append(DropIndex(desired.name, index.name, "the design does not have it"))
    return [*added, *dropped], warnings


def _difference(index: IndexState, current_index: IndexState) -> str:
    return "key" if index.key != current_index.key else "projection"


def _is_derived(design: Design, table: Table, index: str) -> bool:
    """Whether templates make the key attributes of an index, so that items written before lack them."""
    attributes = set(table.index(index).key)
    return any(
        not attributes <= {field.stored for field in entity.layout.fields.values()}
        for entity in design.entities_of(table)
        if any(key.index is not None and key.index.name == index for key in entity.layout.indexes)
    )


def _expiry_warnings(desired: TableState, current: TableState) -> list[str]:
    if desired.ttl and current.ttl and desired.ttl != current.ttl:
        return [
            f"{desired.name}: AWS allows one change of the TTL attribute per hour; if it fails, deploy again later"
        ]
    return []


OnProgress = Callable[[Step], None]
Fill = Callable[[Backfill], Procedure[None]]


def deploy(
    plan: Plan, fill: Fill, on_progress: OnProgress, *, allow_destructive: bool = False
) -> Procedure[int]:
    """Execute a plan; return the number of steps."""
    if plan.destructive and not allow_destructive:
        first = plan.destructive[0]
        raise DeploymentError(
            f'nothing was changed: "{first.description}" is destructive; to allow it, pass --allow-destructive'
        )
    for step in plan.steps:
        on_progress(step)
        if isinstance(step, Backfill):
            yield from fill(step)
        for operation, request in step.requests:
            yield from _repeat_while_busy(Call(operation, request))
            yield from wait_until_ready(step.table)
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


def wait_until_ready(table: str) -> Procedure[None]:
    """Wait until a table and its indexes are active, or the table is deleted."""
    for _ in range(PATIENCE):
        try:
            reply = yield from with_retries(Call("DescribeTable", {"TableName": table}))
        except ResourceNotFound:
            return
        description = reply["Table"]
        indexes = description.get("GlobalSecondaryIndexes") or ()
        if description["TableStatus"] == "ACTIVE" and all(
            each["IndexStatus"] == "ACTIVE" for each in indexes
        ):
            return
        yield Pause(POLL)
    raise DeploymentError(
        f"table {table} did not become active; check its status, then deploy again to continue"
    )
