"""`tablewright generate`."""

import json
import sys
from pathlib import Path

import pytest

from tablewright.cli import main
from tests.server.processes import ServerProcess

DESIGN = "tablewright_systems.student_hub.design:design"


@pytest.mark.parametrize(
    ("what", "part"),
    [
        ("docs", "# student"),
        ("cloudformation", '"AWS::DynamoDB::Table"'),
        ("terraform", 'resource "aws_dynamodb_table"'),
        ("cdk", "class StudentHubTables(Stack)"),
        ("diagram", "flowchart LR"),
        ("samples", "leavs-dev-deadlines"),
    ],
)
def test_each_kind_of_output(what: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", what, DESIGN]) == 0
    assert part in capsys.readouterr().out


def test_a_policy_allows_only_the_given_patterns(capsys: pytest.CaptureFixture[str]) -> None:
    tables = ["--region", "eu-north-1", "--account", "123456789012", "--env", "main"]
    assert main(["generate", "iam", DESIGN, *tables, "--only", "DeadlinesOf", "--tenant", "user_id"]) == 0
    (statement,) = json.loads(capsys.readouterr().out)["Statement"]
    assert statement["Action"] == ["dynamodb:Query"]
    assert statement["Resource"].endswith("table/leavs-main-deadlines")
    assert "Condition" in statement


def test_a_policy_needs_region_and_account(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "iam", DESIGN]) == 2
    assert "give --region and --account" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tenant", "userId"], "no partition key of student_hub contains userId; did you mean user_id?"),
        (["--only", "DeadlinesOff"], "has no pattern or entity DeadlinesOff; did you mean DeadlinesOf?"),
        (["--tenant", "user_id"], "these cannot be limited to user_id"),
        (["--account", "12"], "an AWS account ID has 12 digits, got 12"),
        (["--role", "read-only", "--tenant", "user_id"], "--tenant is for the role service"),
    ],
)
def test_a_policy_fails_closed(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    tables = ["--region", "eu-north-1", "--account", "123456789012", "--env", "main"]
    assert main(["generate", "iam", DESIGN, *tables, *options]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_a_long_policy_is_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    tables = ["--region", "eu-north-1", "--account", "123456789012", "--env", "main"]
    assert main(["generate", "iam", DESIGN, *tables, "--role", "operator"]) == 0
    shown = capsys.readouterr()
    assert len(json.loads(shown.out)) > 1
    assert "note: a policy has at most 6144 characters, so this is a list of" in shown.err


def test_output_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hub.html"
    assert main(["generate", "docs", DESIGN, "--html", "--output", str(file)]) == 0
    assert file.read_text().startswith("<!doctype html>")
    assert main(["generate", "docs", DESIGN, "--output", str(tmp_path / "no" / "hub.md")]) == 2


def test_samples_are_written_to_a_location(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design, file = "tablewright_systems.goalsguild.design:design", str(tmp_path / "goals.db")
    assert main(["deploy", design, "--on", file]) == 0
    assert main(["generate", "samples", design, "--on", file, "--count", "2"]) == 0
    shown = capsys.readouterr().out
    assert f"to {file}." in shown
    assert "finds no sample" not in shown
    assert main(["fsck", design, "--on", file]) == 0


def test_samples_need_tables_that_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "samples", DESIGN, "--on", str(tmp_path / "no.db"), "--env", "main"]) == 2
    assert "Create it with: tablewright deploy" in capsys.readouterr().err


def test_only_samples_are_written_to_a_location(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "docs", DESIGN, "--on", "app.db"]) == 2
    assert "--on is for samples" in capsys.readouterr().err
    assert main(["generate", "samples", DESIGN, "--on", "app.db", "--output", "x"]) == 2
    assert "give one of them" in capsys.readouterr().err


def test_an_image_shows_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "diagram", DESIGN, "--svg", "--table", "leavs-{env}-deadlines"]) == 0
    assert capsys.readouterr().out.startswith("<svg ")
    assert main(["generate", "diagram", "tablewright_systems.collabhub.design:design", "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg ")
    assert main(["generate", "diagram", DESIGN, "--svg", "--table", "no"]) == 2
    assert (
        "student_hub has no table no; give --table with one of: leavs-{env}-user-profiles"
        in capsys.readouterr().err
    )


def test_samples_are_written_to_an_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    with ServerProcess("--memory") as server:
        given = ["tablewright_systems.boards.design:design", "--on", server.url]
        generate = ["generate", "samples", *given, "--count", "3", "--now", "2096-03-18T12:00:00"]
        assert main(["deploy", *given]) == 0
        assert main(generate) == 0
        assert main(generate) == 0
        assert "Wrote 0 samples" in capsys.readouterr().out
        assert main(["fsck", *given]) == 0


def test_writes_that_iam_cannot_prevent_are_noted(
    thing_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (thing_folder / "log_design.py").write_text(
        "from tablewright import Design, Entity, Keys, Table\n"
        "main = Table('main', ('PK', 'SK'))\n"
        "class Entry(Entity, table=main, type='ENTRY', writes={'create'}):\n"
        "    user_id: str\n"
        "    keys = Keys(primary=('USER#{user_id}', 'ENTRY'))\n"
        "class User(Entity, table=main, type='USER'):\n"
        "    user_id: str\n"
        "    keys = Keys(primary=('USER#{user_id}', 'USER'))\n"
        "design = Design('log', entities=[Entry, User])\n"
    )
    where = ("--region", "eu-north-1", "--account", "123456789012")
    assert main(["generate", "iam", "log_design:design", *where]) == 0
    assert "note: Entry allows no update or delete, but User does in the same partitions" in (
        capsys.readouterr().err
    )
    assert main(["generate", "iam", "log_design:design", *where, "--only", "Entry"]) == 0
    assert capsys.readouterr().err == ""
    sys.modules.pop("log_design")
