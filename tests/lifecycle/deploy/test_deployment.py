"""Deployments: the steps for each difference; after a deployment the plan is empty."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from typing import Annotated, Any

import pytest

from tablewright import (
    Clock,
    Connection,
    Copy,
    Design,
    Entity,
    Index,
    Keys,
    Repository,
    Sparse,
    Table,
    billing,
    embedded,
    fields,
)
from tablewright.access.context import Context
from tablewright.access.procedures import Procedure, run_sync
from tablewright.cli.data_locations import table_names
from tablewright.connections.remote import Remote
from tablewright.errors import DeploymentError, UnknownOperation, ValidationError
from tablewright.lifecycle.deploy.deployment import DeploymentPlan, deploy, fill_index, plan_of
from tablewright.lifecycle.deploy.deployment_steps import Backfill, LayoutCompletion
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tests.lifecycle.stores import Store, killed_after, run_on, writers


def design_of(**settings: Any) -> Design:
    """One table with these settings."""
    indexes = settings.pop("indexes", [Index("GSI1", "GSI1PK", "GSI1SK")])
    main = Table("deploy-{env}-main", settings.pop("key", ("PK", "SK")), indexes, **settings)
    if main.key != ("PK", "SK") or not any(index.name == "GSI1" for index in indexes):
        return Design("deploy", tables=[main])

    class Note(Entity, table=main, type="NOTE"):
        note_id: str
        topic: str
        seen: Annotated[int, fields.Counter()] = 0
        keys = Keys(primary=("NOTE#{note_id}", "NOTE"), GSI1=("TOPIC#{topic}", "{note_id}"))

    return Design("deploy", entities=[Note])


@pytest.fixture(params=["embedded", "server"])
def connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.param == "embedded":
        with embedded(clock=Clock()) as opened:
            yield opened
        return
    remote = Remote("us-east-1", request.getfixturevalue("endpoint"))
    yield remote
    for table in table_names(remote):
        if table.startswith("deploy-"):
            remote.call("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": False})
            remote.call("DeleteTable", {"TableName": table})
    remote.close()


def planned(connection: Connection, design: Design) -> DeploymentPlan:
    return run_sync(plan_of(design, Context(environment="dev")), connection.call, pause=lambda seconds: None)


def no_fill(step: Backfill | LayoutCompletion) -> Procedure[None]:
    yield from ()


def deployed(connection: Connection, design: Design, *, allow_destructive: bool = False) -> list[str]:
    """Deploy, and check that the next plan is empty; return the executed steps."""
    done: list[str] = []

    plan = planned(connection, design)
    work = deploy(
        plan,
        no_fill,
        lambda step: done.append(step.description),
        lambda step, reason: done.append(f"skipped: {reason}"),
        allow_destructive=allow_destructive,
    )
    run_sync(work, connection.call)
    assert not planned(connection, design).steps
    return done


def test_a_missing_table_is_created_with_its_settings(connection: Connection) -> None:
    design = design_of(ttl="expiresAt", stream="NEW_IMAGE", tags={"team": "notes"})
    assert deployed(connection, design) == [
        "create table deploy-dev-main with indexes GSI1",
        "set the TTL attribute to expiresAt for deploy-dev-main",
    ]


def test_indexes_are_added_and_dropped_one_at_a_time(connection: Connection) -> None:
    deployed(connection, design_of(indexes=[Index("old", "a"), Index("older", "b")]))
    put(connection, {"PK": "x", "SK": "x"})
    design = design_of(indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "PK", "GSI1PK")])
    with pytest.raises(DeploymentError, match=r"nothing was changed: .drop index old of deploy-dev-main"):
        deployed(connection, design)
    steps = deployed(connection, design, allow_destructive=True)
    assert steps == [
        "backfill the key attributes of index GSI1 in deploy-dev-main",
        "add index GSI1 on GSI1PK, GSI1SK to deploy-dev-main",
        "add index GSI2 on PK, GSI1PK to deploy-dev-main",
        "drop index old of deploy-dev-main (the design does not have it)",
        "drop index older of deploy-dev-main (the design does not have it)",
    ]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (Index("GSI1", "GSI1PK"), "key"),
        (Index("GSI1", "GSI1PK", "GSI1SK", projection="KEYS_ONLY"), "projection"),
        (Index("GSI1", "GSI1PK", "GSI1SK", projection=["topic"]), "projection"),
    ],
)
def test_a_changed_index_is_replaced(connection: Connection, changed: Index, what: str) -> None:
    plain = Design("deploy", tables=[Table("deploy-{env}-main", ("PK", "SK"), [changed])])
    deployed(connection, design_of())
    plan = planned(connection, plain)
    assert [step.description for step in plan.steps] == [
        f"drop index GSI1 of deploy-dev-main (its {what} changed)",
        f"add index GSI1 on {', '.join(changed.key)} to deploy-dev-main",
    ]
    assert "cannot be read meanwhile" in plan.warnings[0]
    deployed(connection, plain, allow_destructive=True)


@pytest.mark.parametrize(
    ("settings", "description"),
    [
        (
            {"billing": billing.Provisioned(5, 5)},
            "change the billing to 5 read and 5 write units for deploy-dev-main",
        ),
        ({"stream": "NEW_IMAGE"}, "enable the stream (NEW_IMAGE) for deploy-dev-main"),
        ({"deletion_protection": True}, "enable deletion protection for deploy-dev-main"),
        ({"table_class": "STANDARD_INFREQUENT_ACCESS"}, "change the class to STANDARD_INFREQUENT_ACCESS"),
        ({"tags": {"team": "notes"}}, "set the tags team for deploy-dev-main"),
        ({"billing": billing.OnDemand(max_read=5)}, "at most 5 read units a second for deploy-dev-main"),
        ({"contributor_insights": True}, "enable contributor insights for deploy-dev-main"),
    ],
)
def test_settings_are_changed_and_left_alone_when_not_stated(
    connection: Connection, settings: dict[str, Any], description: str
) -> None:
    deployed(connection, design_of())
    assert description in deployed(connection, design_of(**settings))[0]
    assert deployed(connection, design_of()) == []
    assert deployed(connection, design_of(**settings)) == []


def test_history_is_not_destroyed_unsaid(connection: Connection) -> None:
    design = design_of(point_in_time_recovery=True, deletion_protection=True, ttl="expiresAt")
    deployed(connection, design)
    assert deployed(connection, design_of()) == []
    off = design_of(point_in_time_recovery=False, deletion_protection=False, ttl=False)
    with pytest.raises(DeploymentError, match=r"nothing was changed: .*items no longer expire by expiresAt"):
        deployed(connection, off)
    assert deployed(connection, design) == []
    assert len(deployed(connection, off, allow_destructive=True)) == 3


def test_a_changed_key_replaces_the_table_only_if_allowed(connection: Connection) -> None:
    deployed(connection, design_of())
    put(connection, {"PK": "x", "SK": "x"})
    other = design_of(key="id", indexes=[])
    with pytest.raises(DeploymentError, match="--allow-destructive"):
        deployed(connection, other)
    assert connection.call("Scan", {"TableName": "deploy-dev-main"})["Count"] == 1
    deployed(connection, other, allow_destructive=True)
    backups = connection.call("ListBackups", {"TableName": "deploy-dev-main"})["BackupSummaries"]
    assert "deploy-dev-main-replaced" in [backup["BackupName"] for backup in backups]


def test_a_protected_table_is_not_deleted_by_the_deployment_that_ends_its_protection(
    connection: Connection,
) -> None:
    deployed(connection, design_of(deletion_protection=True))
    put(connection, {"PK": "x", "SK": "x"})
    with pytest.raises(DeploymentError, match="is protected from deletion; to replace it, deploy with"):
        deployed(connection, design_of(key="id", indexes=[]), allow_destructive=True)
    other = design_of(key="id", indexes=[], deletion_protection=False)
    plan = planned(connection, other)
    assert [step.description for step in plan.steps] == ["disable deletion protection for deploy-dev-main"]
    assert "replaced by the deployment after this one" in plan.warnings[0]
    work = deploy(plan, no_fill, lambda step: None, lambda step, reason: None, allow_destructive=True)
    run_sync(work, connection.call)
    assert connection.call("Scan", {"TableName": "deploy-dev-main"})["Count"] == 1
    (replaced,) = deployed(connection, other, allow_destructive=True)
    assert replaced.startswith("replace table deploy-dev-main")


def test_a_new_index_is_added_with_the_types_of_all_keys(connection: Connection) -> None:
    deployed(connection, design_of(indexes=[Index("old", "a"), Index("own", "b")]))
    plan = planned(connection, design_of(indexes=[Index("old", "a"), Index("own", "c"), Index("GSI2", "d")]))
    sent = [
        {definition["AttributeName"] for definition in request["AttributeDefinitions"]}
        for step in plan.steps
        for _, request in step.requests
        if "AttributeDefinitions" in request
    ]
    assert sent == [{"PK", "SK", "a", "c"}, {"PK", "SK", "a", "c", "d"}]


class Limited:
    """A store that does not support some settings, as DynamoDB Local."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in ("UpdateContinuousBackups", "DescribeContinuousBackups"):
            raise UnknownOperation("An unknown operation was requested.")
        if operation == "CreateBackup":
            raise UnknownOperation("")  # as dynoxide
        if operation == "UpdateTable" and "TableClass" in request:
            raise ValidationError("Nothing to update")
        return self._connection.call(operation, request)

    def close(self) -> None:
        pass


