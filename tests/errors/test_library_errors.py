"""The error tree: one root, one public path."""

import pickle

import pytest

from tablewright import errors
from tablewright.errors import (
    AlreadyExists,
    BatchUnfinished,
    ConditionNotMet,
    CopyBlocked,
    LostConnection,
    OutcomeUnknown,
    SecretAltered,
    SecretError,
    SecretShredded,
    SeveralFound,
    TablewrightError,
    TransactionFailed,
    TransactionTooLarge,
    UniqueViolation,
    UnknownItem,
    Unreachable,
    VersionConflict,
)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_the_root_and_the_public_path(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.TablewrightError)
    assert error.__module__ == "tablewright.errors"


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(errors.ResourceNotFound("no such table")))
    assert type(error) is errors.ResourceNotFound
    assert error.message == "no such table"


def test_a_lost_connection_tells_whether_the_request_was_sent() -> None:
    assert LostConnection("reply lost").was_sent
    assert not LostConnection("no route", was_sent=False).was_sent


def test_a_lost_connection_is_caught_as_unreachable() -> None:
    assert isinstance(LostConnection("reply lost"), Unreachable)


@pytest.mark.parametrize("kind", [SecretAltered, SecretShredded])
def test_a_message_names_entity_and_field(kind: type[SecretAltered | SecretShredded]) -> None:
    error = kind("User", "card")
    assert isinstance(error, SecretError)
    assert str(error).startswith("User.card ")
    assert (error.entity, error.field) == ("User", "card")


def test_an_unknown_item_shows_its_key_and_not_its_content() -> None:
    item = {"PK": {"S": "user#1"}, "card": {"S": "4111"}}
    error = UnknownItem("app", {"PK": item["PK"]}, item, "has no type")
    assert str(error) == "the item PK = 'user#1' of app has no type"
    assert error.item is item


def test_several_found_names_the_pattern() -> None:
    assert "UserByEmail found several items" in str(SeveralFound("UserByEmail"))


KEY = {"artist": "Nina", "year": 1965}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AlreadyExists("Song", KEY, "exists already"), "Song(artist='Nina', year=1965) exists already"),
        (
            ConditionNotMet("Song", KEY, "plays > 3"),
            "Song(artist='Nina', year=1965) does not meet the condition plays > 3",
        ),
        (
            VersionConflict("Song", KEY, 1, 2),
            "Song(artist='Nina', year=1965) is at version 2, not at version 1; read it again",
        ),
        (
            VersionConflict("Song", KEY, 1, None),
            "Song(artist='Nina', year=1965) is gone, not at version 1; read it again",
        ),
        (
            UniqueViolation("Song", KEY, "title", "Sinnerman"),
            "Song(artist='Nina', year=1965) cannot have title = 'Sinnerman': another Song has it",
        ),
        (
            UniqueViolation("Song", KEY, "title", None),
            "Song(artist='Nina', year=1965) cannot have title = its value: another Song has it",
        ),
        (
            CopyBlocked("Song", KEY, "by_year"),
            "Song(artist='Nina', year=1965) cannot write its copy by_year: another item has the key of the copy",
        ),
        (
            TransactionTooLarge(101, 100),
            "the transaction touches 101 items, locks and copies included, and DynamoDB allows 100; it is not split, "
            "because its parts could fail independently",
        ),
        (BatchUnfinished(["a"], 3), "1 of 3 writes were not done; try those in `left` again later"),
        (
            OutcomeUnknown("Song", KEY),
            "Song(artist='Nina', year=1965) may or may not have been written, because no certain reply arrived; read "
            "it to find out, or write it with transact, which can be sent again",
        ),
    ],
)
def test_message(error: TablewrightError, message: str) -> None:
    assert str(error) == message


def test_a_failed_transaction_lists_the_failed_writes_only() -> None:
    failure = AlreadyExists("Song", KEY, "exists already")
    failed = TransactionFailed([None, failure])
    assert str(failed) == "nothing was written. write 2: Song(artist='Nina', year=1965) exists already"
    assert failed.failures == (None, failure)
