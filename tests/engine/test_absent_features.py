"""An engine without a feature refuses, by name, files and requests that need it."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core import operations
from tablewright.engine.core.operations import create_table, find_operation
from tablewright.engine.core.plugs import OPERATIONS, PRESENT, Feature, require_order
from tablewright.engine.core.requests.shapes import Shape, Structure
from tablewright.engine.core.requests.unsupported import (
    MEMBERS_OF_FEATURES,
    OPERATIONS_OF_FEATURES,
    REQUEST_MEMBERS,
    member_of_feature,
    members_of_features,
)
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.database import Database
from tablewright.engine.feature_list import FEATURES
from tablewright.engine.storage import open_store
from tablewright.errors import StoreFormat, UnknownOperation, ValidationError

USERS: dict[str, Any] = {
    "TableName": "users",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
}
TTL = {"TableName": "users", "TimeToLiveSpecification": {"AttributeName": "ends", "Enabled": True}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a table that uses TTL."""
    path = tmp_path / "app.db"
    database = Database(open_store(path))
    database.call("CreateTable", USERS)
    database.call("UpdateTimeToLive", TTL)
    database.close()
    return path


def test_a_file_with_data_of_an_absent_feature_is_not_opened(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tablewright.engine.core.state.catalog.PRESENT", [name for name in PRESENT if name != "ttl"]
    )
    with pytest.raises(StoreFormat, match="data of features that this engine does not have: ttl"):
        Database(open_store(file))
    monkeypatch.undo()
    Database(open_store(file)).close()


def test_a_job_record_of_an_absent_feature_is_noted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.db"
    database = Database(open_store(path))
    database.call("CreateTable", USERS)
    database.call("CreateBackup", {"TableName": "users", "BackupName": "first"})
    database.close()
    monkeypatch.setattr(
        "tablewright.engine.core.state.catalog.PRESENT", [name for name in PRESENT if name != "backups"]
    )
    with pytest.raises(StoreFormat, match="does not have: backups"):
        Database(open_store(path))


def test_a_definition_with_an_unknown_member_is_refused_by_name() -> None:
    database = Database(open_store())
    database.call("CreateTable", USERS)
    definition = database.state.catalog.table("users").definition
    with pytest.raises(StoreFormat, match=r"table 'users' uses features .*: Telepathy"):
        StoredTable.compile({**definition, "Telepathy": {}})


@pytest.mark.parametrize("name", sorted(OPERATIONS_OF_FEATURES))
def test_an_operation_of_an_absent_feature_is_refused_by_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "_LOADED", {})
    monkeypatch.delitem(OPERATIONS, name)
    assert find_operation(name) is None
    with pytest.raises(UnknownOperation, match=f"{name} is not implemented by Tablewright"):
        Database(open_store()).call(name, {})


def test_every_operation_of_a_feature_is_refused_by_name_without_it() -> None:
    """The calls between regions are not AWS's: without replicas they do not exist."""
    names = {name for feature in FEATURES for name in feature.operations}
    assert names - {"CreateReplica", "DeleteReplica", "ReadReplica"} == OPERATIONS_OF_FEATURES


@pytest.mark.parametrize("operation", sorted(MEMBERS_OF_FEATURES))
def test_a_member_of_an_absent_feature_is_refused_by_name(
    operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REQUEST_MEMBERS, "parts", ())
    shape = Shape(**members_of_features(operation))
    for member in MEMBERS_OF_FEATURES[operation]:
        with pytest.raises(ValidationError, match=f"{member} is not implemented by Tablewright"):
            shape.check({"TableName": "users", member: "anything"})


@pytest.mark.parametrize("operation", ["CreateTable", "UpdateTable"])
def test_a_stream_is_refused_by_name_without_streams(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(member_of_feature(operation, "StreamSpecification"), Structure)
    monkeypatch.setattr(REQUEST_MEMBERS, "parts", ())
    shape = Shape(StreamSpecification=member_of_feature(operation, "StreamSpecification"))
    with pytest.raises(ValidationError, match="StreamSpecification is not implemented by Tablewright"):
        shape.check({"StreamSpecification": {"StreamEnabled": True}})


def test_an_index_of_an_unknown_kind_is_refused_by_name() -> None:
    database = Database(open_store())
    database.call("CreateTable", USERS)
    definition = database.state.catalog.table("users").definition
    spaces = {**definition["Spaces"], "by-meaning": 99}
    with pytest.raises(StoreFormat, match=r"'users' has indexes of a kind .*: by-meaning"):
        StoredTable.compile({**definition, "Spaces": spaces})


def test_every_member_of_a_feature_has_its_place() -> None:
    for operation, member, _ in REQUEST_MEMBERS:
        assert member == "StreamSpecification" or member in MEMBERS_OF_FEATURES[operation]
    assert {"ResourcePolicy"} <= create_table.SHAPE.members.keys()


def test_a_feature_cannot_come_before_one_that_it_must_follow() -> None:
    """What TTL deletes is delivered to Kinesis by the same sweep."""
    names = [feature.name for feature in FEATURES]
    assert names.index("ttl") < names.index("kinesis")
    with pytest.raises(ValueError, match="'kinesis' must come after 'ttl'"):
        require_order(sorted(FEATURES, key=lambda feature: feature.name == "ttl"))


def test_a_feature_needs_those_that_it_imports() -> None:
    with pytest.raises(ValueError, match="'exports' needs 'backups', earlier in the list"):
        require_order([Feature(name="exports", needs=("backups",))])
    with pytest.raises(ValueError, match="'ttl' is in the list twice"):
        require_order([Feature(name="ttl"), Feature(name="ttl")])
