"""Write errors: what their messages say."""

import pytest

from tablewright.errors import (
    AlreadyExists,
    BatchUnfinished,
    ConditionNotMet,
    CopyBlocked,
    OutcomeUnknown,
    TablewrightError,
    TransactionFailed,
    TransactionTooLarge,
    UniqueViolation,
    VersionConflict,
)

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
