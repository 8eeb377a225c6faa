"""Rows exactly as the document prints them, in a table with the three indexes it has today."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright import Repository, connect
from tablewright_systems.goalsguild.design import design
from tablewright_systems.goalsguild.design.goals import TasksByDueDate
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.proofs.fixtures import TICK
from tablewright_systems.goalsguild.service import accounts, adoption, goals, offers, reminders, rooms, users
from tablewright_systems.service import Adopted, Caller, Conflict, Forbidden, call_raw
from tablewright_systems.verification import ProofContext, Proofs, expect_error, put_row

PROOFS = Proofs("goalsguild")

_FILE = Path(__file__).with_name("document_rows.jsonl")

DOCUMENT_ROWS: list[dict[str, Any]] = [json.loads(line) for line in _FILE.read_text().splitlines()]
"""One row of each kind."""


def put_rows(db: Repository, rows: list[dict[str, Any]]) -> None:
    """Write rows as another program does."""
    for row in rows:
        put_row(db, core, row)


def create_older_table(db: Repository) -> None:
    """Create the table of the document, with the first three indexes."""
    definition = core.definition(db.context.environment)
    later = ("GSI4", "GSI5", "GSI6")
    for part, name in (("GlobalSecondaryIndexes", "IndexName"), ("AttributeDefinitions", "AttributeName")):
        definition[part] = [index for index in definition[part] if not index[name].startswith(later)]
    call_raw(db, "CreateTable", {**definition, "TableName": db.context.table_name(core)})
    adoption.wait_until_active(db)


@contextmanager
def older_table(context: ProofContext) -> Iterator[Repository]:
    """Open a store of its own with the table and rows of the document."""
    here = context.db.context
    store: dict[str, Any] = {"environment": here.environment, "clock": context.clock}
    store["prefix"] = f"{here.prefix}{context.unique_id('older')}-"
    older = connect(design, context.db.connection, **store, create=False)
    create_older_table(older)
    put_rows(older, DOCUMENT_ROWS)
    yield connect(design, context.db.connection, **store, create=True)


@PROOFS("F14")
def definition_and_later_indexes(context: ProofContext) -> None:
    """Add the later indexes to a table as the document has it, one at a time, and adopt the rows in it."""
    with older_table(context) as db:
        ada, bob = Caller("ada", {"email": "ada@example.org", "email_verified": True}), Caller("bob")
        with context.measured():
            assert adoption.add_indexes(db) == ["GSI4", "GSI5", "GSI6"]
            adopted = adoption.adopt(db)
        assert (adopted.rejected, adopted.added) == (0, 3)
        assert adoption.missing_indexes(db) == []
        assert adoption.adopt(db) == Adopted()
        task = goals.my_task(db, ada, "g1", "t1")
        worker = context.caller(roles=["worker"])
        due = task.listed_at, task.listed_at + TICK
        context.eventually(lambda: list(reminders.due_tasks(db, worker, *due)) == [task])
        context.eventually(lambda: [entry.id for entry in offers.discover(db, bob, "running")] == ["o1"])
        assert list(db.run(TasksByDueDate(user_id="ada"))) == [task]
        assert [message.text for message in rooms.history(db, ada, "r1")] == ["hello"]
        expect_error(Forbidden, lambda: rooms.history(db, bob, "r1"))
        thief = Caller("eve", {"email": "ADA@example.org", "email_verified": True})
        with expect_error(Conflict, field="email"):
            users.register(db, thief, nickname="eve", full_name="Eve")
        users.change_nickname(db, ada, "Countess")
        accounts.delete_account(db, ada)
        assert users.register(db, thief, nickname="Ada", full_name="Eve").id == "eve"
