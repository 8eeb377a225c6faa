"""Roles: which options fit which role, and rights in KMS and S3."""

from pathlib import Path
from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Index, Keys, Table, billing, fields
from tablewright.access.procedures import run_sync
from tablewright.errors import UsageError
from tablewright.generate.iam.grants import Grants
from tablewright.generate.iam.role_policies import (
    Role,
    grant_operator,
    grant_reader,
    grant_stream_consumer,
    grant_table_keys,
    operated_tables,
    role_policies,
)
from tablewright.lifecycle.deploy.deployment import deploy, plan_of
from tests.generate.iam.role_server import Roles, arns, policies, role_server
from tests.generate.iam.shop import design

KEY = "arn:aws:kms:eu-north-1:123456789012:key/11111111-2222-3333-4444-555555555555"


class Note(Entity, table=Table("notes", key="id")):
    id: str


plain = Design("plain", entities=[Note])


def statements(of: Design = design, **limits: Any) -> list[dict[str, Any]]:
    documents = role_policies(of, arns(), Role(**limits))
    return [statement for document in documents for statement in document["Statement"]]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"name": "admin"}, "there is no role admin; the roles are: service, stream-consumer"),
        ({"name": "operator", "tenant": "user_id"}, "--tenant is for the role service, not for operator"),
        ({"name": "read-only", "only": ["BasketOf"]}, "--only is for the role service, not for read-only"),
        ({"name": "operator", "may_shred": True}, "--may-shred is for the role service"),
        ({"bucket": "b"}, "--bucket is for the role operator, not for service"),
        ({"shared": ["BasketOf"]}, "--shared says what tenants share; give --tenant too"),
        (
            {"tenant": "user_id", "only": ["LinesOf"], "shared": ["BasketOf"]},
            "--shared BasketOf is not among the patterns and entities of --only",
        ),
        (
            {"tenant": "user_id", "only": ["LinesOf"], "shared": ["Lines"]},
            "shop has no pattern or entity Lines",
        ),
        ({"tenant": "user_id", "only": ["LinesOf"], "may_shred": True}, "do not give --tenant"),
        ({"kms_key": "alias/x"}, "alias/x is not the ARN of a KMS key"),
        ({"name": "read-only", "kms_key": KEY}, "read-only people decrypt nothing"),
        ({"name": "operator", "bucket": "s3://b/x"}, "'s3://b/x' is not the name of a bucket"),
    ],
)
def test_options_that_do_not_fit(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        statements(**limits)
    assert message in str(caught.value)


def test_options_that_the_design_has_no_use_for() -> None:
    with pytest.raises(UsageError, match="plain has no secret fields"):
        statements(plain, kms_key=KEY)
    with pytest.raises(UsageError, match="--may-shred is for the keys of secret fields, and plain has none"):
        statements(plain, may_shred=True)
    with pytest.raises(UsageError, match="no table of plain has a stream; declare one"):
        statements(plain, name="stream-consumer")


@pytest.mark.parametrize(
    ("role", "actions"),
    [
        ("service", ["kms:Decrypt", "kms:Encrypt"]),
        ("stream-consumer", ["kms:Decrypt"]),
        ("operator", ["kms:Decrypt", "kms:Encrypt"]),
    ],
)
def test_the_master_key(role: str, actions: list[str]) -> None:
    assert {"Effect": "Allow", "Action": actions, "Resource": KEY} in statements(name=role, kms_key=KEY)


def test_shredding_deletes_keys() -> None:
    shredding = [
        statement for statement in statements(may_shred=True) if "shop-keys" in statement["Resource"]
    ]
    assert {"dynamodb:DeleteItem", "dynamodb:Query"} <= {
        action for each in shredding for action in each["Action"]
    }
    assert "shop-keys" not in str(
        [statement for statement in statements() if "dynamodb:DeleteItem" in statement["Action"]]
    )


def test_the_operator_exports_to_a_bucket() -> None:
    objects = [
        statement
        for statement in statements(name="operator", bucket="exports")
        if "s3:" in str(statement["Action"])
    ]
    assert {each["Resource"] for each in objects} == {"arn:aws:s3:::exports", "arn:aws:s3:::exports/*"}
    assert {"s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload"} <= set(objects[1]["Action"])
    assert "s3:" not in str(statements(name="operator"))


def test_the_operator_of_imports_lets_aws_log_their_errors() -> None:
    made = statements(name="operator", bucket="b")
    logs, groups = (each for each in made if "logs:" in str(each["Action"]))
    assert (groups["Action"], groups["Resource"]) == (["logs:DescribeLogGroups"], "*")
    assert logs["Resource"] == "arn:aws:logs:eu-north-1:123456789012:log-group:/aws-dynamodb/*"
    assert {"logs:CreateLogGroup", "logs:PutLogEvents"} <= set(logs["Action"])
    assert "logs:" not in str(statements(name="operator"))


def test_the_operator_may_choose_the_key_of_a_table() -> None:
    table = Table("notes", "id", encryption_key=KEY)
    *_, key_rights = statements(Design("notes", tables=[table]), name="operator")
    assert key_rights["Resource"] == KEY
    assert {"kms:CreateGrant", "kms:GenerateDataKey", "kms:ReEncryptFrom"} <= set(key_rights["Action"])


SERVICE = {"kms:ViaService": "dynamodb.eu-north-1.amazonaws.com"}
ARN = "arn:aws:kms:eu-north-1:123456789012:key/1111"


def granted(*keys: str) -> list[dict[str, object]]:
    tables = [Table(f"table{number}", key="id", encryption_key=key) for number, key in enumerate(keys)]
    grants = Grants()
    grant_table_keys(grants, [*tables, Table("plain", key="id")], arns(), ("kms:Decrypt",))
    return grants.statements()


def test_a_key_arn() -> None:
    condition = {"StringEquals": SERVICE}
    expected = {"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": ARN, "Condition": condition}
    assert granted(ARN, ARN) == [expected]


def test_an_alias_is_a_condition() -> None:
    (statement,) = granted("alias/orders")
    assert statement["Resource"] == "arn:aws:kms:eu-north-1:123456789012:key/*"
    assert statement["Condition"] == {
        "StringEquals": SERVICE,
        "ForAnyValue:StringEquals": {"kms:ResourceAliases": "alias/orders"},
    }


def test_the_key_of_aws_needs_no_rights() -> None:
    assert granted("alias/aws/dynamodb") == []


TABLE = "arn:aws:dynamodb:eu-north-1:123456789012:table/"


def actions(grants: Grants) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for statement in grants.statements():
        resources = statement["Resource"]
        for resource in resources if isinstance(resources, list) else [resources]:
            found.setdefault(resource.removeprefix(TABLE), []).extend(statement["Action"])
    return found


def test_a_stream_consumer_reads_streams_and_keeps_positions() -> None:
    grants = Grants()
    grant_stream_consumer(grants, design, arns())
    found = actions(grants)
    assert set(found) == {"shop/stream/*", "shop-positions", "shop-keys", "*"}
    assert found["*"] == ["dynamodb:ListStreams"]
    assert "dynamodb:PutItem" in found["shop-positions"]


def test_people_who_read_write_nothing_and_decrypt_nothing() -> None:
    grants = Grants()
    grant_reader(grants, design, arns())
    found = actions(grants)
    streams = {"shop/stream/*", "shop-keys/stream/*"}
    assert set(found) == {"shop", "shop/index/GSI1", "shop-keys", "*", *streams}
    assert {action for name in streams for action in found[name]} == {"dynamodb:GetResourcePolicy"}
    assert not [
        action for action in found["shop-keys"] if "Item" in action or "Query" in action or "Scan" in action
    ]
    assert "dynamodb:PartiQLSelect" not in found["shop-keys"]
    every = {action for each in found.values() for action in each}
    assert not [
        action for action in every if any(word in action for word in ("Put", "Update", "Delete", "Write"))
    ]


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
        statement["Resource"]
        for statement in grants.statements()
        if "dynamodb:CreateTableReplica" in statement["Action"]
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
