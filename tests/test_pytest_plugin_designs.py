"""The fixture `db` for a design, in the test suite of another project."""

import pytest

from tests import preloaded_modules

pytest_plugins = ["pytester"]
preloaded_modules.load()

DESIGN = """
from typing import Annotated

from tablewright import Design, Entity, Get, Index, Keys, Query, Table, events, fields

main = Table(
    "app-{env}-main",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK")],
    ttl="expiresAt",
    stream="NEW_AND_OLD_IMAGES",
)


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    role: str = "member"
    secret: Annotated[str | None, fields.Encrypted(context=("user_id",))] = None
    expires_at: Annotated[int | None, fields.Ttl()] = None
    keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("ROLE#{role}", "{user_id}"))


class UserById(Get[User]):
    user_id: str


class UsersByRole(Query[User]):
    role: str
    key = "GSI1PK = ROLE#{role}"


design = Design("app", entities=[User], patterns=[UserById, UsersByRole])
other = Design("other", tables=[Table("other", key="id")])
not_a_design = 5
"""
HEAD = """
import pytest
from app_design import *
from tablewright import Faults, errors

def user(number=1):
    return User(user_id=f"u{number}", email=f"{number}@example.org", secret="s")
"""
SETTING = "[pytest]\ntablewright_design = app_design:design\npythonpath = .\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a design."""
    pytester.makepyfile(app_design=DESIGN)
    return pytester


def run(project: pytest.Pytester, tests: str, settings: str = SETTING, *arguments: str) -> pytest.RunResult:
    project.makefile(".ini", pytest=settings)
    project.makepyfile(test_app=HEAD + tests)
    return project.runpytest("-q", "-p", "no:randomly", "--strict-markers", *arguments)


def test_db_is_the_design_on_an_empty_database(project: pytest.Pytester) -> None:
    tests = """
def test_db(db, db_engine):
    assert db.design is design
    assert db.connection is db_engine
    assert db_engine.call("ListTables", {})["TableNames"] == sorted(["app-test-main", "app-test-keys"])
    assert db.create(user()) == db.run(UserById(user_id="u1"))
    assert len(db.run(UsersByRole(role="member"))) == 1
"""
    run(project, tests).assert_outcomes(passed=1)


def test_async_db_is_on_the_same_database(project: pytest.Pytester) -> None:
    tests = """
import asyncio

def test_async_db(db, async_db):
    async def create():
        await async_db.create(user())
    asyncio.run(create())
    assert db.run(UserById(user_id="u1")) is not None
"""
    run(project, tests).assert_outcomes(passed=1)


def test_async_db_works_with_a_plugin_for_async_tests(project: pytest.Pytester) -> None:
    tests = """
@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.anyio
async def test_async_db(async_db):
    await async_db.create(user())
    assert await async_db.run(UserById(user_id="u1")) is not None
"""
    run(project, tests).assert_outcomes(passed=1)


