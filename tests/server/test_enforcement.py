"""Enforcement: `serve --policies` allows each access key what its role allows, and resource policies hold."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.server.conftest import boto_client
from tests.server.processes import ServerProcess

pytestmark = pytest.mark.figure

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/notes"
OWN = {
    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["USER#${aws:PrincipalTag/user_id}"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}
TENANT = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:BatchWriteItem", "dynamodb:Query"],
            "Resource": TABLE,
            "Condition": OWN,
        }
    ],
}
ALL = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}


def credentials(folder: Path, *names: str) -> Path:
    file = folder / "keys.ini"
    file.touch(0o600)
    file.write_text(
        "".join(
            f"[{name}]\naws_access_key_id = AKID{name.upper()}\naws_secret_access_key = s-{name}\n"
            for name in names
        )
    )
    return file


@pytest.fixture(scope="module")
def enforcing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("policies")
    keys = credentials(folder, "ada", "bob", "ops", "eve")
    (folder / "tenant.json").write_text(json.dumps(TENANT))
    sessions = [
        {"id": "AKIDADA", "session": "ada", "tags": {"user_id": "u1"}},
        {"id": "AKIDBOB", "session": "bob", "tags": {"user_id": "u2"}},
    ]
    roles = {
        "roles": {"tenant": {"policies": ["tenant.json"], "access_keys": sessions}},
        "users": {"ops": {"policies": [ALL], "access_keys": ["AKIDOPS"]}},
    }
    (folder / "roles.json").write_text(json.dumps(roles))
    options = ("--require-signatures", "--credentials", str(keys), "--policies", str(folder / "roles.json"))
    with ServerProcess("--memory", *options) as process:
        create(as_caller(process, "ops"))
        yield process


def create(client: Any) -> None:
    client.create_table(
        TableName="notes",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def as_caller(server: ServerProcess, name: str) -> Any:
    return boto_client(
        server,
        aws_access_key_id=f"AKID{name.upper()}",
        aws_secret_access_key=f"s-{name}",
        aws_session_token=None,
    )


def denied(call: Any, **members: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**members)
    assert caught.value.response["Error"]["Code"] == "AccessDeniedException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    return str(caught.value.response["Error"]["Message"])


def key(user: str) -> dict[str, Any]:
    return {"PK": {"S": f"USER#{user}"}}


def test_a_tenant_reads_and_writes_only_its_own_partitions(enforcing: ServerProcess) -> None:
    for name, own, other in (("ada", "u1", "u2"), ("bob", "u2", "u1")):
        client = as_caller(enforcing, name)
        client.put_item(TableName="notes", Item=key(own))
        assert client.get_item(TableName="notes", Key=key(own))["Item"] == key(own)
        message = denied(client.get_item, TableName="notes", Key=key(other))
        assert message == (
            f"User: arn:aws:sts::123456789012:assumed-role/tenant/{name} is not authorized to perform: "
            f"dynamodb:GetItem on resource: {TABLE} because no identity-based policy allows the dynamodb:GetItem action"
        )
        denied(client.put_item, TableName="notes", Item=key(other))
        requests = {"notes": [{"DeleteRequest": {"Key": key(each)}} for each in (own, other)]}
        denied(client.batch_write_item, RequestItems=requests)
        denied(client.delete_item, TableName="notes", Key=key(own))
        denied(client.scan, TableName="notes")
        denied(client.list_tables)
        denied(client.describe_table, TableName="notes")


def test_a_key_without_policies_is_denied_everything(enforcing: ServerProcess) -> None:
    client = as_caller(enforcing, "eve")
    assert "User: arn:aws:iam::123456789012:user/eve is not" in denied(client.list_tables)
    denied(client.get_item, TableName="notes", Key=key("u1"))


def test_large_requests_and_lengthy_operations_are_checked_too(enforcing: ServerProcess) -> None:
    client = as_caller(enforcing, "ada")
    large = {**key("u2"), "text": {"S": "x" * 390_000}}
    denied(client.put_item, TableName="notes", Item=large)
    client.put_item(TableName="notes", Item={**large, **key("u1")})
    denied(client.delete_table, TableName="notes")
    denied(client.update_table, TableName="notes", DeletionProtectionEnabled=True)


def test_a_resource_policy_limits_an_administrator(enforcing: ServerProcess) -> None:
    ops = as_caller(enforcing, "ops")
    statement = {"Effect": "Deny", "Principal": "*", "Action": "dynamodb:Scan", "Resource": TABLE}
    ops.put_resource_policy(ResourceArn=TABLE, Policy=json.dumps({"Statement": [statement]}))
    message = denied(ops.scan, TableName="notes")
    assert message.endswith("with an explicit deny in a resource-based policy")
    ops.delete_resource_policy(ResourceArn=TABLE)
    ops.scan(TableName="notes")


def test_resource_policies_hold_wherever_signatures_are_required(tmp_path: Path) -> None:
    keys = credentials(tmp_path, "ada")
    with ServerProcess("--memory", "--require-signatures", "--credentials", str(keys)) as process:
        ada = as_caller(process, "ada")
        create(ada)
        ada.scan(TableName="notes")
        who = {"AWS": "arn:aws:iam::123456789012:user/ada"}
        statement = {"Effect": "Deny", "Principal": who, "Action": "dynamodb:Scan", "Resource": TABLE}
        ada.put_resource_policy(ResourceArn=TABLE, Policy=json.dumps({"Statement": [statement]}))
        denied(ada.scan, TableName="notes")
        ada.get_item(TableName="notes", Key=key("u1"))


PLANTED = """
from tablewright.engine.features.authorization.authorizations import Authorization
Authorization.denial = lambda self, tx, need: None
"""


def test_a_server_that_checks_nothing_is_noticed(tmp_path: Path) -> None:
    keys = credentials(tmp_path, "ada")
    (tmp_path / "roles.json").write_text("{}")
    options = ("--require-signatures", "--credentials", str(keys), "--policies", str(tmp_path / "roles.json"))
    with (
        ServerProcess("--memory", *options, planted=PLANTED) as process,
        pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"),
    ):
        denied(as_caller(process, "ada").list_tables)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--policies", "roles.json"], "--policies FILE needs --require-signatures"),
        (
            ["--require-signatures", "--credentials", "{keys}", "--policies", "missing.json"],
            "missing.json cannot be read",
        ),
    ],
)
def test_options_that_cannot_work(tmp_path: Path, options: list[str], message: str) -> None:
    keys = credentials(tmp_path, "ada")
    with pytest.raises(AssertionError, match=message):
        ServerProcess("--memory", *(option.format(keys=keys) for option in options)).__enter__()
