"""Key backfill: existing items get the attributes that a new write would have."""

from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Annotated, Any

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Repository, Sparse, Table, fields
from tablewright.access.calls.procedures import run_sync
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tablewright.lifecycle.deploy.key_backfill import fill_index
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tests.lifecycle.stores import Store, killed_after, run_on, writers


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
