"""Import job: tables from files, invalid items, and invalid requests."""

import gzip
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from amazon.ion import simpleion

from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.engine.database import Database
from tablewright.engine.features.imports import import_job
from tablewright.errors import (
    AccessDenied,
    ImportConflict,
    ImportNotFound,
    ResourceInUse,
    ResourceNotFound,
    ValidationError,
)
from tests.engine.archive import (
    ARN,
    BUCKET,
    INDEXED,
    KEYS,
    START,
    archive,
    create,
    import_into,
    import_request,
    scan,
)

NOT_THERE = f"{ARN}users/import/01700000000000-0badf00d"
UNFIT = (
    "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more "
    "details."
)


def upload(db: Database, key: str, *lines: str, zipped: bool = False) -> int:
    """Put lines into an object; return their size in bytes."""
    assert db.bucket_directory is not None
    path = db.bucket_directory / BUCKET / key
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
    return len(content)


def json_line(key: str, **values: str) -> str:
    return json.dumps({"Item": {"id": {"S": key}, **{name: {"S": value} for name, value in values.items()}}})


def counts(ended: dict[str, Any]) -> tuple[int, int, int]:
    return ended["ProcessedItemCount"], ended["ImportedItemCount"], ended["ErrorCount"]


def test_an_import_creates_a_table(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_job, "ITEMS_AT_ONCE", 2)
    lines = [json_line(f"u{number}", team="red") for number in range(5)]
    size = upload(db, "data/1.json", *lines[:3], "", "   ") + upload(db, "data/2.json", *lines[3:])
    upload(db, "data/empty.json")
    reply = db.call("ImportTable", import_request("users", "data/", INDEXED))
    begun = reply["ImportTableDescription"]
    assert begun["ImportStatus"] == "IN_PROGRESS"
    assert counts(begun) == (0, 0, 0)
    assert begun["ImportArn"].startswith(f"{ARN}users/import/01700000000000-")
    assert begun["S3BucketSource"] == {
        "S3BucketOwner": "123456789012",
        "S3Bucket": BUCKET,
        "S3KeyPrefix": "data/",
    }
    assert begun["InputCompressionType"] == "NONE"
    assert not {"EndTime", "ProcessedSizeBytes", "FailureCode", "InputFormatOptions"} & set(begun)
    db.jobs.wait()
    ended = db.call("DescribeImport", {"ImportArn": begun["ImportArn"]})["ImportTableDescription"]
    assert ended == begun | {
        "ImportStatus": "COMPLETED",
        "EndTime": START,
        "ProcessedItemCount": 5,
        "ImportedItemCount": 5,
        "ProcessedSizeBytes": size,
    }
    items = scan(db, "users")
    assert [item["id"]["S"] for item in items] == ["u0", "u1", "u2", "u3", "u4"]
    assert scan(db, "users", IndexName="by-team") == items
    table = db.call("DescribeTable", {"TableName": "users"})["Table"]
    assert (table["TableId"], table["ItemCount"]) == (begun["TableId"], 5)


def test_a_prefix_is_the_beginning_of_keys(db: Database) -> None:
    upload(db, "data/1.json", json_line("ada"))
    upload(db, "data2/1.json", json_line("bob"))
    upload(db, "other/1.json", json_line("eve"))
    assert import_into(db, "both", "data")["ImportedItemCount"] == 2
    assert import_into(db, "one", "data/1.json")["ImportedItemCount"] == 1
    assert import_into(db, "all", None)["ImportedItemCount"] == 3
    nothing = import_into(db, "none", "nowhere/")
    assert (nothing["ImportStatus"], counts(nothing)) == ("COMPLETED", (0, 0, 0))
    assert scan(db, "none") == []


INVALID = {
    "no Item": '{"NotAnItem": {"id": {"S": "x"}}}',
    "no key": '{"Item": {"city": {"S": "x"}}}',
    "key of another type": '{"Item": {"id": {"N": "1"}}}',
    "empty key": '{"Item": {"id": {"S": ""}}}',
    "not JSON": '{"Item": ',
    "empty name": '{"Item": {"id": {"S": "x"}, "": {"S": "v"}}}',
    "no value": '{"Item": {"id": {"S": "x"}, "v": {}}}',
    "no attribute value": '{"Item": {"id": {"S": "x"}, "v": 1}}',
    "unknown type": '{"Item": {"id": {"S": "x"}, "v": {"Z": "1"}}}',
    "no number": '{"Item": {"id": {"S": "x"}, "v": {"N": "one"}}}',
    "no object": "[1, 2]",
    "too large": json.dumps({"Item": {"id": {"S": "x"}, "v": {"S": "v" * 410_000}}}),
}


