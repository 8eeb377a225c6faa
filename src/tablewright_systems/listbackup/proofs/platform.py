"""Proofs about all tables: policies, migration, schema evolution, billing mode, the template."""

import json
import subprocess
import sys
from datetime import timedelta
from typing import Any

from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import AccountById
from tablewright_systems.listbackup.design.activities import Activity
from tablewright_systems.listbackup.design.sources import SourceById, SourceOfAccount, SourcesOfAccount
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.proofs.fixtures import STAFF, new_owner, unique_id
from tablewright_systems.listbackup.service import v1_import
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.users import users
from tablewright_systems.service.errors import Forbidden
from tablewright_systems.verification.proofs import ProofContext, Proofs
from tablewright_systems.verification.rejections import expect_error

PROOFS = Proofs("listbackup")
DESIGN = "tablewright_systems.listbackup.design:design"


@PROOFS("F17", "001:652")
def least_privilege(context: ProofContext) -> None:
    """Policies name tables and indexes without wildcards; members of other accounts cannot read an account's data."""
    used: list[type] = [SourcesOfAccount, SourceById, UserById, Activity]
    place = ("--region", "eu-west-1", "--account", "123456789012", "--env", "stack")
    only = [text for each in used for text in ("--only", each.__name__)]
    granted = _generate(
        "iam", *place, *only, "--tenant", "account_id", "--shared", "UserById", "--shared", "SourceById"
    )
    for statement in granted["Statement"]:
        assert "*" not in statement["Resource"]
        assert all("*" not in action for action in statement["Action"])
    bound = {
        each["Resource"].rpartition("stack-")[2] for each in granted["Statement"] if "account_id" in str(each)
    }
    assert bound == {"activities", "sources", "keys"}
    _, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    with context.measured(), expect_error(Forbidden):
        require_right(context.db, eve, account.account_id, Area.SOURCES, Right.READ)


@PROOFS("F19", "001:664")
def migration_from_v1(context: ProofContext) -> None:
    """Migrate V1: normalised addresses, the hierarchy, encrypted credentials, recent activities only."""
    top, child, ada, twin = (unique_id(name) for name in ("top", "child", "ada", "twin"))
    now = context.db.now()
    recent, old = (
        v1_import.V1Activity(
            unique_id("event"), child, "source.created", ResourceType.SOURCE, "s", "create", now - age, ada
        )
        for age in (timedelta(days=80), timedelta(days=91))
    )
    export = v1_import.Export(
        accounts=[
            v1_import.V1Account(child, "Child", ada, top),
            v1_import.V1Account(top, "Top", ada),
            v1_import.V1Account(unique_id("lost"), "Lost", ada, "nowhere"),
        ],
        users=[
            v1_import.V1User(ada, f" {ada}@Example.org", ada, "Ada", top),
            v1_import.V1User(twin, f"{ada}@example.ORG", twin, "Twin", top),
        ],
        sources=[v1_import.V1Source(unique_id("source"), child, "Keap", "keap", "s3cret")],
        activities=[recent, old],
    )
    with context.measured():
        first = v1_import.migrate(context.db, STAFF, export)
    again = v1_import.migrate(context.db, STAFF, export)
    assert (first.created, first.expired, len(first.rejected)) == (5, 1, 1)
    assert (again.created, again.present) == (0, 5)
    assert [(each.user_id, each.field) for each in again.collisions] == [(twin, "email")]
    moved = context.db.run(AccountById(account_id=child))
    assert moved is not None
    assert (moved.account_path, moved.level) == (f"/{top}/{child}/", 1)
    source = context.db.run(SourceOfAccount(account_id=child, source_id=export.sources[0].id))
    assert source is not None
    assert source.credentials is not None
    assert source.credentials.encrypted_data == "s3cret"


@PROOFS("F20", "001:670")
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


@PROOFS("F21", "001:635")
def on_demand(context: ProofContext) -> None:
    """Every table has on-demand billing."""
    with context.measured():
        modes = {_mode(context, table) for table in design.tables}
    assert modes == {"PAY_PER_REQUEST"}


@PROOFS("F22", "001:24")
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
