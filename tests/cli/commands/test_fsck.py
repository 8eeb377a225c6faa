"""`tablewright fsck`."""

import pytest

from tablewright import embedded
from tests.cli.things import Things


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