def test_a_setting_that_the_endpoint_lacks_is_skipped_and_said() -> None:
    with embedded(clock=Clock()) as connection:
        store = Limited(connection)
        deployed(connection, design_of())
        design = design_of(point_in_time_recovery=True, table_class="STANDARD_INFREQUENT_ACCESS")
        plan = planned(store, design)
        assert plan.warnings == (
            "deploy-dev-main: point_in_time_recovery was not compared, because this endpoint does not tell it",
        )
        skipped: list[str] = []
        run_sync(
            deploy(
                plan,
                no_fill,
                lambda step: None,
                lambda step, reason: skipped.append(f"{step.description}: {reason}"),
            ),
            store.call,
        )
        assert skipped == [
            "change the class to STANDARD_INFREQUENT_ACCESS for deploy-dev-main: Nothing to update"
        ]


def test_a_table_is_not_deleted_where_it_cannot_be_backed_up() -> None:
    with embedded(clock=Clock()) as connection:
        store = Limited(connection)
        deployed(connection, design_of())
        put(connection, {"PK": "x", "SK": "x"})
        with pytest.raises(
            DeploymentError, match=r"does not support it \(unknown operation\); the table was"
        ):
            deployed(store, design_of(key="id", indexes=[]), allow_destructive=True)
        assert connection.call("Scan", {"TableName": "deploy-dev-main"})["Count"] == 1


