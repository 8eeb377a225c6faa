"""TagResource, UntagResource and ListTagsOfResource: up to fifty labels a table."""

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import play, request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    yield database
    database.close()


@pytest.fixture
def music(db: Database) -> Database:
    db.call(
        "CreateTable",
        {**request_of("music", "artist | artist:S"), "Tags": [{"Key": "team", "Value": "blue"}]},
    )
    return db


def tags(db: Database) -> dict[str, str]:
    reply = db.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert "NextToken" not in reply
    return {tag["Key"]: tag["Value"] for tag in reply["Tags"]}


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("tags.txt", db, update=update_golden)


def test_tags_are_added_changed_and_removed(music: Database) -> None:
    assert tags(music) == {"team": "blue"}
    music.call(
        "TagResource",
        {"ResourceArn": ARN, "Tags": [{"Key": "team", "Value": "red"}, {"Key": "Team", "Value": ""}]},
    )
    assert tags(music) == {"team": "red", "Team": ""}
    music.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "never"]})
    assert tags(music) == {"Team": ""}
