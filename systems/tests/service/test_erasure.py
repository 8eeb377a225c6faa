"""Erasure: a pattern's rows are deleted, also those that have expired or cannot be read; others stay."""

from tablewright_systems.service import erase_all
from tablewright_systems.verification import put_row

from systems.tests.service.shop import Letter, LettersOf, table
from tablewright import Repository


def rows_of(db: Repository) -> list[str]:
    found = db.connection.call("Scan", {"TableName": table.name})["Items"]
    return sorted(f"{item['PK']['S']} {item['SK']['S']}" for item in found)


def test_readable_and_unreadable_rows_are_deleted(db: Repository) -> None:
    for recipient in ("ada", "bob"):
        db.create(Letter(recipient=recipient, mailing_id="m1"))
        put_row(db, table, {"PK": f"LETTER#{recipient}", "SK": "MAILING#m2", "type": "Postcard"})
    erase_all(db, LettersOf(recipient="ada"))
    assert rows_of(db) == ["LETTER#bob MAILING#m1", "LETTER#bob MAILING#m2"]


def test_all_pages_are_deleted(db: Repository) -> None:
    filling = "x" * 300_000
    for number in range(8):
        row = {"PK": "LETTER#ada", "SK": f"MAILING#{number}", "type": "Postcard", "text": filling}
        put_row(db, table, row)
    erase_all(db, LettersOf(recipient="ada"))
    assert rows_of(db) == []