LEAKS = {
    "items": """
def use(db, db_engine, db_clock):
    assert db_engine.call("Scan", {"TableName": "app-test-main"})["Count"] == 0
    db.create(user())
""",
    "unique values": """
def use(db, db_engine, db_clock):
    use.count += 1
    db.create(User(user_id=f"u{use.count}", email="same@example.org"))

use.count = 0
""",
    "tables": """
def use(db, db_engine, db_clock):
    assert len(db_engine.call("ListTables", {})["TableNames"]) == 2
    db_engine.call("CreateTable", other.tables[0].definition())
    db_engine.call("DeleteTable", {"TableName": "app-test-keys"})
""",
    "streams": """
def use(db, db_engine, db_clock):
    use.count += 1
    db_engine.call("PutItem", {"TableName": "app-test-main", "Item": {"PK": {"S": str(use.count)}, "SK": {"S": "x"}}})
    arn = db_engine.call("DescribeTable", {"TableName": "app-test-main"})["Table"]["LatestStreamArn"]
    shards = db_engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    at = {"StreamArn": arn, "ShardIteratorType": "TRIM_HORIZON"}
    iterators = [
        db_engine.call("GetShardIterator", at | {"ShardId": shard["ShardId"]})["ShardIterator"] for shard in shards
    ]
    pages = [db_engine.call("GetRecords", {"ShardIterator": iterator})["Records"] for iterator in iterators]
    assert sum(map(len, pages)) == 1

use.count = 0
""",
    "stream positions": """
def use(db, db_engine, db_clock):
    assert len(db_engine.call("ListTables", {})["TableNames"]) == 2
    seen = []

    @events.on(User)
    def listener(event):
        seen.append(event)

    db.create(user())
    db.streams.handle(listener)
    assert len(seen) == 1
    assert len(db_engine.call("ListTables", {})["TableNames"]) == 3, "the positions are stored in a table"
""",
    "the clock": """
import time

def use(db, db_engine, db_clock):
    assert not db_clock.frozen
    assert abs(db.now().timestamp() - time.time()) < 3600
    db_clock.advance(86_400)
    db_clock.freeze()
""",
    "expired items": """
def use(db, db_engine, db_clock):
    assert db_engine.sweep() == 0
    db.create(user().model_copy(update={"expires_at": int(db_clock.now()) + 60}))
    db_clock.advance(61)
    assert db.run(UserById(user_id="u1")) is None
""",
    "idempotency tokens": """
def use(db, db_engine, db_clock):
    put = {"Put": {"TableName": "app-test-main", "Item": {"PK": {"S": "x"}, "SK": {"S": "x"}}}}
    use.count += 1
    put["Put"]["Item"]["n"] = {"N": str(use.count)}
    db_engine.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "same"})

use.count = 0
""",
    "encryption keys": """
def use(db, db_engine, db_clock):
    assert db_engine.call("Scan", {"TableName": "app-test-keys"})["Count"] == 0
    db.create(user())
    assert db_engine.call("Scan", {"TableName": "app-test-keys"})["Count"] == 1
""",
}


@pytest.mark.parametrize("kind", LEAKS)
def test_tests_do_not_share(project: pytest.Pytester, kind: str) -> None:
    """Each scenario fails when it runs twice on one database, and passes as two tests."""
    tests = """
def test_both(db, db_engine, db_clock):
    use(db, db_engine, db_clock)
    with pytest.raises((AssertionError, errors.TablewrightError)):
        use(db, db_engine, db_clock)

@pytest.mark.parametrize("number", [1, 2])
def test_each(number, db, db_engine, db_clock):
    use(db, db_engine, db_clock)
"""
    run(project, LEAKS[kind] + tests).assert_outcomes(passed=3)


def test_faults_end_with_their_test(project: pytest.Pytester) -> None:
    tests = """
@pytest.mark.tablewright(faults=Faults(seed=1, throttling=1.0))
def test_throttled(db_engine):
    with pytest.raises(errors.ProvisionedThroughputExceeded):
        db_engine.call("Scan", {"TableName": "app-test-main"})

def test_not_throttled(db):
    db.create(user())
"""
    run(project, tests).assert_outcomes(passed=2)


def test_a_marker_takes_a_design_or_its_name(project: pytest.Pytester) -> None:
    tests = """
@pytest.mark.tablewright(other)
def test_object(db):
    assert db.design is other

@pytest.mark.tablewright("app_design:other")
class TestName:
    def test_name(self, db):
        assert db.design is other

    @pytest.mark.tablewright(design=design, environment="main")
    def test_closest(self, db):
        assert db.connection.call("ListTables", {})["TableNames"] == ["app-main-keys", "app-main-main"]

@pytest.mark.tablewright(design)
def test_long_name(tablewright_db, db):
    assert tablewright_db is db
"""
    run(project, tests, "[pytest]\npythonpath = .\n").assert_outcomes(passed=4)


def test_a_marker_wins_over_the_setting(project: pytest.Pytester) -> None:
    tests = """
@pytest.mark.tablewright(other)
def test_marked(db):
    assert db.design is other

def test_not_marked(db):
    assert db.design is design
"""
    run(project, tests).assert_outcomes(passed=2)


