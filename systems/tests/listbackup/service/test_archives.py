"""Reading a backup: each record once, in its newest state, also from a position of another process."""

from datetime import timedelta
from typing import Any

from tablewright_systems.listbackup.design.archives import Archive, ArchiveKind
from tablewright_systems.listbackup.platforms.protocol import Record, Selection
from tablewright_systems.listbackup.service import archives
from tablewright_systems.listbackup.service.archives import BackupReader
from tablewright_systems.service import transact

from systems.tests.listbackup.backup_setup import BackupSetup


def stored(setup: BackupSetup, chunks: list[list[Record]], base: Archive | None = None) -> Archive:
    """Store an archive of contacts with these chunks."""
    made = archives.new_archive(setup.db, setup.account_id, ArchiveKind.BACKUP, "ada").changed(
        data_types=["contacts"], base_archive_id=base.archive_id if base else None
    )
    transact(setup.db, *archives.creation(made))
    for number, records in enumerate(chunks):
        entry = archives.open_files(setup.store, made).write_chunk("contacts", number, records)
        transact(setup.db, *archives.chunk_writes(setup.db, made, entry))
    return archives.complete(setup.db, setup.store, made)


def contact(record_id: str, name: str, deleted: bool = False) -> Record:
    return Record(record_id, None, {"name": name}, deleted)


def test_the_newest_state_of_each_record_counts(setup: BackupSetup) -> None:
    base = stored(
        setup, [[contact("1", "Ada"), contact("2", "Bea")], [contact("3", "Cleo"), contact("1", "Ann")]]
    )
    later = stored(setup, [[contact("2", "Bob")], [contact("3", "Cleo", deleted=True)]], base)
    names = {
        record.id: record.data["name"]
        for record in BackupReader(setup.db, setup.store, later).records("contacts")
    }
    assert names == {"1": "Ann", "2": "Bob"}
    assert {record.id for record in BackupReader(setup.db, setup.store, base).records("contacts")} == {
        "1",
        "2",
        "3",
    }


def test_a_position_is_valid_in_another_process(setup: BackupSetup) -> None:
    base = stored(setup, [[contact("1", "Ada")], [contact("2", "Bea")]])
    later = stored(setup, [[contact("1", "Ann")], [contact("3", "Cleo")]], base)
    collected, position = [], None
    while True:
        page = BackupReader(setup.db, setup.store, later).read("contacts", position=position)
        collected += [(record.id, record.data["name"]) for record in page.records]
        if (position := page.next_position) is None:
            break
    assert sorted(collected) == [("1", "Ann"), ("2", "Bea"), ("3", "Cleo")]


def test_dates_and_filters_select_records(setup: BackupSetup) -> None:
    now, hour = setup.db.now(), timedelta(hours=1)
    records = [
        Record("1", now, {"city": "Bern"}),
        Record("2", now + hour, {"city": "Bern"}),
        Record("3", None, {"city": "Basel"}),
    ]
    reader = BackupReader(setup.db, setup.store, stored(setup, [records]))

    def ids(**selected: Any) -> set[str]:
        return {record.id for record in reader.read("contacts", Selection(**selected)).records}

    assert ids(since=now + hour) == {"2", "3"}
    assert ids(until=now + hour) == {"1", "3"}
    assert ids(filters={"city": ["Bern"]}) == {"1", "2"}
    assert reader.read("orders").records == []
