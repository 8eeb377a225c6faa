"""The operator: all tables of the design and of the library, and nothing else."""

from tablewright import Design, Entity, Table
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.operator_role import grant_operator, operated_tables
from tests.generate.iam.role_server import arns
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