def test_a_marker_of_a_module_applies_to_its_tests(project: pytest.Pytester) -> None:
    tests = (
        "pytestmark = pytest.mark.tablewright(other)\ndef test_module(db):\n    assert db.design is other\n"
    )
    run(project, tests, "[pytest]\npythonpath = .\n").assert_outcomes(passed=1)


def test_the_environment_is_a_setting(project: pytest.Pytester) -> None:
    tests = """
def test_environment(db_engine):
    assert "app-ci-main" in db_engine.call("ListTables", {})["TableNames"]
"""
    run(project, tests, SETTING + "tablewright_environment = ci\n").assert_outcomes(passed=1)


def test_a_renamed_table_is_created_again(project: pytest.Pytester) -> None:
    """Names can come from variables, which a test may set."""
    project.makepyfile(app_design=DESIGN.replace('ttl="expiresAt"', 'ttl="expiresAt", variable="MAIN_TABLE"'))
    tests = """
@pytest.mark.parametrize("name", ["first", "second"])
def test_name(name, monkeypatch, request):
    monkeypatch.setenv("MAIN_TABLE", name)
    request.getfixturevalue("db").create(user())
"""
    run(project, tests).assert_outcomes(passed=2)


ERRORS = {
    "absent_module:design": [
        "tablewright: pytest.ini: tablewright_design = absent_module:design",
        "cannot import absent_module: No module named 'absent_module'; give the module as in a Python import*",
    ],
    "app_design:desing": ["app_design has no variable desing; its designs are: design, other"],
    "app_design:not_a_design": [
        "app_design has an instance of int, not a Design, as not_a_design; its designs are: design, other"
    ],
    "app_design.py:design": ["app_design.py is a path; give the module as in a Python import: app_design"],
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_wrong_setting_is_named_with_its_fix(project: pytest.Pytester, name: str) -> None:
    result = run(project, "def test_db(db):\n    pass\n", SETTING.replace("app_design:design", name))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{line}" for line in ERRORS[name]])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("", "no design is set. Add this line to the pytest settings in pytest.ini:"),
        ("5", "(design=5): the design must be a Design, or its import name such as*"),
        ("'app_design:nothing'", "app_design has no variable nothing; its designs are: design, other"),
        (
            "design, design=other",
            "is not valid: it takes one design, and the options environment= and faults=",
        ),
        ("design, clock=1", "is not valid: it takes one design, and the options environment= and faults="),
    ],
)
def test_a_wrong_marker_is_named_with_its_fix(project: pytest.Pytester, marker: str, message: str) -> None:
    tests = f"@pytest.mark.tablewright({marker})\ndef test_db(db):\n    pass\n"
    result = run(project, tests, "[pytest]\npythonpath = .\n")
    result.assert_outcomes(errors=1)
    assert message.rstrip("*") in result.stdout.str()


def test_without_a_setting_the_error_shows_the_line_to_add(project: pytest.Pytester) -> None:
    result = run(project, "def test_db(tablewright_db):\n    pass\n", "[pytest]\npythonpath = .\n")
    result.stdout.fnmatch_lines(
        [
            "*no design is set. Add this line to the pytest settings in pytest.ini:",
            "*tablewright_design = myapp.design:design",
            '*or mark the test: @pytest.mark.tablewright("myapp.design:design")',
        ]
    )


def test_a_module_that_is_not_on_the_path_is_found_for_the_message(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**{"src/shop_app/design": DESIGN, "tests/test_app": "def test_db(db):\n    pass\n"})
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\ntablewright_design = "shop_app.design:design"\n')
    result = pytester.runpytest("-q")
    result.stdout.fnmatch_lines(
        [
            '*tablewright: pyproject.toml: tablewright_design = "shop_app.design:design"',
            "*cannot import shop_app.design*",
            "*shop_app is in *src, which is not on Python's path; add to the pytest settings: pythonpath = *src*",
        ]
    )


def test_an_error_inside_the_module_keeps_its_traceback(project: pytest.Pytester) -> None:
    project.makepyfile(broken_design="1 / 0\n")
    result = run(
        project, "def test_db(db):\n    pass\n", SETTING.replace("app_design:design", "broken_design:design")
    )
    result.stdout.fnmatch_lines(["*broken_design.py:1: ZeroDivisionError*"])


