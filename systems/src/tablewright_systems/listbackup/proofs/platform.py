"""Proofs about all tables: policies, migration, schema evolution, billing mode, the template."""

import base64
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from tablewright import errors
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.activities import ActivitiesOfAccount, Activity
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.sources import SourceById, SourceOfAccount, SourcesOfAccount
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.migrations import V1_KEY
from tablewright_systems.listbackup.proofs.document_rows import document_rows, store
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.listbackup.service import memberships, users
from tablewright_systems.listbackup.service.access import Area, get_account, require_right
from tablewright_systems.listbackup.v1 import migrate_v1
from tablewright_systems.service import Caller, Conflict, Forbidden
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")
DESIGN = "tablewright_systems.listbackup.design:design"


@PROOFS("F17")
def least_privilege(context: ProofContext) -> None:
    """Policies name tables and indexes without wildcards; members of other accounts cannot read an account's data."""
    used: list[type] = [SourcesOfAccount, SourceById, UserById, Activity]
    place = ("--region", "eu-west-1", "--account", "123456789012", "--env", "stack")
    only = [text for pattern in used for text in ("--only", pattern.__name__)]
    granted = _generate(
        "iam", *place, *only, "--tenant", "account_id", "--shared", "UserById", "--shared", "SourceById"
    )
    for statement in granted["Statement"]:
        assert "*" not in statement["Resource"]
        assert all("*" not in action for action in statement["Action"])
    bound = {
        statement["Resource"].rpartition("stack-")[2]
        for statement in granted["Statement"]
        if "account_id" in str(statement)
    }
    assert bound == {"activities", "sources", "keys"}
    _, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    with context.measured(), expect_error(Forbidden):
        require_right(context.db, eve, account.account_id, Area.SOURCES, Right.READ)


@PROOFS("F19")
def migration_from_v1(context: ProofContext) -> None:
    """Migrate rows as the document prints them: addresses, hierarchy, owners, credentials, recent activities."""
    db, suffix = context.db, f"-{secrets.token_hex(6)}"
    ada, top, child = (f"{name}{suffix}" for name in ("ada", "top", "child"))
    with _v1_key():
        rows = document_rows(db.now(), suffix)
        old = rows["activities"][0] | {
            "createdAt": (db.now() - timedelta(days=91)).isoformat(),
            "timestamp#eventId": f"1#old{suffix}",
            "eventId": f"old{suffix}",
        }
        twin = rows["users"][1] | {"userId": f"twin{suffix}", "email": f"BOB{suffix}@example.ORG"}
        rows["activities"].append(old)
        rows["users"].append(twin)
        store(db, rows)
        rejected: list[str] = []
        with context.measured():
            migrate_v1(db, rejected.append, pause=context.clock.advance)
    assert len([line for line in rejected if "another User has it" in line]) == 1
    migrated = [get_account(db, account_id) for account_id in (top, child)]
    assert [(account.account_path, account.owners) for account in migrated] == [
        (f"/{top}/", 1),
        (f"/{top}/{child}/", 1),
    ]
    assert memberships.membership_of(db, ada, child).role is AccountRole.OWNER
    source = db.run(SourceOfAccount(account_id=top, source_id=rows["sources"][0]["sourceId"]))
    assert source is not None
    assert source.credentials is not None
    assert source.credentials.encrypted_data == "api-key-1"
    kept = db.all(ActivitiesOfAccount(account_id=top, start=db.now() - timedelta(days=100), end=db.now()))
    assert [activity.event_id for activity in kept] == [rows["activities"][0]["eventId"]]
    with expect_error(Conflict, field="role"):
        memberships.leave_account(db, Caller(ada), top)


@PROOFS("F20")
def schema_evolution(context: ProofContext) -> None:
    """Items have a schema version; attributes of a newer version are kept, and new ones are sparse."""
    ada, _ = new_owner(context.db)
    key = {"TableName": _physical(context, User), "Key": {"userId": {"S": ada.user_id}}}
    context.db.connection.call(
        "UpdateItem",
        {
            **key,
            "UpdateExpression": "SET nickname = :n",
            "ExpressionAttributeValues": {":n": {"S": "The Countess"}},
        },
    )
    with context.measured():
        changed = users.change_profile(context.db, ada, name="Ada Lovelace")
    assert changed.unknown_attributes == {"nickname": {"S": "The Countess"}}
    item = context.db.connection.call("GetItem", key)["Item"]
    assert (item["schemaVersion"], item["nickname"]) == ({"N": "1"}, {"S": "The Countess"})
    invalid = {"UpdateExpression": "SET createdAt = :v", "ExpressionAttributeValues": {":v": {"S": "soon"}}}
    context.db.connection.call("UpdateItem", {**key, **invalid})
    expect_error(errors.UnknownItem, lambda: context.db.run(UserById(user_id=ada.user_id)))


@PROOFS("F21")
def on_demand(context: ProofContext) -> None:
    """Every table has on-demand billing."""
    with context.measured():
        modes = {_mode(context, table) for table in design.tables}
    assert modes == {"PAY_PER_REQUEST"}
    capacity = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    provision = {"TableName": _physical(context, User), "ProvisionedThroughput": capacity}
    expect_error(errors.ValidationError, lambda: context.db.connection.call("UpdateTable", provision))


@PROOFS("F22")
def cloudformation(context: ProofContext) -> None:
    """A CloudFormation template with the document's names: 13 tables, one for archives, and one for keys."""
    resources = _generate("cloudformation")["Resources"]
    names = [resource["Properties"]["TableName"]["Fn::Sub"] for resource in resources.values()]
    assert len(names) == 15
    assert names[:3] == [f"${{AWS::StackName}}-{name}" for name in ("users", "accounts", "users-accounts")]
    described = context.db.connection.call("DescribeTable", {"TableName": _physical(context, User)})
    indexes = {index["IndexName"] for index in described["Table"]["GlobalSecondaryIndexes"]}
    declared = resources["UsersTable"]["Properties"]["GlobalSecondaryIndexes"]
    assert indexes == {index["IndexName"] for index in declared}
    expect_error(subprocess.CalledProcessError, lambda: _generate("cloudforms"))


@contextmanager
def _v1_key() -> Iterator[None]:
    """Set the key of V1 for a block."""
    before = os.environ.get(V1_KEY)
    os.environ[V1_KEY] = base64.b64encode(secrets.token_bytes(32)).decode()
    try:
        yield
    finally:
        del os.environ[V1_KEY]
        if before is not None:
            os.environ[V1_KEY] = before


def _generate(*arguments: str) -> Any:
    """Run `tablewright generate` for this design, as a user would, and return its JSON output."""
    command = [sys.executable, "-m", "tablewright", "generate", *arguments, DESIGN]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _physical(context: ProofContext, entity: Any) -> str:
    return context.db.context.table_name(entity.layout.table)


def _mode(context: ProofContext, table: Any) -> str:
    name = context.db.context.table_name(table)
    described = context.db.connection.call("DescribeTable", {"TableName": name})["Table"]
    return str(described["BillingModeSummary"]["BillingMode"])
