"""Vector indexes in deployments: created with the table, added to a live one, replaced, dropped, and in drift."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import (
    Connection,
    Design,
    Entity,
    Nearest,
    Table,
    VectorIndex,
    billing,
    connect,
    embedded,
    fields,
)
from tablewright.access.context import Context
from tablewright.access.procedures import Procedure, run_sync
from tablewright.errors import DeploymentError
from tablewright.lifecycle.deploy.deployment import DeploymentPlan, compare_tables, deploy, plan_of
from tablewright.lifecycle.deploy.deployment_steps import Backfill, LayoutCompletion
from tablewright.lifecycle.deploy.drift import compare_settings
from tests.server.processes import ServerProcess

MEANING = VectorIndex("by-meaning", "meaning", 3, partition="tenant", filters=("kind", "year"))
PLACE = VectorIndex("by-place", "place", 2, distance="EUCLIDEAN", projection=["title"])


def design_of(*indexes: VectorIndex, **settings: Any) -> tuple[Design, Any, Any]:
    types: Any = {"year": "N"} if MEANING in indexes else None
    notes = Table("notes", key="noteId", types=types, vector_indexes=indexes, **settings)

    class Note(Entity, table=notes):
        note_id: str
        tenant: str = "acme"
        kind: str = "memo"
        year: int = 2026
        title: str = ""
        meaning: Annotated[list[float] | None, fields.Vector(3)] = None
        place: Annotated[list[float] | None, fields.Vector(2)] = None

    if MEANING not in indexes:
        return Design("notes", entities=[Note]), Note, None

    class Similar(Nearest[Note]):
        meaning: list[float]
        tenant: str

    return Design("notes", entities=[Note], patterns=[Similar]), Note, Similar


@pytest.fixture(params=["memory", "http"])
def connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.param == "memory":
        with embedded() as database:
            yield database
        return
    with ServerProcess("--memory") as process, connect(design_of()[0], process.url, create=False) as db:
        yield db.connection


def no_fill(step: Backfill | LayoutCompletion) -> Procedure[None]:
    raise AssertionError("a vector needs no backfill")


def planned(connection: Connection, design: Design) -> DeploymentPlan:
    return run_sync(plan_of(design, Context()), connection.call)


def deployed(connection: Connection, design: Design, *, allow_destructive: bool = False) -> list[str]:
    steps: list[str] = []
    work = deploy(
        planned(connection, design),
        no_fill,
        lambda step: steps.append(step.description),
        lambda step, why: pytest.fail(f"{step} was skipped: {why}"),
        allow_destructive=allow_destructive,
    )
    run_sync(work, connection.call, pause=lambda _: None)
    assert planned(connection, design).steps == ()
    return steps


def states(connection: Connection, design: Design) -> dict[str, tuple[str, str | None]]:
    (compared,) = run_sync(compare_tables(design, Context()), connection.call)
    rows = compare_settings(compared.desired, compared.current, compared.plan.steps)
    return {row.setting: (row.state, row.step) for row in rows if row.setting.startswith("vector index")}


def test_a_table_is_created_with_its_vector_indexes(connection: Connection) -> None:
    design, note, similar = design_of(MEANING, PLACE)
    assert deployed(connection, design) == ["create table notes with indexes by-meaning, by-place"]
    db = connect(design, connection, create=False)
    db.create(note(note_id="cats", meaning=[1, 0, 0]))
    assert [found.note_id for found, _ in db.run(similar(meaning=[1, 0, 0], tenant="acme"))] == ["cats"]
    assert states(connection, design) == {
        "vector index by-meaning": ("same", None),
        "vector index by-place": ("same", None),
    }


def test_a_vector_index_is_added_to_a_table_with_items(connection: Connection) -> None:
    before, note, _ = design_of()
    deployed(connection, before)
    connect(before, connection, create=False).create(note(note_id="cats", meaning=[1, 0, 0]))
    design, _, similar = design_of(MEANING)
    assert states(connection, design) == {
        "vector index by-meaning": ("missing", "add vector index by-meaning")
    }
    assert deployed(connection, design) == ["add vector index by-meaning of meaning (3 dimensions) to notes"]
    db = connect(design, connection, create=False)
    assert [found.note_id for found, _ in db.run(similar(meaning=[1, 0, 0], tenant="acme"))] == ["cats"]


def test_a_changed_vector_index_is_replaced_if_allowed(connection: Connection) -> None:
    deployed(connection, design_of(PLACE)[0])
    changed, _, _ = design_of(VectorIndex("by-place", "place", 2, distance="COSINE", projection=["title"]))
    assert states(connection, changed) == {
        "vector index by-place": ("different", "replace vector index by-place")
    }
    with pytest.raises(DeploymentError, match="is destructive \\(searches of vector index by-place fail\\)"):
        deployed(connection, changed)
    assert deployed(connection, changed, allow_destructive=True) == [
        "drop vector index by-place of notes (it differs from the design)",
        "add vector index by-place of place (2 dimensions) to notes",
    ]


def test_the_order_of_filters_does_not_matter(connection: Connection) -> None:
    deployed(connection, design_of(MEANING)[0])
    table = Table(
        "notes",
        key="noteId",
        types={"year": "N"},
        vector_indexes=[
            VectorIndex("by-meaning", "meaning", 3, partition="tenant", filters=("year", "kind"))
        ],
    )
    assert planned(connection, Design("notes", tables=[table])).steps == ()


def test_a_vector_index_that_the_design_lacks_is_dropped(connection: Connection) -> None:
    deployed(connection, design_of(PLACE)[0])
    design, _, _ = design_of()
    assert states(connection, design) == {
        "vector index by-place": ("not declared", "drop vector index by-place")
    }
    assert deployed(connection, design, allow_destructive=True) == [
        "drop vector index by-place of notes (the design does not have it)"
    ]


def test_the_billing_changes_before_a_vector_index_is_added(connection: Connection) -> None:
    deployed(connection, design_of(billing=billing.Provisioned(5, 5))[0])
    assert planned(connection, design_of(PLACE)[0]).obstacles == (
        "table notes has vector indexes in the design, and is not on demand: it has Provisioned(read=5, write=5); "
        "declare Table(..., billing=billing.OnDemand()), so that the deployment changes it",
    )
    steps = deployed(connection, design_of(PLACE, billing=billing.OnDemand())[0], allow_destructive=True)
    assert len(steps) == 2
    assert steps[1] == "add vector index by-place of place (2 dimensions) to notes"
    steps = deployed(connection, design_of(billing=billing.Provisioned(5, 5))[0], allow_destructive=True)
    assert steps[0] == "drop vector index by-place of notes (the design does not have it)"


class Deaf:
    """An endpoint that ignores members which it does not know."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        known = {
            name: member
            for name, member in request.items()
            if name not in ("VectorIndexes", "VectorIndexUpdates")
        }
        if operation == "UpdateTable" and set(known) <= {"TableName", "AttributeDefinitions"}:
            return {}
        return self._connection.call(operation, known)


@pytest.mark.parametrize("exists", [False, True])
def test_an_endpoint_that_ignores_vector_indexes_is_named(exists: bool) -> None:
    with embedded() as database:
        if exists:
            deployed(database, design_of()[0])
        deaf = Deaf(database)
        plan = run_sync(plan_of(design_of(PLACE)[0], Context()), deaf.call)
        work = deploy(plan, no_fill, lambda step: None, lambda step, why: None)
        with pytest.raises(
            DeploymentError, match="this endpoint has no vector indexes: it has ignored by-place of"
        ):
            run_sync(work, deaf.call, pause=lambda _: None)
