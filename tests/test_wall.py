"""The wall between the language and the engine: a program that uses an endpoint or AWS loads no engine.

Each test runs a program in a process of its own and lists the modules that it has loaded.
"""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.server.processes import ServerProcess

ENGINE = ("tablewright.engine", "tablewright.server", "apsw", "uvloop", "amazon")
DESIGN = """
from tablewright import Design, Entity, Get, Keys, Query, Table, connect

main = Table("app", key=("PK", "SK"))

class User(Entity, table=main, type="USER"):
    user_id: str
    name: str = "Ada"
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))

class UserById(Get[User]):
    '''Get a user.'''
    user_id: str
"""
CONNECT = """
import sys
from tablewright import migrations, writes

def upper(item):
    return {**item, "name": item["name"].upper()}

design = Design(
    "app", entities=[User], patterns=[UserById], migrations=[migrations.Migration("upper", User, up=upper)]
)
keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
db = connect(design, sys.argv[1], region="us-east-1", create=True, prefix=sys.argv[2], **keys)
"""
USE = """
import asyncio

ada = db.create(User(user_id="u1"))
db.update(ada, set={"name": "Eva"})
assert db.run(UserById(user_id="u1")).name == "Eva"
db.batch([writes.Put(User(user_id="u2"))])

async def name():
    async with db.aio as aio:
        return (await aio.run(UserById(user_id="u2"))).name

assert asyncio.run(name()) == "Ada"
"""
MIGRATE = """
db.create(User(user_id="u3"))
assert [result.tally.changed for result in migrations.migrate(db)] == [1]
assert db.run(UserById(user_id="u3")).name == "ADA"
"""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with ServerProcess("--memory") as process:
        yield process.url


def loaded(program: str, *arguments: str) -> set[str]:
    """The modules that a program has loaded."""
    program += "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = [sys.executable, "-W", "error", "-c", program, *arguments]
    ended = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout.splitlines()[-1]))


def of_the_engine(modules: set[str]) -> list[str]:
    return sorted(module for module in modules if module.startswith(ENGINE))


def test_the_front_door_itself_loads_nothing_large() -> None:
    """pytest imports the plugin, and with it the front door, in every run, also in projects that do not use it."""
    modules = loaded("import tablewright")
    assert of_the_engine(modules) == []
    assert not {"boto3", "botocore", "aiobotocore", "pydantic"} & modules


def test_importing_the_language_loads_no_engine_and_no_client() -> None:
    modules = loaded("from tablewright import Design, Entity, Get, Keys, Table, connect")
    assert of_the_engine(modules) == []
    assert not {"boto3", "botocore", "asyncio", "cryptography"} & modules


@pytest.mark.parametrize(
    ("name", "use"), [("use", USE), ("migrate", MIGRATE)], ids=["reads, writes, batches, async", "migrations"]
)
def test_a_program_on_an_endpoint_loads_no_engine(endpoint: str, name: str, use: str) -> None:
    assert of_the_engine(loaded(DESIGN + CONNECT + use, endpoint, f"{name}-")) == []


def test_a_database_in_memory_loads_the_engine_and_no_client() -> None:
    modules = loaded(DESIGN + "connect(Design('app', entities=[User], patterns=[UserById])).close()")
    assert "tablewright.engine.database" in modules
    assert not {"boto3", "botocore", "aiobotocore", "cryptography", "asyncio"} & modules
