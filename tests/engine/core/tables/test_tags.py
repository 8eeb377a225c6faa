"""Tags: their limits and rules."""

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import outcome_of, request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"


TOO_MANY = "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn"


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


def numbered(first: int, last: int, value: str = "v") -> dict[str, object]:
    entries = [{"Key": str(number), "Value": value} for number in range(first, last)]
    return {"ResourceArn": ARN, "Tags": entries}


def test_fifty_tags(music: Database) -> None:
    assert outcome_of(music, "TagResource", numbered(0, 48)) == "ok"
    assert outcome_of(music, "TagResource", numbered(48, 49)) == "ok"
    assert len(tags(music)) == 50
    assert outcome_of(music, "TagResource", numbered(48, 50)) == TOO_MANY
    assert outcome_of(music, "TagResource", numbered(0, 49, "other")) == "ok"
    assert outcome_of(music, "TagResource", numbered(0, 51)) == TOO_MANY
    assert set(tags(music).values()) == {"blue", "other"}


def test_fifty_tags_at_creation(db: Database) -> None:
    request = request_of("music", "artist | artist:S")
    assert outcome_of(db, "CreateTable", {**request, **numbered(0, 51)}) == TOO_MANY
    assert outcome_of(db, "CreateTable", {**request, **numbered(0, 50)}) == "ok"
    keys = [str(number) for number in range(51)]
    assert outcome_of(db, "UntagResource", {"ResourceArn": ARN, "TagKeys": keys}) == TOO_MANY
    assert outcome_of(db, "UntagResource", {"ResourceArn": ARN, "TagKeys": keys[:50]}) == "ok"


@pytest.mark.parametrize("letter", ["x", "א"])
@pytest.mark.parametrize(
    ("key", "value", "accepted"),
    [(127, 255, True), (128, 256, True), (129, 256, False), (128, 257, False)],
)
def test_lengths_are_counted_in_characters(
    music: Database, letter: str, key: int, value: int, accepted: bool
) -> None:
    tag = {"Key": letter * key, "Value": letter * value}
    assert (outcome_of(music, "TagResource", {"ResourceArn": ARN, "Tags": [tag]}) == "ok") is accepted


def test_one_invalid_tag_rejects_all(music: Database) -> None:
    entries = [{"Key": "good", "Value": "v"}, {"Key": "aws:bad", "Value": "v"}]
    assert outcome_of(music, "TagResource", {"ResourceArn": ARN, "Tags": entries}) != "ok"
    assert tags(music) == {"team": "blue"}
