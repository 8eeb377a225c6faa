"""Vectors through the lifecycle: integrity checks, migrations, dry runs, backups and moves."""

from typing import Annotated, Any

import pytest

from tablewright import Clock, Design, Entity, Get, Nearest, Table, VectorIndex, connect, fields, migrations
from tablewright.access.repository import Repository
from tablewright.lifecycle.integrity.fsck import check

INDEX = VectorIndex("by-meaning", "meaning", 3)


def declared(*, indexed: bool, **settings: Any) -> tuple[Design, Any, Any]:
    table = Table("notes", key="noteId", vector_indexes=[INDEX] if indexed else ())

    class Note(Entity, table=table):
        note_id: str
        text: str = ""
        meaning: Annotated[list[float] | None, fields.Vector(3)] = None

    if not indexed:
        return Design("notes", entities=[Note], **settings), Note, None

    class Similar(Nearest[Note]):
        meaning: list[float]

    class NoteById(Get[Note]):
        note_id: str

    return Design("notes", entities=[Note], patterns=[Similar, NoteById], **settings), Note, Similar


def put(db: Repository, name: str, *numbers: Any) -> None:
    meaning = {"L": [{"S": number} if isinstance(number, str) else {"N": str(number)} for number in numbers]}
    item = {"noteId": {"S": name}, "text": {"S": "a text"}, "meaning": meaning}
    db.connection.call("PutItem", {"TableName": "notes", "Item": item})


def test_vectors_of_another_size_are_found_by_fsck() -> None:
    design, _, _ = declared(indexed=False)
    with connect(design) as db:
        put(db, "short", 1, 0)
        put(db, "words", "one", "two", "three")
        put(db, "right", 1, 0, 0)
        report = check(db)
        problems = {finding.key["noteId"]["S"]: finding.problem for finding in report.findings}
        assert set(problems) == {"short", "words"}
        assert "must have 3 numbers, got 2" in problems["short"]


def test_a_migration_computes_vectors_and_they_are_found() -> None:
    def with_meaning(item: dict[str, Any]) -> dict[str, Any]:
        return item | {"meaning": [1.0, 0.0, len(item["text"]) / 10]}

    design, note, similar = declared(indexed=True)
    steps = [migrations.Migration("2026-11-meaning", note, up=with_meaning)]
    design = Design("notes", entities=[note], patterns=list(design.patterns), migrations=steps)
    with connect(design) as db:
        db.create(note(note_id="n1", text="four"))
        assert not db.run(similar(meaning=[1, 0, 0]))
        migrations.migrate(db)
        ((found, score),) = db.run(similar(meaning=[1, 0, 0.4]))
        assert (found.note_id, score) == ("n1", pytest.approx(0, abs=1e-6))


def test_a_migration_that_computes_a_wrong_size_is_rejected() -> None:
    _, note, _ = declared(indexed=True)
    steps = [migrations.Migration("2026-11-meaning", note, up=lambda item: item | {"meaning": [1.0]})]
    with connect(Design("notes", entities=[note], migrations=steps)) as db:
        db.create(note(note_id="n1"))
        (result,) = migrations.migrate(db)
        assert result.tally.rejected == 1


def test_a_restored_table_is_searched() -> None:
    design, note, similar = declared(indexed=True)
    with connect(design, clock=Clock(start=1_800_000_000)) as db:
        db.create(note(note_id="n1", meaning=[1, 0, 0]))
        call = db.connection.call
        backup = call("CreateBackup", {"TableName": "notes", "BackupName": "first"})
        call("DeleteTable", {"TableName": "notes"})
        arn = backup["BackupDetails"]["BackupArn"]
        call("RestoreTableFromBackup", {"TargetTableName": "notes", "BackupArn": arn})
        assert [found.note_id for found, _ in db.run(similar(meaning=[1, 0, 0]))] == ["n1"]
