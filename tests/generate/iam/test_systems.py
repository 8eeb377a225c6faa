"""The policies of the five systems, enforced by the server: what a role does is allowed, and nothing else.

Sample entities are written and every access pattern is run, as the role. Then everything else is tried: other
operations, other keys, and the data of other tenants.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tablewright_systems.registry import SYSTEMS, System

from tablewright import Entity, Repository, writes
from tablewright.access.encryption.keyrings import KeyFile
from tablewright.cli import main
from tablewright.errors import AccessDenied, InvalidWrite, TablewrightError, TransactionFailed
from tablewright.generate.iam.grants import MOST_CHARACTERS, MOST_POLICIES, size
from tablewright.generate.iam.role_policies import ROLES
from tablewright.generate.iam.service_role import Member, ServiceRole, main_actions, members_of
from tablewright.generate.samples.sample_data import SampleData, sample_data
from tests.engine.features.authorization.test_required_permissions import CASES
from tests.generate.iam.role_server import Roles, RoleServer, arns, policies, role_server

pytestmark = pytest.mark.figure

TENANTS = {
    "boards": "board_id",
    "listbackup": "account_id",
    "student_hub": "user_id",
    "goalsguild": "user_id",
    "collabhub": "user_id",
}
SHREDDING = {"listbackup"}
STREAMS = {"GetRecords", "GetShardIterator", "ListStreams", "DescribeStream"}


def limited(system: System) -> list[Member]:
    """The members that can be limited to the tenant."""
    role = ServiceRole(system.design, arns(system.environment), TENANTS[system.name])
    return [member for member in members_of(system.design, ()) if role.is_limited(member)]


def documents(system: System) -> dict[str, list[dict[str, Any]]]:
    """The documents of all roles of a system."""
    design, environment = system.design, system.environment
    found = {
        "service": policies(design, environment, may_shred=system.name in SHREDDING),
        "operator": policies(design, environment, name="operator", bucket="exports"),
        "read-only": policies(design, environment, name="read-only"),
        "tenant": policies(
            design,
            environment,
            tenant=TENANTS[system.name],
            only=[member.__name__ for member in limited(system)],
        ),
    }
    if any(table.stream for table in design.tables):
        found["stream-consumer"] = policies(design, environment, name="stream-consumer")
    return found


DOCUMENTS = {system.name: documents(system) for system in SYSTEMS}


def tenants_of(system: System, samples: SampleData) -> list[str]:
    """The ids of the tenants among the samples."""
    found = (getattr(entity, TENANTS[system.name], None) for entity in samples.entities)
    return list(dict.fromkeys(each for each in found if isinstance(each, str)))


@cache
def samples_of(name: str) -> SampleData:
    """The sample data of a system, the same for all tests."""
    (system,) = (each for each in SYSTEMS if each.name == name)
    return sample_data(system.design, 2)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoleServer]:
    roles = Roles()
    for system in SYSTEMS:
        for name, made in DOCUMENTS[system.name].items():
            ids = tenants_of(system, samples_of(system.name))
            tags = {
                f"{system.name}-tenant-{number}": {TENANTS[system.name]: each}
                for number, each in enumerate(ids)
            }
            roles.add(f"{system.name}-{name}", made, tags if name == "tenant" else None)
    with role_server(tmp_path_factory.mktemp("roles"), roles) as started:
        for system in SYSTEMS:
            # The operator creates the tables.
            repository(started, system, "operator", create=True).close()
        yield started


def repository(server: RoleServer, system: System, role: str, **settings: Any) -> Repository:
    secrets = KeyFile(server.master_keys) if system.design.key_table is not None else None
    return server.connect(
        system.design, f"{system.name}-{role}", system.environment, secrets=secrets, **settings
    )


def is_denied(action: Callable[..., Any], *arguments: Any, **members: Any) -> bool | None:
    """Whether an action is denied; other errors show that it was allowed to try. None if nothing was sent."""
    try:
        action(*arguments, **members)
    except AccessDenied:
        return True
    except TransactionFailed as error:
        return isinstance(error.__cause__, AccessDenied)
    except ClientError as error:
        return bool(error.response["Error"]["Code"] == "AccessDeniedException")
    except InvalidWrite:
        return None
    except TablewrightError:
        return False
    return False


def changes(db: Repository, entity: Entity) -> Iterator[Callable[[], Any]]:
    """The writes that an entity allows, of one that exists."""
    allowed = entity.layout.writes
    yield lambda: db.transact(writes.Check(entity))
    if "update" in allowed:
        yield lambda: db.put(entity)
        yield lambda: db.upsert(entity)
    if "delete" in allowed:
        yield lambda: db.delete(entity)
        yield lambda: db.create(entity)
        if "BatchWriteItem" in main_actions(entity.layout):
            yield lambda: db.batch([writes.Delete(entity)])
            yield lambda: db.create(entity)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_service_runs_every_pattern_and_every_declared_write(server: RoleServer, system: System) -> None:
    samples = samples_of(system.name)
    with repository(server, system, "service") as db:
        for entity in samples.entities:
            assert not is_denied(db.create, entity), entity
        run = 0
        for sample in samples.requests:
            if sample.request is not None:
                read: Any = db.rows if type(sample.request).__plan__.pattern.fields else db.run
                read(sample.request)
                run += 1
        assert run >= len(system.design.patterns) * 0.9
        for entity in samples.entities:
            for change in changes(db, entity):
                assert not is_denied(change), entity


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_service_can_do_nothing_else(server: RoleServer, system: System) -> None:
    """Every operation with its usual request, on the tables of the system, with keys of no entity."""
    granted = {
        (action, statement["Resource"])
        for document in DOCUMENTS[system.name]["service"]
        for statement in document["Statement"]
        for action in statement["Action"]
        if "Condition" not in statement
    }
    client = server.client(f"{system.name}-service")
    streams = server.client(f"{system.name}-service", "dynamodbstreams")
    tried = set()
    for table in system.design.tables[:2]:
        name = table.physical_name(system.environment)
        arn = arns(system.environment).of(table)
        for operation, request in CASES:
            changed = json.loads(
                json.dumps(request)
                .replace("us-east-1:123456789012:table/music", f"{arn.split(':', 3)[3]}")
                .replace("eu-west-1:210987654321:table/music", f"{arn.split(':', 3)[3]}")
                .replace("eu-west-1:123456789012:table/music", f"{arn.split(':', 3)[3]}")
                .replace("us-east-1:123456789012", f"{arns().region}:123456789012")
                .replace('"music"', f'"{name}"')
                .replace("FROM music", f'FROM \\"{name}\\"')
                .replace("INTO music", f'INTO \\"{name}\\"')
                .replace("UPDATE music", f'UPDATE \\"{name}\\"')
                .replace('"artist"', f'"{table.partition}"')
            )
            # Statements of a batch have errors of their own; boto3 does not know all operations.
            method = getattr(streams if operation in STREAMS else client, _snake(operation), None)
            if operation == "BatchExecuteStatement" or method is None:
                continue
            if (f"dynamodb:{operation}", arn) in granted:
                continue
            outcome = _error_code(method, changed)
            tried.add(operation)
            assert outcome in ("AccessDeniedException", "ValidationException"), (operation, changed, outcome)
    assert len(tried) > 45


def _error_code(call: Callable[..., Any], request: dict[str, Any]) -> str:
    try:
        call(**request)
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return "allowed"


def _snake(operation: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in operation).lstrip("_")


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_tenant_is_allowed_its_own_data_and_denied_that_of_others(
    server: RoleServer, system: System
) -> None:
    samples, field = samples_of(system.name), TENANTS[system.name]
    ids = tenants_of(system, samples)
    members = limited(system)
    assert len(ids) > 1
    assert members
    proved = {"own": 0, "other": 0}
    for number, tenant in enumerate(ids[:2]):
        with repository(server, system, f"tenant-{number}") as db:
            for entity in samples.entities:
                if type(entity) not in members:
                    continue
                is_own = getattr(entity, field) == tenant
                for change in changes(db, entity):
                    assert is_denied(change) in (not is_own, None), entity
                proved["own" if is_own else "other"] += 1
            for sample in samples.requests:
                request: Any = sample.request
                if request is None or type(request) not in members or not hasattr(request, field):
                    continue
                for other in ids:
                    value = [other] if isinstance(getattr(request, field), list) else other
                    read = request.model_copy(update={field: value})
                    run: Any = db.rows if type(request).__plan__.pattern.fields else db.run
                    assert is_denied(run, read) == (other != tenant), read
                    proved["own" if other == tenant else "other"] += 1
    assert min(proved.values()) > 3, proved


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_people_who_read_can_read_everything_and_write_nothing(server: RoleServer, system: System) -> None:
    client = server.client(f"{system.name}-read-only")
    for table in system.design.tables:
        name = table.physical_name(system.environment)
        if table is system.design.key_table:
            assert is_denied(client.scan, TableName=name)
            continue
        client.scan(TableName=name)
        client.describe_table(TableName=name)
        for index in table.indexes:
            client.scan(TableName=name, IndexName=index.name)
        item = {attribute: {table.type_of(attribute): "1"} for attribute in table.key}
        assert is_denied(client.put_item, TableName=name, Item=item)
        assert is_denied(client.delete_item, TableName=name, Key=item)
        assert is_denied(client.delete_table, TableName=name)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_operator_deploys_migrates_checks_and_backs_up(
    server: RoleServer, system: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", f"{system.name}-operator")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", arns().region)
    location = ["--on", server.process.url]
    environment = ["--env", system.environment] if system.environment else []
    keys = ["--keys", str(server.master_keys)] if system.design.key_table is not None else []
    design = f"tablewright_systems.{system.name}.design:design"
    migrate = ["migrate"] if system.design.migrations else []
    for command in ("deploy", "drift", *migrate, "fsck"):
        options = [] if command == "drift" else keys
        assert main([command, design, *location, *environment, *options]) in (0, 1)
        result = "".join(capsys.readouterr())
        assert "AccessDenied" not in result, (command, result)
        assert "Traceback" not in result, (command, result)
        assert "not authorized" not in result, (command, result)
    client = server.client(f"{system.name}-operator")
    name = system.design.tables[0].physical_name(system.environment)
    backup = client.create_backup(TableName=name, BackupName="first")["BackupDetails"]["BackupArn"]
    while (
        client.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]["BackupStatus"]
        == "CREATING"
    ):
        pass
    client.list_backups()
    client.restore_table_from_backup(TargetTableName=f"{name}-restored-1", BackupArn=backup)
    client.describe_table(TableName=f"{name}-restored-1")
    assert is_denied(client.restore_table_from_backup, TargetTableName="elsewhere", BackupArn=backup)


def test_no_policy_is_longer_than_aws_allows() -> None:
    for by_role in DOCUMENTS.values():
        for made in by_role.values():
            assert len(made) <= MOST_POLICIES
            assert all(size(document) <= MOST_CHARACTERS for document in made)


def test_services_and_tenants_have_no_wildcards_in_actions_and_resources() -> None:
    for by_role in DOCUMENTS.values():
        for document in (*by_role["service"], *by_role["tenant"]):
            for statement in document["Statement"]:
                assert "*" not in f"{statement['Action']}{statement['Resource']}"


@pytest.mark.skipif(
    find_spec("pkg_resources") is None,
    reason="NOT LINTED: parliament needs pkg_resources, which environments of Python 3.12 and later lack; 3.11 has it",
)
def test_the_linter_finds_nothing(tmp_path: Path) -> None:
    for system, by_role in DOCUMENTS.items():
        for role, made in by_role.items():
            for number, document in enumerate(made):
                (tmp_path / f"{system}-{role}-{number}.json").write_text(json.dumps(document))
    done = subprocess.run(
        [Path(sys.executable).with_name("parliament"), "--directory", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_every_role_is_covered() -> None:
    assert {role for by_role in DOCUMENTS.values() for role in by_role} - {"tenant"} == set(ROLES)
