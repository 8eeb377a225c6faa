"""Deployments: create or update tables to match a design.

    plan    compute the steps, in order; nothing is changed
    deploy  execute the steps, one after the other, and wait until each is complete

A deployment that was killed is started again: finished steps are not in the new plan.

Items that were written before the design had an index lack the attributes that its templates make. A pass over the
table gives each item the attributes that a new write would have, and removes those that it would not have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tablewright.access.context import Context
from tablewright.access.create_tables import recorded_definition
from tablewright.access.layout_records import create_recorded, record_at
from tablewright.access.procedures import Call, Pause, Procedure, with_retries
from tablewright.design.billing import Autoscaled, Provisioned
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import (
    DeploymentError,
    ResourceInUse,
    ResourceNotFound,
    UnknownOperation,
    ValidationError,
)
from tablewright.lifecycle.deploy.deployment_steps import (
    AddIndex,
    AddVectorIndex,
    Backfill,
    DeploymentStep,
    DropIndex,
    DropVectorIndex,
    LayoutCompletion,
    ReplaceTable,
    SettingChange,
    TableCreation,
)
from tablewright.lifecycle.deploy.layout_completion import PASSES, complete_layout
from tablewright.lifecycle.deploy.setting_changes import protection_change, setting_changes, unmentioned
from tablewright.lifecycle.deploy.table_state import (
    UNKNOWN,
    IndexState,
    TableState,
    current_state,
    desired_state,
    is_same_schema,
)
from tablewright.lifecycle.migrate.item_migration import EntityMigration
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.item_entities import is_main_item
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected

POLL = 0.5
# Settings that the store is asked for though the design does not state them.
_UNASKED = frozenset({"ttl"})
# A backfill of a large table takes hours.
PATIENCE = 2 * 60 * 60 * 24


@dataclass(frozen=True, slots=True)
class DeploymentPlan:
    """The steps of a deployment, warnings about them, and what prevents the deployment."""

    steps: tuple[DeploymentStep, ...]
    warnings: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    @property
    def destructive(self) -> tuple[DeploymentStep, ...]:
        """The steps that lose something, or make reads fail."""
        return tuple(step for step in self.steps if step.is_destructive)

    @property
    def units(self) -> int:
        """Write units that all steps consume on AWS."""
        return sum(step.units for step in self.steps)

    def as_data(self) -> dict[str, Any]:
        """Return the plan in JSON types."""
        return {
            "steps": [step.as_data() for step in self.steps],
            "warnings": list(self.warnings),
            "obstacles": list(self.obstacles),
        }

    def __add__(self, other: "DeploymentPlan") -> "DeploymentPlan":
        return DeploymentPlan(
            self.steps + other.steps, self.warnings + other.warnings, self.obstacles + other.obstacles
        )


@dataclass(frozen=True, slots=True)
class TableComparison:
    """A table as the design declares it and as the store has it, and the plan that removes the differences."""

    desired: TableState
    current: TableState | None
    """None if the table does not exist."""
    plan: DeploymentPlan


def compare_tables(design: Design, context: Context) -> Procedure[list[TableComparison]]:
    """Compare each table of a design with the existing table."""
    tables = []
    for table in design.tables:
        name = context.table_name(table)
        desired = desired_state(table, name)
        current = yield from current_state(name, desired)
        plan = _table_plan(design, table, desired, current, context.environment)
        if current is not None and design.entities_of(table):
            plan = yield from _with_completion(design, table, current, plan)
        tables.append(TableComparison(desired, current, plan))
    return tables


def _with_completion(
    design: Design, table: Table, current: TableState, plan: DeploymentPlan
) -> Procedure[DeploymentPlan]:
    """Return the plan with the step that writes what stored items lack since the design declares it.

    It writes the keys of new indexes too, and so takes the place of their backfills. If there is only something to
    remove, it comes after the indexes that are dropped.
    """
    record = yield from record_at(design, table, current.arn)
    is_new = any(isinstance(step, TableCreation) for step in plan.steps)
    if record.tags is None or is_new or not (record.missing or record.has_left):
        return plan
    parts, calls = tuple(map(str, record.missing)), tuple(record.requests(record.desired))
    completion = LayoutCompletion(current.name, parts, calls, current.items)
    others = tuple(step for step in plan.steps if not isinstance(step, Backfill))
    return replace(plan, steps=(completion, *others) if parts else (*others, completion))


def plan_of(design: Design, context: Context) -> Procedure[DeploymentPlan]:
    """Compare a design with the existing tables; return the steps to match them."""
    compared = yield from compare_tables(design, context)
    return sum((comparison.plan for comparison in compared), DeploymentPlan(()))


def _table_plan(
    design: Design, table: Table, desired: TableState, current: TableState | None, environment: str | None
) -> DeploymentPlan:
    definition = table.definition(environment) | {"TableName": desired.name}
    if design.entities_of(table):
        definition = recorded_definition(design, table, definition)
    if current is None:
        created = TableCreation(desired.name, definition)
        return DeploymentPlan(
            (created, *setting_changes(desired, _just_created(desired))), _scaling_warnings(desired)
        )
    if why := _reason_to_replace(desired, current):
        if current.deletion_protection:
            return _protected(desired, current, why)
        backup = f"{desired.name[:240]}-replaced"
        replaced = ReplaceTable(desired.name, definition, why, backup, current.items)
        warning = f"{desired.name}: {why}, which cannot change; to keep the items, deploy under a new name and migrate"
        return DeploymentPlan((replaced, *setting_changes(desired, _just_created(desired))), (warning,))
    indexes, warnings = _index_steps(design, table, desired, current)
    warnings += [f"{desired.name}: {text}" for text in unmentioned(desired, current)]
    warnings += [
        f"{desired.name}: {setting} was not compared, because this endpoint does not tell it"
        for setting in sorted(current.unread - (_UNASKED - desired.stated))
    ]
    dropped, added = _vector_index_steps(table, desired, current)
    if added and isinstance(current.billing, Provisioned) and "billing" not in desired.stated:
        return DeploymentPlan((), obstacles=(_needs_on_demand(desired, current),))
    # A vector index needs a table that is on demand: the old ones go before the billing changes, new ones come after.
    return DeploymentPlan(
        (*indexes, *dropped, *setting_changes(desired, current), *added),
        (*warnings, *_expiry_warnings(desired, current), *_scaling_warnings(desired, current)),
    )


def _needs_on_demand(desired: TableState, current: TableState) -> str:
    return (
        f"table {desired.name} has vector indexes in the design, and is not on demand: it has {current.billing}; "
        "declare Table(..., billing=billing.OnDemand()), so that the deployment changes it"
    )


def _vector_index_steps(
    table: Table, desired: TableState, current: TableState
) -> tuple[list[DeploymentStep], list[DeploymentStep]]:
    """The vector indexes to drop and to add. One that differs is dropped and added: it cannot be changed."""
    dropped: list[DeploymentStep] = []
    added: list[DeploymentStep] = []
    for index in current.vector_indexes:
        declared = desired.vector_index(index.name)
        if declared is None:
            dropped.append(DropVectorIndex(desired.name, index.name, "the design does not have it"))
        elif not declared.is_like(index):
            dropped.append(DropVectorIndex(desired.name, index.name, "it differs from the design"))
    for index in desired.vector_indexes:
        existing = current.vector_index(index.name)
        if existing is None or not index.is_like(existing):
            types = {name: kind for name, _, kind in index.searched}
            definition = table.vector_index(index.name).definition()
            added.append(AddVectorIndex(desired.name, index.name, definition, types))
    return dropped, added


def _protected(desired: TableState, current: TableState, why: str) -> DeploymentPlan:
    """Plan nothing that deletes a protected table: the protection ends in a deployment of its own."""
    unprotect = protection_change(desired, current)
    if "deletion_protection" in desired.stated and unprotect is not None:
        warning = f"{desired.name}: {why}; the table is replaced by the deployment after this one"
        return DeploymentPlan((unprotect,), (warning,))
    return DeploymentPlan(
        (),
        obstacles=(
            f"table {desired.name} must be replaced ({why}), but is protected from deletion; to replace it, deploy "
            "with deletion_protection=False first, then deploy again; to keep its items, deploy under a new name and "
            "migrate",
        ),
    )


def _just_created(desired: TableState) -> TableState:
    """Return the state right after CreateTable, which sets keys, capacity, streams, encryption, policies and tags."""
    indexes = tuple(
        index if index.insights is None else replace(index, insights=False) for index in desired.indexes
    )
    return replace(
        desired,
        indexes=indexes,
        ttl=None,
        point_in_time_recovery=False,
        insights=False,
        replicas=frozenset(),
    )


def _reason_to_replace(desired: TableState, current: TableState) -> str | None:
    if not is_same_schema(desired.key, current.key):
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
) -> tuple[list[DeploymentStep], list[str]]:
    """Add new indexes first and drop old ones last, so that readers can switch in between."""
    added: list[DeploymentStep] = []
    dropped: list[DeploymentStep] = []
    warnings: list[str] = []
    keys = {index.name: index.key for index in current.indexes} | {"": current.key}
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
        keys[index.name] = index.key
        # The backfill comes first: if it is interrupted, the next plan has the index and so the backfill again. It is
        # planned even for 0 items, because on AWS the item count is hours old.
        if _is_derived(design, table, index.name):
            added.append(Backfill(desired.name, index.name, current.items))
        made = table.global_index(table.index(index.name))
        types = {
            name: table.type_of(name) if kind == UNKNOWN else kind
            for key in keys.values()
            for name, _, kind in key
        }
        added.append(AddIndex(desired.name, index, made, types, current.items))
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


def _scaling_warnings(desired: TableState, current: TableState | None = None) -> tuple[str, ...]:
    """Say that DynamoDB cannot be asked to scale capacity: another service of AWS does."""
    if current is not None or not any(
        isinstance(billing, Autoscaled)
        for billing in (desired.billing, *(index.billing for index in desired.indexes))
    ):
        return ()
    return (
        f"{desired.name}: deploy sets the minimum of the autoscaled capacity; apply the scaling policies with the "
        "output of `tablewright generate cloudformation` (or terraform, cdk)",
    )


OnProgress = Callable[[DeploymentStep], None]
OnSkip = Callable[[DeploymentStep, str], None]
Fill = Callable[[Backfill | LayoutCompletion], Procedure[None]]


# Endpoints other than AWS report a setting that they do not have in these words.
_UNSUPPORTED = (
    "Nothing to update",
    "At least one of ProvisionedThroughput",
    "No provisioned throughput specified for the global secondary index",
    "1 validation error detected: Value null at 'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput'",
)


def deploy(
    plan: DeploymentPlan,
    fill: Fill,
    on_progress: OnProgress,
    on_skip: OnSkip,
    *,
    allow_destructive: bool = False,
) -> Procedure[int]:
    """Execute a plan; return the number of steps.

    A setting that the endpoint does not support is skipped, and reported to `on_skip` with the endpoint's reason.
    """
    if plan.obstacles:
        raise DeploymentError(f"nothing was changed: {plan.obstacles[0]}")
    if plan.destructive and not allow_destructive:
        first = plan.destructive[0]
        raise DeploymentError(
            f'nothing was changed: "{first.description}" is destructive ({first.loss}); '
            "to allow it, pass --allow-destructive"
        )
    for step in plan.steps:
        on_progress(step)
        if isinstance(step, Backfill | LayoutCompletion):
            yield from fill(step)
        try:
            for operation, request in step.requests:
                yield from _repeat_while_busy(Call(operation, request))
                yield from wait_until_ready(step.table)
            yield from _require_vector_indexes(step)
        except (UnknownOperation, ValidationError) as error:
            if isinstance(error, ValidationError) and not str(error).startswith(_UNSUPPORTED):
                raise
            if not isinstance(step, SettingChange):
                raise DeploymentError(
                    f'"{step.description}" is not possible: this endpoint does not support it '
                    f"({_reason(error)}); the table was not changed"
                ) from error
            on_skip(step, _reason(error))
    return len(plan.steps)


def _require_vector_indexes(step: DeploymentStep) -> Procedure[None]:
    """Raise for an endpoint that ignores vector indexes without a word, as some do with members they do not know."""
    names: list[str] = []
    if isinstance(step, AddVectorIndex):
        names = [step.index]
    elif isinstance(step, TableCreation):
        names = [index["IndexName"] for index in step.definition.get("VectorIndexes", ())]
    if not names:
        return
    reply = yield from with_retries(Call("DescribeTable", {"TableName": step.table}))
    existing = {index["IndexName"] for index in reply["Table"].get("VectorIndexes") or ()}
    missing = [name for name in names if name not in existing]
    if missing:
        raise DeploymentError(
            f"this endpoint has no vector indexes: it has ignored {', '.join(missing)} of table {step.table}; use AWS "
            "or the embedded engine, or remove them from the design"
        )


def _reason(error: Exception) -> str:
    """What an endpoint says; some say nothing."""
    return str(error) or "unknown operation"


def _repeat_while_busy(call: Call) -> Procedure[None]:
    if call.operation == "CreateTable":
        yield from create_recorded(call.request)
        return
    for _ in range(PATIENCE):
        try:
            yield from with_retries(call)
            return
        except ResourceInUse:
            yield Pause(POLL)


def wait_until_ready(table: str) -> Procedure[None]:
    """Wait until a table and its indexes are active, or the table is deleted."""
    for _ in range(PATIENCE):
        try:
            reply = yield from with_retries(Call("DescribeTable", {"TableName": table}))
        except ResourceNotFound:
            return
        description = reply["Table"]
        members = ("GlobalSecondaryIndexes", "VectorIndexes")
        indexes = [index for name in members for index in description.get(name) or ()]
        if description["TableStatus"] == "ACTIVE" and all(
            index["IndexStatus"] == "ACTIVE" for index in indexes
        ):
            return
        yield Pause(POLL)
    raise DeploymentError(
        f"table {table} did not become active; check its status, then deploy again to continue"
    )


def fill_index(
    design: Design,
    context: Context,
    step: Backfill | LayoutCompletion,
    options: TraversalOptions | None = None,
    on_rejects: Callable[[Sequence[Reject]], None] = lambda rejects: None,
) -> Procedure[None]:
    """Run the backfill step of a deployment; resume it if it was interrupted.

    Items that cannot be decoded get no keys. They are passed to `on_rejects`, and do not stop the backfill.
    """
    table = _table(design, context, step.table)
    options = options or TraversalOptions(Meter(now=context.now))
    if isinstance(step, LayoutCompletion):
        yield from complete_layout(design, context, table, options, on_rejects)
        return
    checkpoints = CheckpointStore(design, context)
    yield from checkpoints.create()
    name = f"backfill/{step.table}/{step.index}"
    work = ItemBackfill.of(design, context, table, step.index)
    done = yield from run_passes(checkpoints, context, table, name, work, options, again=True, passes=PASSES)
    if done is not None and done.state.tally.rejected:
        on_rejects((yield from checkpoints.rejects(name)))


@dataclass(frozen=True, slots=True)
class ItemBackfill:
    """The work on each item: the first entity class that can decode the item computes its keys."""

    migrations: Sequence[EntityMigration]

    @classmethod
    def of(cls, design: Design, context: Context, table: Table, index: str) -> "ItemBackfill":
        """Return the work for all entities of a table: they or their copies may be in the index."""
        attributes = frozenset(table.index(index).key)
        layouts = [entity.layout for entity in design.entities_of(table)]
        name = f"backfill of {index}"
        return cls([EntityMigration(design, context, layout, name, only=attributes) for layout in layouts])

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Write the keys of an item."""
        outcome: Outcome = "same"
        for work in self.migrations:
            if not is_main_item(work.design, work.layout, item):
                continue
            outcome = yield from work(item)
            if not isinstance(outcome, Rejected):
                break
        return outcome


def _table(design: Design, context: Context, name: str) -> Table:
    return next(table for table in design.tables if context.table_name(table) == name)