def put(connection: Connection, item: dict[str, str]) -> None:
    stored = {name: {"S": text} for name, text in item.items()}
    connection.call("PutItem", {"TableName": "deploy-dev-main", "Item": stored})


@cache
def designed(*, indexed: bool) -> tuple[Design, type[Entity]]:
    """Tasks, without and with an index by due day."""
    indexes = [Index("GSI1", "GSI1PK", "GSI1SK")] if indexed else []
    main = Table("main", ("PK", "SK"), indexes)
    due = {"GSI1": Sparse("DUE#{due_on}", "{task_id}", when={"done": False})} if indexed else {}
    shared = {"GSI1": ("TEAM#{team}", "{due_on}#{task_id}")} if indexed else {}

    class Task(Entity, table=main, type="TASK"):
        task_id: str
        due_on: date
        done: bool = False
        team: str = "t"
        made_at: fields.Timestamp = fields.now()
        note: Annotated[str | None, fields.Unique()] = None
        keys = Keys(primary=("TASK#{task_id}", "TASK"), indexes=due)
        shared_with = Copy(
            primary=("TEAM#{team}", "TASK#{task_id}"), fields=("task_id", "due_on", "team"), indexes=shared
        )

    return Design("filled", entities=[Task]), Task


def filled(store: Store, count: int = 30) -> Repository:
    """A store with tasks written before the index existed, opened with the design that has the index."""
    design, entity = designed(indexed=False)
    task: Callable[..., Entity] = entity
    with_tasks = store.open(design)
    for number in range(count):
        day = date(2026, 1, 1 + number % 28)
        with_tasks.put(task(task_id=f"{number:03}", due_on=day, done=number % 3 == 0))
    return store.open(designed(indexed=True)[0])


