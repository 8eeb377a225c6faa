"""The change journal: replaced items in order, and trimming by the recovery period."""

from tablewright.engine.database import Database
from tablewright.engine.features.backups import change_journal, row_copies
from tablewright.engine.features.backups.change_journal import DAY, JournalEntry, entries, number_after
from tests.engine.core.operations.music_table import START, enable_recovery, item, open_music, put


def journal(
    db: Database, low: int = 0, high: int | None = None, *, backward: bool = False
) -> list[JournalEntry]:
    table = db.state.catalog.table("music").id
    return db.sessions.read(lambda tx: list(entries(tx.rows, table, low, high, backward=backward)))


def old_items(found: list[JournalEntry]) -> list[object]:
    return [entry.old and entry.old.attributes for entry in found]


def test_each_change_records_the_replaced_item() -> None:
    with open_music() as db:
        put(db, "before recovery")
        enable_recovery(db)
        put(db, "nina", song="first")
        put(db, "nina", song="second")
        db.call("DeleteItem", {"TableName": "music", "Key": item("nina")})
        found = journal(db)
        assert old_items(found) == [None, item("nina", song="first"), item("nina", song="second")]
        assert len({entry.key for entry in found}) == 1
        assert [entry.number for entry in journal(db, backward=True)] == [
            entry.number for entry in found[::-1]
        ]


def test_a_time_divides_the_journal() -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina", song="first")
        db.clock.advance(10)
        put(db, "nina", song="second")
        number = number_after(START)
        assert old_items(journal(db, high=number)) == [None]
        assert old_items(journal(db, low=number)) == [item("nina", song="first")]


def test_changes_older_than_the_recovery_period_are_trimmed() -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina")
        db.clock.advance(34 * DAY)
        put(db, "ella")
        assert not db.sessions.read(change_journal.has_aged)
        db.clock.advance(1 * DAY + 1)
        assert db.sessions.read(change_journal.has_aged)
        db.sessions.write(lambda tx: change_journal.trim(tx, 100))
        assert len(journal(db)) == 1
        assert not db.sessions.read(change_journal.has_aged)


def test_a_deleted_journal_is_empty() -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina")
        table = db.state.catalog.table("music").id
        db.sessions.write(lambda tx: row_copies.forget_journal(tx, table))
        assert journal(db) == []
