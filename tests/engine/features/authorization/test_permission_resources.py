"""Permission resources: ARNs are made of names, and never taken from requests."""

import pytest

from tablewright.engine.features.authorization.permission_resources import (
    Resource,
    any_table_arn,
    canonical_arn,
    key_text,
    partition_keys,
)
from tests.engine.features.authorization.permission_cases import TABLES, database


@pytest.mark.parametrize(
    "name", ["music", f"{TABLES}music", "arn:aws:dynamodb:eu-west-1:210987654321:table/music"]
)
def test_a_table_has_one_arn_whatever_the_request_calls_it(name: str) -> None:
    db = database()
    assert db.sessions.read(lambda tx: Resource(tx, name).arn) == f"{TABLES}music"
    assert db.sessions.read(lambda tx: Resource(tx, name, "by-genre").arn) == f"{TABLES}music/index/by-genre"


def test_key_names_are_those_of_the_table_or_index() -> None:
    db = database()
    found = [("music", None), ("music", "by-genre"), ("music", "missing"), ("missing", None)]
    names = db.sessions.read(lambda tx: [Resource(tx, *each).key_names for each in found])
    assert names == [("artist",), ("genre",), (), ()]


def test_other_arns_get_this_region_and_account() -> None:
    db = database()
    given = "arn:aws:dynamodb:eu-west-1:210987654321:table/music/backup/1"
    assert db.sessions.read(lambda tx: canonical_arn(tx, given)) == f"{TABLES}music/backup/1"
    assert db.sessions.read(lambda tx: canonical_arn(tx, "nonsense")) == "nonsense"
    assert db.sessions.read(lambda tx: any_table_arn(tx, "stream", "music")) == f"{TABLES}music/stream/*"


def test_partition_keys_of_several_attributes() -> None:
    keys = partition_keys([("a", "x"), ("a", "y"), ()])
    assert keys["LeadingKeys"] == keys["FirstPartitionKeyValues"] == ["a"]
    assert keys["SecondPartitionKeyValues"] == ["x", "y"]
    assert key_text({"B": "AQI="}) == "AQI="
