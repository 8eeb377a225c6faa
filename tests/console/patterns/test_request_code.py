"""Request code: the texts that users copy must run, and must not contain secrets."""

import json
import shlex
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from tablewright.console.patterns import request_code
from tests.console.sample_console import ConsoleClient, console_client
from tests.console.shop import open_shop


class Colour(StrEnum):
    RED = "red"


@pytest.fixture(scope="module")
def boards() -> Any:
    with console_client("boards", samples=2) as console:
        yield console


@pytest.fixture(scope="module")
def cli() -> Any:
    """The parsers of the AWS CLI for the commands of DynamoDB."""
    # boto3 first: the AWS CLI has a botocore of its own, which would take the place of the one that is installed.
    import boto3  # noqa: F401
    from awscli.clidriver import create_clidriver  # type: ignore[import-untyped]

    return create_clidriver()._get_command_table()["dynamodb"]._get_command_table()


def _explained(console: ConsoleClient) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = []
    for pattern in console.opened.design.patterns:
        example = console.get(f"/patterns/{pattern.__name__}/example")["parameters"]
        if example is not None:
            body = {"parameters": example}
            explained = console.post(f"/patterns/{pattern.__name__}/explain", body)
            found.append((pattern.__name__, example, explained))
    return found


def test_the_code_of_every_pattern_runs(boards: ConsoleClient, capsys: pytest.CaptureFixture[str]) -> None:
    for name, example, explained in _explained(boards):
        ran = boards.post(f"/patterns/{name}/run", {"parameters": example})
        with boards.opened.db.connection.intercept():  # type: ignore[attr-defined]
            space: dict[str, Any] = {}
            exec(explained["code"]["boto3"], space)
        reply = space["reply"]
        if explained["operation"] == "GetItem":
            assert "Item" in reply, name
        else:
            assert bool(reply.get("Items") or reply.get("Responses")) == bool(ran["rows"]), name
        text = explained["code"]["tablewright"]
        exec(
            text.replace("db = connect(", "db = _connected("),
            {"_connected": lambda *_, **__: boards.opened.db},
        )
    assert capsys.readouterr().out


def test_the_aws_cli_accepts_every_command(boards: ConsoleClient, cli: Any) -> None:
    for name, _, explained in _explained(boards):
        text = "".join(line for line in explained["code"]["cli"].splitlines(True) if not line.startswith("#"))
        program, service, command, *options = shlex.split(text.replace("\\\n", " "))
        assert (program, service) == ("aws", "dynamodb")
        rest = iter(options)
        known = [
            each for each in rest if each not in ("--region", "--endpoint-url") or (next(rest) and False)
        ]
        operation = cli[command]
        parsed, unknown = operation._create_operation_parser(operation.arg_table).parse_known_args(known)
        assert not unknown, name
        sent = {key: json.loads(value) for key, value in vars(parsed).items() if str(value).startswith("{")}
        members = [member for member in explained["request"].values() if isinstance(member, dict)]
        assert all(member in sent.values() for member in members), name


def test_literals_need_their_imports() -> None:
    imports = request_code._Imports()
    value = [
        Colour.RED,
        datetime(2026, 1, 2, tzinfo=UTC),
        date(2026, 1, 2),
        Decimal("1.5"),
        'a"b',
        True,
        None,
    ]
    text = imports.literal(value)
    space: dict[str, Any] = {}
    exec("\n".join(imports.lines()), space)
    assert eval(text, space) == value


@pytest.mark.parametrize(
    "text", ["plain", 'a"b', "a'b\"c", "back\\slash", "new\nline", "\u202ebidi", "\x00", "é"]
)
def test_texts_are_quoted(text: str) -> None:
    shown = request_code._text(text)
    assert eval(shown) == text
    assert shown.isprintable()


def test_binary_values_are_bytes_in_python_and_base64_in_the_cli(boards: ConsoleClient) -> None:
    request = {"TableName": "t", "Key": {"id": {"B": b"\x00\xff"}}}
    assert "b'\\x00\\xff'" in request_code.boto3_code(boards.opened, "GetItem", request)
    assert '{"B": "AP8="}' in request_code.cli_code(boards.opened, "GetItem", request)


def test_a_false_option_and_a_leading_hyphen_are_written_for_the_cli(boards: ConsoleClient) -> None:
    text = request_code.cli_code(boards.opened, "Query", {"TableName": "-t", "ScanIndexForward": False})
    assert "--no-scan-index-forward" in text
    assert "--table-name=-t" in text


def test_long_requests_have_several_lines(boards: ConsoleClient) -> None:
    keys = [{"id": {"S": f"{number:040}"}} for number in range(5)]
    text = request_code.boto3_code(boards.opened, "BatchGetItem", {"RequestItems": {"t": {"Keys": keys}}})
    assert max(map(len, text.splitlines())) < 100
    compile(text, "code", "exec")


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("my data.db", "# Serve the data first: tablewright serve --on 'my data.db'"),
        ("memory", "# The data is in the memory of the console"),
        ("http://127.0.0.1:9001", "--endpoint-url http://127.0.0.1:9001"),
    ],
)
def test_a_request_names_where_the_open_data_is(location: str, expected: str) -> None:
    opened = open_shop()
    with opened.db:
        code = request_code.cli_code(
            replace(opened, location=location), "DescribeTable", {"TableName": "shop"}
        )
    assert expected in code
    assert ("# " in code) == (not location.startswith("http"))
