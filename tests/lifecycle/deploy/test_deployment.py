"""Deployments: the steps for each difference; after a deployment the plan is empty."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from tablewright import Clock, Connection, Design, Entity, Index, Keys, Table, billing, embedded, fields
from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.context import Context
from tablewright.errors import DeploymentError
from tablewright.lifecycle.deploy.deployment import Plan, deploy, plan_of
from tablewright.lifecycle.deploy.deployment_steps import Backfill
from tests.server.processes import ServerProcess


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
    from tablewright.connections.remote import Remote

    with ServerProcess("--memory") as process:
        remote = Remote("us-east-1", process.url)
        yield remote
        remote.close()


def planned(connection: Connection, design: Design) -> Plan:
    return run_sync(plan_of(design, Context(environment="dev")), connection.call, pause=lambda seconds: None)


def deployed(connection: Connection, design: Design, *, allow_destructive: bool = False) -> list[str]:
    """Deploy, and check that the next plan is empty; return the executed steps."""
    done: list[str] = []

    def fill(step: Backfill) -> Procedure[None]:
        yield from ()

    plan = planned(connection, design)
    work = deploy(plan, fill, lambda step: done.append(step.description), allow_destructive=allow_destructive)
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
    ],
)
def test_settings_are_changed_and_changed_back(
    connection: Connection, settings: dict[str, Any], description: str
) -> None:
    deployed(connection, design_of())
    assert description in deployed(connection, design_of(**settings))[0]
    back = deployed(connection, design_of())
    assert len(back) == (0 if "tags" in settings else 1)


def test_a_changed_key_replaces_the_table_only_if_allowed(connection: Connection) -> None:
    deployed(connection, design_of(deletion_protection=True))
    put(connection, {"PK": "x", "SK": "x"})
    other = design_of(key="id", indexes=[])
    with pytest.raises(DeploymentError, match="--allow-destructive"):
        deployed(connection, other)
    assert connection.call("Scan", {"TableName": "deploy-dev-main"})["Count"] == 1


def put(connection: Connection, item: dict[str, str]) -> None:
    stored = {name: {"S": text} for name, text in item.items()}
    connection.call("PutItem", {"TableName": "deploy-dev-main", "Item": stored})