def test_invalid_items_are_skipped_and_counted(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    upload(db, "data/0.json", json_line("ada"), json_line("bob"))
    for number, line in enumerate(INVALID.values()):
        upload(db, f"data/bad-{number}.json", line)
    ended = import_into(db, "users", "data/")
    assert (ended["ImportStatus"], ended["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert ended["FailureMessage"] == UNFIT
    assert counts(ended) == (2 + len(INVALID), 2, len(INVALID))
    assert len(scan(db, "users")) == 2
    assert caplog.text.count("was skipped") == len(INVALID)


def test_an_item_that_does_not_parse_ends_its_object(db: Database) -> None:
    upload(db, "garbage.json", json_line("a"), "garbage", json_line("b"))
    upload(db, "missing.json", json_line("a"), '{"Item": {"x": {"S": "y"}}}', json_line("b"))
    assert counts(import_into(db, "garbage", "garbage")) == (2, 1, 1)
    assert counts(import_into(db, "missing", "missing")) == (3, 2, 1)


def test_the_last_of_two_items_with_one_key_stays(db: Database) -> None:
    upload(db, "data.json", json_line("ada", city="Oslo"), json_line("ada", city="Lund"))
    assert counts(import_into(db, "users", "data")) == (2, 2, 0)
    assert [item["city"]["S"] for item in scan(db, "users")] == ["Lund"]


def test_compressed_objects(db: Database) -> None:
    size = upload(db, "data.gz", json_line("ada"), zipped=True)
    upload(db, "plain.json", json_line("ada"))
    ended = import_into(db, "users", "data.gz", InputCompressionType="GZIP")
    assert (ended["ImportStatus"], ended["ProcessedSizeBytes"]) == ("COMPLETED", size)
    for table, prefix, compression in (("plain", "plain.json", "GZIP"), ("zipped", "data.gz", "NONE")):
        ended = import_into(db, table, prefix, InputCompressionType=compression)
        assert (ended["FailureCode"], counts(ended)) == ("ItemValidationError", (1, 0, 1))


TYPED = {
    "KeySchema": KEYS["KeySchema"],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
}


def test_csv(db: Database) -> None:
    rows = ["1,Ada,36", '2,"Bob, ""the"" builder",', "3,Eve"]
    upload(db, "with.csv", "id,name,age", *rows)
    upload(db, "without.csv", *(row.replace(",", ";") for row in rows))
    expected = [
        {"id": {"N": "1"}, "name": {"S": "Ada"}, "age": {"S": "36"}},
        {"id": {"N": "2"}, "name": {"S": 'Bob, "the" builder'}},
        {"id": {"N": "3"}, "name": {"S": "Eve"}},
    ]
    import_into(db, "with", "with", TYPED, InputFormat="CSV")
    assert scan(db, "with") == expected
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["id", "name", "age"]}}
    ended = import_into(db, "without", "without", TYPED, InputFormat="CSV", InputFormatOptions=options)
    assert ended["InputFormatOptions"] == options
    assert [item["id"] for item in scan(db, "without")] == [item["id"] for item in expected]
    upload(db, "large.csv", "id,name", f"1,{'a' * 300_000}", '2,"two', 'lines"')
    assert counts(import_into(db, "large", "large", TYPED, InputFormat="CSV")) == (2, 2, 0)
    assert scan(db, "large")[1]["name"] == {"S": "two\nlines"}
    upload(db, "long.csv", "id,name", "1,a,b")
    upload(db, "nokey.csv", "id,name", ",a", "2,b", "three,c")
    assert counts(import_into(db, "long", "long", TYPED, InputFormat="CSV")) == (1, 0, 1)
    assert counts(import_into(db, "nokey", "nokey", TYPED, InputFormat="CSV")) == (3, 1, 2)


def test_ion_is_a_superset_of_json(db: Database) -> None:
    upload(
        db,
        "data.ion",
        '{"Item": {"id": "ada", "age": 36, "pi": 3.14}}',
        "$ion_1_0 {Item: {",
        "  id: 'a' :: \"bob\", // goes on",
        "  tags: $dynamodb_SS::[\"x\"], big: 6d2, 'odd name': '''long ''' '''text''' } }",
        "{Item:{id:symbol}}",
    )
    ended = import_into(db, "users", "data", InputFormat="ION")
    assert counts(ended) == (3, 2, 1)
    assert scan(db, "users") == [
        {"id": {"S": "ada"}, "age": {"N": "36"}, "pi": {"N": "3.14"}},
        {"id": {"S": "bob"}, "tags": {"SS": ["x"]}, "big": {"N": "600"}, "odd name": {"S": "long text"}},
    ]


def test_binary_ion(db: Database) -> None:
    items = [{"Item": {"id": f"u{number}", "age": Decimal(36)}} for number in range(3)]
    content = simpleion.dumps(items, binary=True, sequence_as_stream=True)
    assert db.bucket_directory is not None
    path = db.bucket_directory / BUCKET / "data.10n"
    path.write_bytes(content)
    ended = import_into(db, "users", "data", InputFormat="ION")
    assert (counts(ended), ended["ProcessedSizeBytes"]) == ((3, 3, 0), len(content))
    assert scan(db, "users")[1] == {"id": {"S": "u1"}, "age": {"N": "36"}}
    path.write_bytes(content[:-5])
    assert counts(import_into(db, "truncated", "data", InputFormat="ION")) == (3, 2, 1)


def test_a_bucket_error_leaves_no_table(db: Database) -> None:
    for table, source, code in [
        ("nowhere", {"S3Bucket": "nowhere"}, "S3NoSuchBucket"),
        ("foreign", {"S3Bucket": BUCKET, "S3BucketOwner": "000000000000"}, "S3AccessDenied"),
    ]:
        ended = import_into(db, table, None, S3BucketSource=source)
        assert (ended["ImportStatus"], ended["FailureCode"]) == ("FAILED", code)
        assert counts(ended) == (0, 0, 0)
        with pytest.raises(ResourceNotFound):
            db.call("DescribeTable", {"TableName": table})


def test_a_token_is_valid_for_one_table(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(db, "data.json", json_line("ada"))
    request = import_request("users", "data")
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        begun = db.call("ImportTable", request)
        assert db.call("ImportTable", request) == begun
        assert db.call("ImportTable", request | {"InputFormat": "ION"}) == begun
        with pytest.raises(ImportConflict, match="Duplicate request detected with conflicting parameters"):
            db.call("ImportTable", import_request("other", "data", ClientToken="token-users"))
        rival = db.call("ImportTable", import_request("users", "data", ClientToken="rival"))
    db.jobs.wake()
    db.jobs.wait()
    arn = rival["ImportTableDescription"]["ImportArn"]
    lost = db.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]
    assert (lost["ImportStatus"], lost["FailureCode"]) == ("FAILED", "TableAlreadyExists")
    with pytest.raises(ResourceInUse, match="Table already exists: users"):
        db.call("ImportTable", request)
    db.call("DeleteTable", {"TableName": "users"})
    assert db.call("ImportTable", request)["ImportTableDescription"]["ImportStatus"] == "COMPLETED"
    with pytest.raises(ResourceNotFound):
        db.call("DescribeTable", {"TableName": "users"})


def test_imports_are_listed_newest_first(db: Database) -> None:
    upload(db, "data.json", json_line("ada"))
    arns = []
    for table in ("zzz", "aaa"):
        arns.append(import_into(db, table, "data")["ImportArn"])
        db.clock.advance(1)
    reply = db.call("ListImports", {})
    assert [each["ImportArn"] for each in reply["ImportSummaryList"]] == arns[::-1]
    assert set(reply["ImportSummaryList"][0]) == {
        "ImportArn",
        "ImportStatus",
        "TableArn",
        "S3BucketSource",
        "CloudWatchLogGroupArn",
        "InputFormat",
        "StartTime",
        "EndTime",
    }
    first = db.call("ListImports", {"PageSize": 1})
    second = db.call("ListImports", {"PageSize": 1, "NextToken": first["NextToken"]})
    assert [each["ImportArn"] for each in second["ImportSummaryList"]] == arns[:1]
    db.call("DeleteTable", {"TableName": "zzz"})
    listed = db.call("ListImports", {"TableArn": f"{ARN}zzz"})["ImportSummaryList"]
    assert [each["ImportArn"] for each in listed] == arns[:1]
    with pytest.raises(ValidationError, match="nextToken"):
        db.call("ListImports", {"NextToken": "0" * 112})


def test_an_interrupted_import_is_made_when_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.db"
    with archive(tmp_path / "buckets", path) as db:
        upload(db, "data.json", json_line("ada"))
        with monkeypatch.context() as idle:
            idle.setattr(Jobs, "wake", lambda self: None)
            begun = import_into(db, "users", "data")
    with archive(tmp_path / "buckets", path) as db:
        db.jobs.wait()
        ended = db.call("DescribeImport", {"ImportArn": begun["ImportArn"]})["ImportTableDescription"]
        assert ended["ImportStatus"] == "COMPLETED"
        assert len(scan(db, "users")) == 1


def parameters(**changed: Any) -> dict[str, Any]:
    asked = {"TableName": "users", **KEYS, "BillingMode": "PAY_PER_REQUEST", **changed}
    return {"TableCreationParameters": {name: value for name, value in asked.items() if value is not None}}


WARM = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}
# (changed members of the request, the error)
REJECTED: list[tuple[dict[str, Any], str]] = [
    (
        {"ClientToken": None},
        "1 validation error detected: Value null at 'clientToken' failed to satisfy constraint: Member must not be "
        "null",
    ),
    (
        {"InputCompressionType": "BZIP2"},
        "1 validation error detected: Value 'BZIP2' at 'inputCompressionType' failed to satisfy constraint: Member "
        "must satisfy enum value set: [ZSTD, NONE, GZIP]",
    ),
    (
        {"InputFormatOptions": {"Csv": {"Delimiter": ","}}},
        "Invalid Request: Unsupported InputFormatOptions for the given input format: DYNAMODB_JSON.",
    ),
    (
        {"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": "."}}},
        "1 validation error detected: Value '.' at 'inputFormatOptions.csv.delimiter' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [,;:|\\t ]",
    ),
    (
        parameters(BillingMode=None),
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified "
        "when BillingMode is PROVISIONED",
    ),
    (
        parameters(
            AttributeDefinitions=[*KEYS["AttributeDefinitions"], {"AttributeName": "x", "AttributeType": "S"}]
        ),
        "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number "
        "of attributes defined in AttributeDefinitions",
    ),
    (
        parameters(
            **INDEXED
            | {"GlobalSecondaryIndexes": [{**INDEXED["GlobalSecondaryIndexes"][0], "WarmThroughput": WARM}]}
        ),
        "One or more parameter values were invalid: WarmThroughput is not supported on Global Secondary Indexes via "
        "ImportTable",
    ),
]


