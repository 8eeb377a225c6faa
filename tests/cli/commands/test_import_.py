"""`tablewright import`: CSV, and invalid options. tests/cli/commands/test_export.py imports what it exports."""

import pytest

from tablewright.cli import main
from tests.cli.backup_locations import BackupLocation


def test_import_csv(backup_location: BackupLocation, capsys: pytest.CaptureFixture[str]) -> None:
    (backup_location.buckets / "archive" / "people.csv").write_text("id;name\n1;Ada\n2;Bob\n")
    source = ["--bucket", "archive", "--key-prefix", "people.csv", "--format", "csv", *backup_location.on]
    assert main(["import", *source, "--delimiter", ";", "--into", "People", "--key", "id:S"]) == 0
    assert capsys.readouterr().out == "Imported 2 items into People\n"
    assert backup_location.scan("People") == ["1", "2"]
    assert main(["import", *source, "--into", "Empty", "--key", "nothing:S"]) == 1
    assert "(0 imported, 2 rejected)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--key", "id"], "--key must be NAME:TYPE with type S, N or B"),
        (["--key", "id:S", "--key", "at:N", "--key", "x:S"], "--key must be NAME:TYPE"),
        (["--key", "id:S", "--delimiter", ";"], "--delimiter needs --format csv"),
        (["--key", "id:S", "--on", "http://x", "--buckets", "d"], "--buckets is for data files"),
    ],
)
def test_invalid_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--bucket", "b", "--into", "T", *options]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert (output.out, output.err.count("\n")) == ("", 1)