OWN = """
import pytest

@pytest.fixture
def db():
    return "own"
"""
USES_OWN = "def test_own(db):\n    assert db == 'own'\n"


def test_a_db_fixture_of_the_project_wins(project: pytest.Pytester) -> None:
    project.makeconftest(OWN)
    result = run(project, USES_OWN + "def test_ours(tablewright_db):\n    tablewright_db.create(user())\n")
    result.assert_outcomes(passed=2)
    project.makeconftest("")
    run(project, OWN + USES_OWN).assert_outcomes(passed=1)


def test_a_db_fixture_of_a_folder_wins_in_this_folder_only(project: pytest.Pytester) -> None:
    project.makefile(".ini", pytest=SETTING)
    project.makepyfile(
        **{
            "api/conftest": OWN,
            "api/test_api": USES_OWN,
            "web/test_web": "def test_web(db):\n    assert db.design.name == 'app'\n",
        }
    )
    project.runpytest("-q", "api", "web").assert_outcomes(passed=2)


@pytest.mark.parametrize("settings", ["[pytest]\npythonpath = .\n", SETTING])
@pytest.mark.parametrize(
    "own", [OWN, OWN.replace("fixture\n", "fixture(name='db')\n").replace("def db", "def _")]
)
def test_a_db_fixture_of_another_plugin_is_not_hidden(
    project: pytest.Pytester, settings: str, own: str
) -> None:
    """Whichever plugin pytest loads first, and also when a test is marked."""
    project.makepyfile(other_plugin=own)
    project.syspathinsert()
    tests = (
        USES_OWN
        + "@pytest.mark.tablewright(other)\ndef test_ours(db, tablewright_db):\n    assert db == 'own'\n"
    )
    result = run(project, tests, settings, "-p", "other_plugin")
    result.assert_outcomes(passed=2)


def test_the_header_names_the_design_and_the_plugin_that_owns_db(project: pytest.Pytester) -> None:
    project.makepyfile(other_plugin=OWN)
    project.syspathinsert()
    project.makefile(".ini", pytest=SETTING)
    project.runpytest("-p", "other_plugin").stdout.fnmatch_lines(
        ["tablewright: app_design:design; db is a fixture of other_plugin, use tablewright_db"]
    )
    project.runpytest().stdout.fnmatch_lines(["tablewright: app_design:design"])
    project.makefile(".ini", pytest="[pytest]\n")
    project.runpytest().stdout.no_fnmatch_line("tablewright:*")


def test_a_short_name_without_a_design_shows_the_line_to_add(project: pytest.Pytester) -> None:
    result = run(project, "def test_db(db):\n    pass\n", "[pytest]\npythonpath = .\n")
    result.stdout.fnmatch_lines(
        [
            "*fixture 'db' not found",
            "*- tablewright -*",
            "no design is set.*",
            "*tablewright_design = myapp.design:design",
        ]
    )


def test_projects_without_a_design_see_nothing_of_the_short_names(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_db(db):\n    pass\n")
    result = pytester.runpytest_subprocess("-q")
    result.stdout.fnmatch_lines(["*fixture 'db' not found"])
    result.stdout.no_fnmatch_line("*no design is set*")


def test_the_plugin_works_with_parallel_workers(project: pytest.Pytester) -> None:
    tests = "@pytest.mark.parametrize('n', range(6))\ndef test_db(n, db):\n    db.create(user())\n"
    run(project, tests, SETTING, "-n", "2").assert_outcomes(passed=6)


def test_prepared_databases_are_closed(project: pytest.Pytester) -> None:
    """A database that is left open would keep its sweeper thread."""
    tests = """
import threading

def test_db(db):
    db.create(user().model_copy(update={"expires_at": int(db.now().timestamp()) + 60}))
"""
    conftest = """
import threading
import pytest

@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    print("threads:", [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()])
"""
    project.makeconftest(conftest)
    project.makefile(".ini", pytest=SETTING)
    project.makepyfile(test_app=HEAD + tests)
    assert "threads: []" in project.runpytest_subprocess("-q", "-s").stdout.str()
