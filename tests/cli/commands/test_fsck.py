"""`tablewright fsck`."""

import json
from pathlib import Path

import pytest

from tablewright import embedded
from tablewright.cli import main
from tests.cli.backup_locations import create
from tests.cli.runner import error_line
from tests.cli.things import Things
from tests.engine.storage.damaged_files import change_rows


def test_find_and_repair(things: Things) -> None:
    things.run("deploy")
    things.put(("a", "1"))
    assert things.run("fsck") == (0, "No problems in 2 items.")
    with embedded("tablewright.db") as connection:
        key = {"PK": {"S": "THING#a"}, "SK": {"S": "THING"}}
        change = {"UpdateExpression": "REMOVE GSI1PK"}
        connection.call("UpdateItem", {"TableName": "things-dev", "Key": key, **change})
    code, output = things.run("fsck")
    assert code == 1
    finding, total = output.splitlines()
    assert finding.startswith("stale index keys: things-dev: PK = 'THING#a', SK = 'THING' ")
    assert "; --repair would set GSI1PK" in finding
    assert total == "1 finding in 2 items: 1 x stale index keys"
    found = things.json("fsck")
    assert (found["counts"], found["findings"][0]["entity"]) == ({"stale index keys": 1}, "Thing")
    code, output = things.run("fsck", "--repair")
    assert (code, output.startswith("repaired  stale index keys")) == (0, True)
    assert things.run("fsck")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--on", "no.db"),
            "Data file no.db does not exist. Create it with: tablewright deploy thing_design:design",
        ),
        (
            ("--on", "memory"),
            "fsck cannot use memory: data in memory is lost when the command ends; give FILE",
        ),
        (
            ("--prefix", "x-"),
            "Table 'x-things-dev' does not exist at tablewright.db. Create it with: "
            "tablewright deploy thing_design:design --env dev --prefix x-",
        ),
    ],
)
def test_invalid_options(things: Things, options: tuple[str, ...], message: str) -> None:
    things.run("deploy")
    code, output = things.run("fsck", *options)
    assert code == 2
    assert message in output
    assert output.count("\n") == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with embedded(path, durability="relaxed") as db:
        create(db, "Users")
        for name in ("ann", "bob"):
            db.call("PutItem", {"TableName": "Users", "Item": {"id": {"S": name}}})
    return path


def damage(path: Path) -> None:
    with embedded(path) as db:
        space = db._open().state.catalog.table("Users").space
    assert change_rows(path, space, "body = '#' || body", "instr(body, 'bob') > 0") == 1


def test_a_whole_data_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fsck", "--storage", "--on", str(file)]) == 0
    assert capsys.readouterr().out.startswith("No problems in ")


def test_a_damaged_data_file_is_checked_and_salvaged(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(file)
    command = ["fsck", "--storage", "--on", str(file)]
    text = """table 'Users', key {"id":{"S":"bob"}}: the row does not match its checksum"""
    assert main(command) == 1
    found = capsys.readouterr().out.splitlines()
    assert found[0] == f"damaged: {text}"
    assert found[1].startswith("1 problem in ")
    assert main([*command, "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["table"], problem["key"]) == ("Users", {"id": {"S": "bob"}})
    target = file.with_name("saved.db")
    assert main([*command, "--salvage", str(target)]) == 1
    found = capsys.readouterr().out.splitlines()
    assert found[:2] == [f"lost: {text}", "copied 1 row of table 'Users'"]
    with embedded(target) as db:
        assert db.call("Scan", {"TableName": "Users"})["Items"] == [{"id": {"S": "ann"}}]
    target.unlink()
    assert main([*command, "--salvage", str(target), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["copied"]["table 'Users'"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "fsck needs a design: MODULE:DESIGN, or --storage"),
        (("--salvage", "x.db"), "give --storage with it"),
        (("a:b", "--storage"), "without a design"),
        (("--storage", "--on", "http://127.0.0.1:1"), "is not a data file; give an existing FILE with --on"),
        (("--storage", "--on", "no.db"), "no.db is not a data file"),
    ],
)
def test_invalid_options_of_a_storage_check(arguments: tuple[str, ...], message: str) -> None:
    assert message in error_line("fsck", *arguments)


def test_a_data_file_in_use_and_an_existing_target_are_rejected(file: Path) -> None:
    with embedded(file):
        assert "is in use by process" in error_line("fsck", "--storage", "--on", str(file))
    assert "exists" in error_line("fsck", "--storage", "--on", str(file), "--salvage", str(file))
