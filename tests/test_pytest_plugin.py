"""The fixtures of the package, in the test suite of another project."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import preloaded_modules

pytest_plugins = ["pytester"]
preloaded_modules.load()

ROOT = Path(__file__).parent.parent

CREATE = """
    def create(dynamodb):
        return dynamodb.create_table(
            TableName="Music",
            KeySchema=[{"AttributeName": "Artist", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "Artist", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
"""


def test_every_test_has_its_own_dynamodb(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        CREATE
        + """
    def test_first(dynamodb):
        create(dynamodb).put_item(Item={"Artist": "Nina"})
        assert dynamodb.Table("Music").get_item(Key={"Artist": "Nina"})["Item"] == {"Artist": "Nina"}

    def test_second(dynamodb):
        assert list(dynamodb.tables.all()) == []
    """
    )
    pytester.runpytest("-q").assert_outcomes(passed=2)


def test_the_fixtures_of_a_test_share_an_engine(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        CREATE
        + """
    def test_shared(dynamodb, dynamodb_engine, dynamodb_clock):
        create(dynamodb)
        assert dynamodb_engine.call("ListTables", {}) == {"TableNames": ["Music"]}
        assert dynamodb_clock is dynamodb_engine.clock
    """
    )
    pytester.runpytest("-q").assert_outcomes(passed=1)


def test_a_test_moves_the_time(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        CREATE
        + """
    def test_expiry(dynamodb, dynamodb_engine, dynamodb_clock):
        music = create(dynamodb)
        dynamodb.meta.client.update_time_to_live(
            TableName="Music", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Expires"}
        )
        music.put_item(Item={"Artist": "Nina", "Expires": int(dynamodb_clock.now()) + 60})
        dynamodb_clock.advance(59)
        assert dynamodb_engine.sweep() == 0
        dynamodb_clock.advance(2)
        assert dynamodb_engine.sweep() == 1
        assert music.scan()["Items"] == []
    """
    )
    pytester.runpytest("-q").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "page",
    [
        "docs/how-to/use-the-engine-alone.md",
        "docs/how-to/test-with-pytest.md",
        "docs/how-to/use-with-pynamodb.md",
    ],
)
def test_the_examples_of_the_documentation_pass(pytester: pytest.Pytester, page: str) -> None:
    """tests/test_documentation.py runs all blocks; here, the tests among them run under pytest."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    source = "\n".join(blocks)
    pytester.makepyfile(source)
    shown = len(re.findall(r"^def test_", source, re.MULTILINE))
    assert shown
    pytester.runpytest("-q").assert_outcomes(passed=shown)


def test_fixtures_are_documented(pytester: pytest.Pytester) -> None:
    listed = pytester.runpytest("--fixtures").stdout
    listed.fnmatch_lines_random(
        [
            "    A boto3 resource on a new, empty DynamoDB*",
            "    The clock of this test's DynamoDB*",
            "    The connection to this test's DynamoDB*",
        ]
    )


def test_a_run_without_the_fixtures_loads_nothing() -> None:
    """pytest always imports the plugin; it imports the engine, SQLite and boto3 only when a fixture is used."""
    heavy = (
        "{'apsw', 'orjson', 'boto3', 'botocore', 'pydantic', 'asyncio', 'tablewright.access', 'tablewright.design', "
        "'tablewright.engine', 'tablewright.connections'}"
    )
    script = f"import sys, tablewright.pytest_plugin; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