def step(store: Store) -> Backfill:
    return Backfill(f"{store.prefix}main", "GSI1")


def rewritten(db: Repository, store: Store) -> dict[str, Any]:
    """The items that the table would have if all entities were written now."""
    before = {item["PK"]["S"] + item["SK"]["S"]: item for item in store.items("main")}
    _, task = designed(indexed=True)
    for item in before.values():
        if item["type"] == {"S": "TASK"} and "_of" not in item:
            db.delete(task.model_validate({"taskId": item["taskId"]["S"], "dueOn": item["dueOn"]["S"]}))
            db.put(
                task.model_validate(
                    {
                        name: item[name].get("S", item[name].get("BOOL"))
                        for name in ("taskId", "dueOn", "done", "team", "madeAt", "note")
                        if name in item
                    }
                )
            )
    return {item["PK"]["S"] + item["SK"]["S"]: item for item in store.items("main")}


def stored(store: Store) -> dict[str, Any]:
    return {item["PK"]["S"] + item["SK"]["S"]: item for item in store.items("main")}


def test_items_get_the_attributes_of_a_new_write(store: Store) -> None:
    db = filled(store)
    run_on(store, fill_index(db.design, db.context, step(store)))
    done = stored(store)
    assert done == rewritten(db, store)
    assert sum("GSI1PK" in item for item in done.values()) == 20 + 30


def test_stale_keys_are_corrected_and_wrong_ones_removed(store: Store) -> None:
    db = filled(store, 3)
    for number, key in (("000", "DUE#2026-01-01"), ("001", "DUE#1999-01-01")):
        found = stored(store)[f"TASK#{number}TASK"]
        store.put("main", found | {"GSI1PK": {"S": key}, "GSI1SK": {"S": "?"}})
    run_on(store, fill_index(db.design, db.context, step(store)))
    assert stored(store) == rewritten(db, store)


def test_a_killed_backfill_is_resumed(store: Store) -> None:
    db = filled(store, 12)
    for calls in (7, 11, 23):
        killed_after(calls, fill_index(db.design, db.context, step(store)), store)
    run_on(store, fill_index(db.design, db.context, step(store)))
    assert stored(store) == rewritten(db, store)


def test_concurrent_writes_are_kept_and_get_current_keys(store: Store) -> None:
    db = filled(store, 20)
    _, task = designed(indexed=True)

    def write(writer: int, number: int) -> None:
        name = f"{(number * 2 + writer) % 20:03}"
        db.update(
            task.model_validate({"taskId": name, "dueOn": "2026-01-01"}),
            set={"due_on": date(2026, 2, 1 + number % 27), "done": number % 2 == 0},
        )

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        reply = store.connection.call(operation, request)
        if operation == "Scan":
            concurrent.wait_for(2)  # items change after the backfill has read them
        return reply

    with writers(lambda number: write(0, number), lambda number: write(1, number)) as concurrent:
        run_sync(fill_index(db.design, db.context, step(store)), call, pause=store.clock.advance)
        concurrent.wait_for(2)
    assert stored(store) == rewritten(db, store)


def test_items_that_cannot_be_decoded_are_reported(store: Store) -> None:
    db = filled(store, 3)
    bad = stored(store)["TASK#001TASK"] | {"dueOn": {"S": "soon"}}
    store.put("main", bad)
    rejects: list[Reject] = []
    run_on(store, fill_index(db.design, db.context, step(store), on_rejects=rejects.extend))
    assert [(reject.key["PK"], "dueOn" in reject.reason) for reject in rejects] == [({"S": "TASK#001"}, True)]
    assert stored(store)["TASK#001TASK"] == bad
    assert "GSI1PK" in stored(store)["TASK#002TASK"]


@pytest.mark.parametrize("lacks", ["madeAt"])
def test_missing_values_are_not_invented(store: Store, lacks: str) -> None:
    db = filled(store, 2)
    item = stored(store)["TASK#001TASK"]
    del item[lacks]
    store.put("main", item)
    run_on(store, fill_index(db.design, db.context, step(store)))
    assert lacks not in stored(store)["TASK#001TASK"]
