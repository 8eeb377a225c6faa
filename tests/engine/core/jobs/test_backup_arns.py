"""Backup ARNs: which are valid, and names that are unique."""

from pathlib import Path

import pytest

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ResourceName, arn_of, new_name, parse_name
from tablewright.engine.core.sessions import Writing
from tablewright.errors import AccessDenied, ValidationError
from tests.engine.archive import ARN, START, archive

ID = "01489602797149-73d8d5bc"


def test_an_arn_is_parsed_back_into_its_name() -> None:
    name = ResourceName("Music", ID)
    assert parse_name(arn_of(f"{ARN}Music", "backup", name), "backup") == name
    assert parse_name(f"{ARN}Music/backup/{ID}".replace("us-east-1", "eu-west-3"), "backup") == name


@pytest.mark.parametrize(
    ("arn", "error", "message"),
    [
        ("nonsense", ValidationError, "Invalid Backup ARN"),
        (f"{ARN}Music/export/{ID}", ValidationError, "Invalid Backup ARN"),
        (f"{ARN}Music/backup/{ID[:-1]}", ValidationError, "Invalid Backup ARN"),
        (f"{ARN}Music/backup/{ID}".replace("us-east-1", "mars"), ValidationError, "BackupArn is not valid"),
        (f"{ARN}Music/backup/{ID}".replace("123456789012", "210987654321"), AccessDenied, "Access is denied"),
    ],
)
def test_arns_that_are_not_valid(arn: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_name(arn, "backup")


def test_names_with_a_suffix_get_different_timestamps(tmp_path: Path) -> None:
    def name_two(tx: Writing) -> tuple[ResourceName, ResourceName]:
        first = new_name(tx.rows, "backup", "Music", START, "0" * 8)
        job_records.save(tx.rows, "backup", first.key, {})
        return first, new_name(tx.rows, "backup", "Music", START, "0" * 8)

    with archive(tmp_path) as db:
        first, second = db.sessions.write(name_two)
    assert (first.id, second.id) == (f"0{START}000-00000000", f"0{START}001-00000000")
