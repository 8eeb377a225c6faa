"""Deploying, migrating and checking by commands: what they say, how they exit, and that a killed one goes on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.cli import main
from tablewright.connections.remote import Remote
from tests.server.processes import ServerProcess

DESIGN = """
from decimal import Decimal
from typing import Annotated, Any

from tablewright import Design, Entity, Index, Keys, Table, fields, migrations

things = Table("things-{env}", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Thing(Entity, table=things, type="THING"):
    thing_id: str
    name: Annotated[str, fields.Unique()]
    price: Decimal | str
    keys = Keys(primary=("THING#{thing_id}", "THING"), GSI1=("THINGS", "{name}#{thing_id}"))


def number(item: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(item["price"], str):
        return None
    if not item["price"].isdecimal():
        raise ValueError(f"price: {item['price']!r} is no number")
    return item | {"price": Decimal(item["price"])}


def text(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"price": str(item["price"])}


prices = migrations.Migration("prices", Thing, number, text)
design = Design("things", entities=[Thing], migrations=[prices])
plain = Design("things", entities=[Thing])

before = Table("things-{env}", ("PK", "SK"))


class Before(Entity, table=before, type="THING"):
    thing_id: str
    name: Annotated[str, fields.Unique()]
    price: str
    keys = Keys(primary=("THING#{thing_id}", "THING"))


without_index = Design("things", entities=[Before])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "thing_design.py").write_text(DESIGN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("thing_design", None)


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> "Said":
    return Said(capsys)


class Said:
    """Runs a command in this process: its exit code, and what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, command: str, *options: str, design: str = "design") -> tuple[int, str]:
        code = main([command, f"thing_design:{design}", "--env", "dev", *options])
        told = self._capsys.readouterr()
        return code, (told.out + told.err).strip()

    def data(self, command: str, *options: str) -> Any:
        return json.loads(self(command, *options, "--json")[1])


def put(*things: tuple[str, str]) -> None:
    import thing_design  # type: ignore[import-not-found]

    from tablewright import connect

    with connect(thing_design.design, "tablewright.db", environment="dev") as db:
        for name, price in things:
            db.put(thing_design.Thing(thing_id=name, name=name, price=price))


def test_from_nothing_to_tables_that_are_as_wanted(said: Said) -> None:
    code, told = said("drift")
    assert (code, "create table things-dev with indexes GSI1" in told) == (1, True)
    assert said("deploy")[1].endswith("1 steps done")
    assert said("plan") == (0, "The tables are what the design wants.")
    assert said("drift")[0] == 0


def test_an_index_comes_with_the_attributes_of_older_items(said: Said) -> None:
    said("deploy", design="without_index")
    import thing_design

    from tablewright import connect

    with connect(thing_design.without_index, "tablewright.db", environment="dev") as db:
        for name in ("a", "b"):
            db.put(thing_design.Before(thing_id=name, name=name, price="1"))
        spoilt = {"PK": {"S": "THING#c"}, "SK": {"S": "THING"}, "type": {"S": "THING"}, "name": {"N": "1"}}
        db.connection.call("PutItem", {"TableName": "things-dev", "Item": spoilt})
    code, told = said("deploy")
    assert code == 0
    assert "backfill the attributes of index GSI1" in told
    assert "warning: an item of things-dev is not in the index, as it is no Thing" in told
    with connect(thing_design.design, "tablewright.db", environment="dev") as db:
        found = db.connection.call("Scan", {"TableName": "things-dev", "IndexName": "GSI1"})["Items"]
    assert [item["GSI1SK"]["S"] for item in found] == ["a#a", "b#b"]


def test_migrations_there_and_back(said: Said) -> None:
    said("deploy")
    put(("a", "1"), ("b", "2"), ("c", "dear"))
    assert said("migrate", "--status") == (0, "prices  pending")
    assert said("migrate", "--dry-run") == (
        1,
        "prices would be applied: 2 of 6 items would be changed\n"
        "  1 would be left as they are:\n"
        "  things-dev: PK = 'THING#c', SK = 'THING'  price: 'dear' is no number",
    )
    code, told = said("migrate")
    assert (code, told.startswith("prices applied: 2 of 6 items changed")) == (1, True)
    assert said("migrate") == (0, "Nothing to do.")
    (standing,) = said.data("migrate", "--status")
    assert (standing["status"], standing["changed"], standing["rejected"]) == ("applied", 2, 1)
    (reject,) = said.data("migrate", "--rejects")["prices"]
    assert reject["key"] == {"PK": {"S": "THING#c"}, "SK": {"S": "THING"}}
    put(("c", "3"))
    assert said("migrate", "--retry") == (0, "Nothing is rejected.")
    assert said("migrate", "--down") == (0, "prices reverted: 3 of 6 items changed")
    assert said("migrate", "--status")[1].startswith("prices  reverted")


def test_findings_and_repairs(said: Said) -> None:
    said("deploy")
    put(("a", "1"))
    assert said("fsck") == (0, "All of 2 items are as the design would have stored them.")
    from tablewright import embedded

    with embedded("tablewright.db") as connection:
        key = {"PK": {"S": "THING#a"}, "SK": {"S": "THING"}}
        change = {"UpdateExpression": "REMOVE GSI1PK"}
        connection.call("UpdateItem", {"TableName": "things-dev", "Key": key, **change})
    code, told = said("fsck")
    assert code == 1
    assert told == (
        "stale index keys: things-dev: PK = 'THING#a', SK = 'THING' has index keys that are not made of its fields: "
        "GSI1PK; a repair would set GSI1PK as its fields say\n1 findings in 2 items: 1 x stale index keys"
    )
    found = said.data("fsck")
    assert (found["counts"], found["findings"][0]["entity"]) == ({"stale index keys": 1}, "Thing")
    assert said("fsck", "--repair")[0] == 0
    assert said("fsck")[0] == 0


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (("migrate", "--on", "no.db"), "there is no file no.db; name another with --on"),
        (("fsck", "--on", "no.db"), "there is no file no.db; name another with --on"),
        (("migrate", "--on", ":memory:"), "what is in memory is gone when a command ends"),
        (("fsck", "--prefix", "x-"), "there is no table x-things-dev on tablewright.db; deploy"),
        (("migrate", "--to", "nothing"), "things has no migration nothing; it has: prices"),
        (("migrate", "--keys", "no.json"), "no.json"),
    ],
)
def test_what_cannot_be_run_is_told_in_a_line(said: Said, command: tuple[str, ...], complaint: str) -> None:
    said("deploy")
    code, told = said(*command)
    assert code == 2
    assert complaint in told
    assert told.count("\n") == 0


def test_a_design_without_migrations(said: Said) -> None:
    said("deploy")
    assert "has no migrations; name them" in said("migrate", design="plain")[1]


def test_a_rate_is_a_number(said: Said, capsys: pytest.CaptureFixture[str]) -> None:
    for rate in ("none", "0", "-1"):
        with pytest.raises(SystemExit):
            said("migrate", "--rate", rate)
        assert f"{rate} is no rate" in capsys.readouterr().err


def test_a_killed_migration_goes_on(folder: Path) -> None:
    with ServerProcess("--memory") as server:
        store = ["thing_design:design", "--env", "dev", "--on", server.url]
        command = [sys.executable, "-m", "tablewright"]
        subprocess.run([*command, "deploy", *store], check=True, capture_output=True, cwd=folder)
        connection = Remote("us-east-1", server.url)
        import thing_design

        from tablewright import connect

        db = connect(thing_design.design, connection, environment="dev")
        for number in range(40):
            db.put(thing_design.Thing(thing_id=f"{number:03}", name=f"{number}", price="7"))
        slow = [*command, "migrate", *store, "--rate", "80"]
        with subprocess.Popen(slow, cwd=folder, env={**os.environ}) as running:
            while numbers(connection) < 5:
                assert running.poll() is None
            running.kill()
        assert 5 <= numbers(connection) < 40
        answer = subprocess.run([*command, "migrate", *store], capture_output=True, text=True, cwd=folder)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert numbers(connection) == 40
        connection.close()


def numbers(connection: Remote) -> int:
    """How many prices are numbers by now."""
    values = {":n": {"S": "N"}}
    request = {"TableName": "things-dev", "FilterExpression": "attribute_type(price, :n)", "Select": "COUNT"}
    return int(connection.call("Scan", request | {"ExpressionAttributeValues": values})["Count"])
