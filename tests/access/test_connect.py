"""Connecting a design: places, created tables, and error messages."""

import os
from pathlib import Path
from typing import Annotated, Any

import pytest

from tablewright import Clock, Design, Entity, Faults, Table, connect, embedded, errors, fields
from tablewright.connections.remote import Remote
from tests.access import shop
from tests.access.shop import Customer


@pytest.fixture
def no_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without AWS settings."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def described(db: Any, table: Table) -> dict[str, Any]:
    name = db.context.table_name(table)
    reply: dict[str, Any] = db.connection.call("DescribeTable", {"TableName": name})["Table"]
    return reply


def test_missing_tables_are_created_with_indexes_and_ttl() -> None:
    with connect(shop.gather(), environment="dev") as db:
        description = described(db, shop.main)
        assert description["TableName"] == "shop-dev-main"
        assert {each["IndexName"] for each in description["GlobalSecondaryIndexes"]} == {
            "GSI1",
            "by-email",
            "brief",
        }
        expiry = db.connection.call("DescribeTimeToLive", {"TableName": "shop-dev-main"})
        assert expiry["TimeToLiveDescription"] == {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": "expiresAt",
        }
        assert described(db, shop.events)["KeySchema"][1]["AttributeName"] == "timestamp#eventId"


def test_a_file_keeps_its_data(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with connect(shop.gather(), path, environment="dev") as db:
        db.put(Customer(customer_id="ada", email="e"))
    with connect(shop.gather(), str(path), environment="dev") as db:
        assert db.run(shop.CustomerById(customer_id="ada")) is not None
    with pytest.raises(errors.StoreError, match="closed"):
        db.run(shop.CustomerById(customer_id="ada"))


def test_an_endpoint_gets_no_tables_by_default(endpoint: str) -> None:
    absent = connect(shop.gather(), endpoint, environment="never")
    with absent, pytest.raises(errors.ResourceNotFound):
        absent.run(shop.CustomerById(customer_id="ada"))
    with connect(shop.gather(), endpoint, environment="once", create=True) as db:
        assert db.run(shop.CustomerById(customer_id="ada")) is None
    with connect(shop.gather(), endpoint, environment="once", create=True) as again:
        assert described(again, shop.main)["TableStatus"] == "ACTIVE"


def test_a_connection_is_used_as_it_is() -> None:
    with embedded() as connection:
        first = connect(shop.gather(), connection, environment="a")
        first.put(Customer(customer_id="ada", email="e"))
        second = connect(shop.gather(), connection, environment="a")
        assert second.run(shop.CustomerById(customer_id="ada")) is not None
        with pytest.raises(errors.UsageError, match="used as it is"):
            connect(shop.gather(), connection, environment="a", durability="relaxed")  # type: ignore[call-overload]


def test_a_name_needs_its_environment() -> None:
    with pytest.raises(errors.DesignError, match=r"\{env\} needs an environment"):
        connect(shop.gather())


def test_an_environment_variable_overrides_a_table_name(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("notes-{env}", key="id", variable="NOTES_TABLE")

    class Note(Entity, table=table):
        id: str

    monkeypatch.setenv("NOTES_TABLE", "their-notes")
    with connect(Design("notes", entities=[Note]), environment="dev") as db:
        db.put(Note(id="1"))
        assert db.connection.call("Scan", {"TableName": "their-notes"})["Count"] == 1


@pytest.mark.parametrize(
    ("given", "message"), [("", "set, but empty"), ("their notes", "has ' ' in its name")]
)
def test_an_invalid_table_name_in_a_variable_is_an_error(
    given: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_TABLE", given)
    with pytest.raises(errors.DesignError, match=message):
        Table("notes", key="id", variable="NOTES_TABLE").physical_name()


def test_faults_are_for_the_embedded_engine(endpoint: str) -> None:
    with pytest.raises(errors.UsageError, match="embedded"):
        connect(shop.gather(), endpoint, environment="x", faults=Faults())


def test_secrets_need_a_master_key(tmp_path: Path) -> None:
    class Token(Entity, table=Table("tokens", key="id")):
        id: str
        content: Annotated[str, fields.Encrypted()]

    db = connect(Design("tokens", entities=[Token]), tmp_path / "tokens.db")
    with db, pytest.raises(errors.SecretError, match=r"Token has secret fields \(content\)"):
        db.put(Token(id="1", content="hush"))


def test_the_clock_is_the_repositorys() -> None:
    clock = Clock(start=1_000_000_000)
    with connect(shop.gather(), environment="x", clock=clock) as db:
        clock.advance(5)
        assert db.context.now() == 1_000_000_005


# Over the network


def test_an_endpoint_needs_no_credentials(endpoint: str, no_aws: None) -> None:
    with connect(shop.gather(), endpoint, environment="free", create=True) as db:
        db.put(Customer(customer_id="ada", email="e"))
        assert isinstance(db.connection, Remote)
        assert db.connection.region == "us-east-1"


def test_aws_needs_a_region(no_aws: None) -> None:
    with pytest.raises(errors.Unreachable, match="region"):
        connect(shop.gather(), "aws:", environment="x")


def test_aws_needs_credentials(no_aws: None) -> None:
    with connect(shop.gather(), "aws:eu-north-1", environment="x") as db:
        assert isinstance(db.connection, Remote)
        assert db.connection.region == "eu-north-1"
        with pytest.raises(errors.Unreachable, match="credentials"):
            db.run(shop.CustomerById(customer_id="ada"))


def test_an_unreachable_endpoint() -> None:
    db = connect(shop.gather(), "http://127.0.0.1:1", environment="x")
    with db, pytest.raises(errors.Unreachable, match="127"):
        db.run(shop.CustomerById(customer_id="ada"))


def test_errors_keep_their_code(endpoint: str) -> None:
    remote = Remote(endpoint=endpoint)
    with pytest.raises(errors.ResourceNotFound) as missing:
        remote.call("DescribeTable", {"TableName": "nowhere"})
    assert missing.value.code == "ResourceNotFoundException"
    for unfit in ({"Key": {"a": {"S": 1}}}, {"Key": {"a": {"S": "x"}}, "Q": 1}, {"Key": 5}):
        with pytest.raises(errors.SerializationError):
            remote.call("GetItem", {"TableName": "nowhere", **unfit})
    with pytest.raises(errors.UnknownOperation):
        remote.call("MakeCoffee", {})
    remote.close()


def test_a_canceled_transaction_has_its_reasons(endpoint: str) -> None:
    remote = Remote(endpoint=endpoint)
    remote.call(
        "CreateTable",
        {
            "TableName": "reasons",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    item = {"id": {"S": "1"}, "photo": {"B": b"\x00"}}
    remote.call("PutItem", {"TableName": "reasons", "Item": item})
    guarded = {
        "TableName": "reasons",
        "Item": item,
        "ConditionExpression": "attribute_not_exists(id)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(errors.ConditionalCheckFailed) as failed:
        remote.call("PutItem", guarded)
    assert failed.value.item == item
    with pytest.raises(errors.TransactionCanceled) as canceled:
        remote.call("TransactWriteItems", {"TransactItems": [{"Put": guarded}]})
    assert canceled.value.reasons[0]["Code"] == "ConditionalCheckFailed"
    assert canceled.value.reasons[0]["Item"] == item
    remote.close()


def test_streams_are_reached_through_the_same_connection(endpoint: str) -> None:
    remote = Remote(endpoint=endpoint)
    assert "Streams" in remote.call("ListStreams", {})
    remote.close()


def test_a_prefix_keeps_copies_of_a_design_apart() -> None:
    design = shop.gather()
    with connect(design, environment="dev", prefix="try-") as db:
        names = db.connection.call("ListTables", {})["TableNames"]
        assert names == sorted(f"try-{table.physical_name('dev')}" for table in design.tables)


@pytest.mark.parametrize(
    ("where", "fix"),
    [
        ("aws", "for AWS write 'aws:eu-north-1'"),
        ("eu-west-1", "for AWS write 'aws:eu-west-1'"),
        ("us-gov-west-1", "for AWS write 'aws:us-gov-west-1'"),
        ("localhost:8000", "for an endpoint write 'http://localhost:8000'; for a file './localhost:8000'"),
        ("127.0.0.1:8000/", "for an endpoint write"),
    ],
)
def test_text_that_looks_remote_is_not_a_file(
    where: str, fix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.UsageError, match=f"would be a file; {fix}"):
        connect(shop.gather(), where, environment="dev")
    assert not list(tmp_path.iterdir())
    connect(shop.gather(), f"./{where.rstrip('/')}", environment="dev").close()


def test_a_name_is_not_a_design() -> None:
    given: Any = "shop.design:design"
    with pytest.raises(
        errors.UsageError, match=r"connect takes a Design, not 'shop\.design:design'; load one by name"
    ):
        connect(given)


@pytest.mark.parametrize("where", [None, "http://localhost:1", "aws:eu-north-1"])
def test_the_option_of_the_command_line_is_named_as_the_argument(where: Any) -> None:
    wrong: dict[str, Any] = {"env": "dev"}
    with pytest.raises(TypeError, match="connect has no argument env; write environment="):
        connect(shop.gather(), where, **wrong)


def test_an_argument_that_does_not_exist_is_named(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {"cursor_keys": "secret"}
    with pytest.raises(TypeError, match=r"connect has no argument cursor_keys; did you mean cursor_key\?"):
        connect(shop.gather(), tmp_path / "app.db", **wrong)
    assert not (tmp_path / "app.db").exists()
