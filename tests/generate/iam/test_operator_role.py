"""The operator: all tables of the design and of the library, and nothing else."""

from pathlib import Path
from typing import Annotated

from tablewright import Design, Entity, Index, Keys, Table, billing, fields
from tablewright.access.calls.procedures import run_sync
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.operator_role import grant_operator, operated_tables
from tablewright.lifecycle.deploy.deployment import deploy, plan_of
from tests.generate.iam.role_server import Roles, arns, policies, role_server
from tests.generate.iam.shop import design


def test_the_tables_of_the_design_and_of_the_library() -> None:
    names = [table.name for table in operated_tables(design)]
    assert names == ["shop", "shop-keys", "shop-migrations", "shop-positions"]


def test_rights_are_on_these_tables_only() -> None:
    grants = Grants()
    grant_operator(grants, design, arns())
    for statement in grants.statements():
        resources = statement["Resource"]
        if resources == "*":
            assert all(".List" in f".{action.partition(':')[2]}" for action in statement["Action"])
            continue
        for resource in resources if isinstance(resources, list) else [resources]:
            assert resource.rpartition("table/")[2].startswith("shop")


def test_replicas_are_created_in_their_regions() -> None:
    class Note(Entity, table=Table("notes", "id", stream="NEW_AND_OLD_IMAGES", replicas=["eu-west-1"])):
        id: str

    grants = Grants()
    grant_operator(grants, Design("notes", entities=[Note]), arns())
    creating = [
        each["Resource"] for each in grants.statements() if "dynamodb:CreateTableReplica" in each["Action"]
    ]
    assert sorted(creating) == [
        "arn:aws:dynamodb:eu-north-1:123456789012:table/notes",
        "arn:aws:dynamodb:eu-west-1:123456789012:table/notes",
    ]


def test_streams_can_be_followed_by_a_move() -> None:
    grants = Grants()
    grant_operator(grants, design, arns())
    actions: dict[str, set[str]] = {}
    for statement in grants.statements():
        resources = statement["Resource"]
        for resource in resources if isinstance(resources, list) else [resources]:
            actions.setdefault(resource, set()).update(statement["Action"])
    assert "dynamodb:ListStreams" in actions["*"]
    for table in design.tables:
        assert {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"} <= actions[
            f"{arns().of(table)}/stream/*"
        ]


def design_with_all_settings() -> Design:
    index = Index("by-team", "team", contributor_insights=True)
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": "123456789012"},
        "Action": "dynamodb:GetItem",
        "Resource": arns().of(Table("everything", "id")),
    }
    table = Table(
        "everything",
        "id",
        [index],
        billing=billing.Provisioned(5, 5),
        stream="NEW_IMAGE",
        ttl="until",
        tags={"team": "a"},
        point_in_time_recovery=True,
        contributor_insights=True,
        deletion_protection=True,
        resource_policy={"Version": "2012-10-17", "Statement": [statement]},
    )

    class Thing(Entity, table=table):
        id: str
        team: str = "a"
        code: Annotated[str | None, fields.Encrypted()] = None
        keys = Keys(primary="{id}", indexes={"by-team": "{team}"})

    return Design("everything", entities=[Thing])


def test_all_settings_are_deployed_by_the_operator_and_compared_by_readers(tmp_path: Path) -> None:
    everything = design_with_all_settings()
    roles = Roles()
    roles.add("operator", policies(everything, name="operator"))
    roles.add("reader", policies(everything, name="read-only"))
    with role_server(tmp_path, roles) as server:
        with server.connect(everything, "operator", create=False) as db:
            plan = run_sync(plan_of(everything, db.context), db.connection.call)
            work = deploy(plan, lambda step: iter(()), lambda step: None, lambda step, reason: None)  # type: ignore[arg-type,return-value]
            assert run_sync(work, db.connection.call) > 3
            assert run_sync(plan_of(everything, db.context), db.connection.call).steps == ()
        with server.connect(everything, "reader", create=False) as db:
            assert run_sync(plan_of(everything, db.context), db.connection.call).steps == ()
