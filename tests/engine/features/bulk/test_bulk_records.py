"""Bulk records: items with conditions, and what is reported instead of put."""

import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.buckets.buckets import Bucket
from tablewright.engine.core.buckets.import_files import ObjectSource
from tablewright.engine.features.bulk.bulk_records import EMPTY, ReportFiles, extended, put_of, read_records
from tablewright.errors import ServiceError, ValidationError

ITEM: dict[str, Any] = {"id": {"S": "ada"}}


def read(path: Path, text: str, input_format: str = "DYNAMODB_JSON") -> list[tuple[int, int, str | None]]:
    path.write_text(text)
    records = read_records(ObjectSource(path, "NONE"), input_format, "users")
    return [
        (record.number, record.position, record.failure.code if record.failure else None)
        for record in records
    ]


def test_records_have_numbers_and_positions(tmp_path: Path) -> None:
    text = '{"Item": {"id": {"S": "a"}}}\n\n{"Item": {"id": {"S": 1}}}\n{"Item": {"id": {"S": "c"}}}'
    found = read(tmp_path / "1.json", text)
    assert found == [(1, 29, None), (2, 57, "SerializationException"), (3, 85, None)]


def test_a_record_that_does_not_parse_is_the_last(tmp_path: Path) -> None:
    assert read(tmp_path / "1.json", '[1]\n{"Item": {"id": {"S": "a"}}}') == [(1, 4, "ParsingError")]
    assert read(tmp_path / "1.ion", '{Item: {id: "a"}} {Item: 5}', "ION")[-1][0::2] == (2, "ParsingError")


def test_the_condition_of_a_record_is_compiled() -> None:
    record = {
        "Item": ITEM,
        "ConditionExpression": "#v < :v",
        "ExpressionAttributeNames": {"#v": "version"},
        "ExpressionAttributeValues": {":v": {"N": "2"}},
    }
    condition = put_of(record, "users").condition.expression
    assert condition is not None
    assert condition.matches({"version": {"N": "1"}})
    assert not condition.matches({"version": {"N": "2"}})


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"Item": ITEM, "Key": {}},
            "Key is not a member of a record; a record has Item, ConditionExpression",
        ),
        ({"Item": ITEM, "ExpressionAttributeNames": {"#a": "a"}}, "ExpressionAttributeNames can only be"),
        (
            {"Item": ITEM, "ConditionExpression": "id = :x"},
            "An expression attribute value used in expression",
        ),
        ({"Item": {"id": {"S": "x" * 500_000}}}, "Item size has exceeded the maximum allowed size"),
        ({"Item": {"id": {"N": "one"}}}, "The parameter cannot be converted to a numeric value: one"),
    ],
)
def test_an_invalid_record_has_the_message_of_put_item(record: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match="^(Invalid ConditionExpression: )?" + message):
        put_of(record, "users")


@pytest.mark.parametrize(
    "record",
    [
        {"Item": ITEM, "ConditionExpression": 5},
        {"Item": ITEM, "ConditionExpression": "a = :x", "ExpressionAttributeValues": [1]},
        {"Item": {"id": 5}},
        {"Item": {"id": {"SS": "x"}}},
    ],
)
def test_a_member_of_the_wrong_json_type_is_an_error_of_its_record(record: dict[str, Any]) -> None:
    with pytest.raises(ServiceError):
        put_of(record, "users")


@pytest.fixture
def files(tmp_path: Path) -> ReportFiles:
    found = ReportFiles(Bucket(tmp_path), "reports/", "01-ab")
    found.begin()
    return found


def test_repeated_appends_write_the_pending_lines_once(files: ReportFiles, tmp_path: Path) -> None:
    first = extended(EMPTY, ['{"a":"ö"}'])
    files.append("ERROR", first)
    files.append("ERROR", first)
    second = extended(first, ["{}", "[]"])
    files.append("ERROR", second)
    (path,) = (tmp_path / "reports/AWSDynamoDB/01-ab").iterdir()
    with path.open("a") as file:
        file.write("written, but not committed before a kill")
    files.append("ERROR", second)
    files.finish({"ERROR": second, "CONDITION_CHECK_FAILURE": EMPTY}, {"version": "1"})
    assert (tmp_path / files.key("ERROR")).read_text() == '{"a":"ö"}\n{}\n[]\n'
    assert (tmp_path / files.key("ERROR")).stat().st_mode & 0o777 == 0o600
    manifest = json.loads((tmp_path / "reports/AWSDynamoDB/01-ab/manifest-summary.json").read_text())
    assert manifest == {
        "version": "1",
        "files": [{"outputType": "ERROR", "itemCount": 3, "dataFileS3Key": files.key("ERROR")}],
    }


def test_a_repeated_finish_keeps_the_report(files: ReportFiles, tmp_path: Path) -> None:
    report = extended(EMPTY, ["{}"])
    files.append("ERROR", report)
    for _ in range(2):
        files.finish({"ERROR": report}, {})
    assert (tmp_path / files.key("ERROR")).read_text() == "{}\n"