@pytest.mark.parametrize(("changed", "message"), REJECTED)
def test_invalid_import_requests(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    with archive(tmp_path) as db, pytest.raises(ValidationError) as refused:
        db.call("ImportTable", import_request("users", "data") | changed)
    assert str(refused.value) == message


def test_members_that_only_create_table_has_are_ignored(db: Database) -> None:
    extra = parameters(LocalSecondaryIndexes="not a list", Tags=[{"Key": "k", "Value": "v"}], Unknown=1)
    ended = import_into(db, "users", "data", **extra)
    assert set(ended["TableCreationParameters"]) == {
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "BillingMode",
    }
    assert db.call("ListTagsOfResource", {"ResourceArn": f"{ARN}users"})["Tags"] == []


def test_an_import_does_not_replace_a_table(db: Database) -> None:
    create(db)
    with pytest.raises(ResourceInUse, match="Table already exists: users"):
        import_into(db, "users", "data")


@pytest.mark.parametrize(
    ("arn", "error", "message"),
    [
        (NOT_THERE, ImportNotFound, NOT_THERE),
        (f"{ARN}x/import/01658528578619-c4d4e311", ValidationError, "Invalid Import ARN"),
        (NOT_THERE.replace("1234", "4321"), AccessDenied, "Access is denied"),
    ],
)
def test_imports_that_are_not_there(arn: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    with archive(tmp_path) as db, pytest.raises(error, match=re.escape(message)):
        db.call("DescribeImport", {"ImportArn": arn})
