"""`tablewright migrate`: forwards, backwards, and on from where a killed run stopped."""

import json
import subprocess
from pathlib import Path

import pytest

from tablewright import connect
from tablewright.connections.remote import Remote
from tests.cli.runner import COMMAND, run
from tests.cli.things import Things
from tests.server.processes import ServerProcess


def test_apply_retry_and_revert(things: Things) -> None:
    things.run("deploy")
    things.put(("a", "1"), ("b", "2"), ("c", "dear"))
    code, output = things.run("migrate", "--status")
    assert (code, output.splitlines()[1]) == (0, "prices     pending")
    assert things.run("migrate", "--dry-run") == (
        1,
        "prices would be applied: 2 of 6 items would be changed\n"
        "  1 item would be rejected and left unchanged:\n"
        "  things-dev: PK = 'THING#c', SK = 'THING'  price: 'dear' is not a number",
    )
    code, output = things.run("migrate")
    assert (code, output.startswith("prices applied: 2 of 6 items changed")) == (1, True)
    incomplete = "prices is incomplete, with 1 reject; correct the items and run migrate --retry"
    assert things.run("migrate") == (1, f"No migrations to run.\n{incomplete}")
    assert things.run("migrate", "--json") == (1, f"[]\n{incomplete}")
    (status,) = things.json("migrate", "--status")
    assert (status["status"], status["changed"], status["rejected"]) == ("incomplete", 2, 1)
    (reject,) = things.json("migrate", "--rejects")["prices"]
    assert reject["key"] == {"PK": {"S": "THING#c"}, "SK": {"S": "THING"}}
    things.put(("c", "3"))
    assert things.run("migrate", "--retry") == (0, "No rejects.")
    assert things.run("migrate") == (0, "No migrations to run.")
    assert things.run("migrate", "--down") == (0, "prices reverted: 3 of 6 items changed")
    assert "reverted" in things.run("migrate", "--status")[1]


def test_several_processes_are_said(things: Things) -> None:
    things.run("deploy")
    things.put(("a", "1"), ("b", "2"))
    code, output = things.run("migrate", "--processes", "2")
    assert (code, output.splitlines()) == (
        0,
        ["prices applied: 2 of 4 items changed", "prices is converted in 2 processes"],
    )


def test_why_one_process_is_used_is_said(thing_folder: Path) -> None:
    with ServerProcess("--on", "memory") as server:
        store = ["thing_design:design", "--env", "dev", "--on", server.url]
        assert run("deploy", *store, cwd=thing_folder).returncode == 0
        reported = run("migrate", *store, "--processes", "2", cwd=thing_folder)
        assert (reported.returncode, reported.stderr.count("prices is converted in one process: ")) == (0, 1)
        assert "only a migration of a data file" in reported.stderr


def test_json_has_the_number_of_processes(thing_folder: Path) -> None:
    store = ["thing_design:design", "--env", "dev"]
    assert run("deploy", *store, cwd=thing_folder).returncode == 0
    reported = run("migrate", *store, "--json", "--processes", "2", cwd=thing_folder)
    events = [json.loads(line) for line in reported.stderr.splitlines()]
    assert {"event": "processes", "migration": "prices", "processes": 2, "reason": ""} in events


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--on", "no.db"), "Data file no.db does not exist"),
        (("--on", ":memory:"), "migrate cannot use memory"),
        (("--to", "nothing"), "nothing"),
        (("--keys", "no.json"), "no.json"),
    ],
)
def test_invalid_options(things: Things, options: tuple[str, ...], message: str) -> None:
    things.run("deploy")
    code, output = things.run("migrate", *options)
    assert code == 2
    assert message in output
    assert output.count("\n") == 0


def test_a_design_without_migrations(things: Things) -> None:
    things.run("deploy")
    assert "design things has no migrations" in things.run("migrate", design="plain")[1]


@pytest.mark.parametrize("rate", ["none", "0", "-1"])
def test_an_invalid_rate(things: Things, rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        things.run("migrate", "--rate", rate)
    assert f"must be a number of units per second, such as 50, got '{rate}'" in capsys.readouterr().err


def test_a_killed_run_is_continued(thing_folder: Path) -> None:
    with ServerProcess("--on", "memory") as server:
        store = ["thing_design:design", "--env", "dev", "--on", server.url]
        assert run("deploy", *store, cwd=thing_folder).returncode == 0
        connection = Remote("us-east-1", server.url)
        import thing_design  # type: ignore[import-not-found]

        db = connect(thing_design.design, connection, environment="dev")
        for number in range(40):
            db.put(thing_design.Thing(thing_id=f"{number:03}", name=f"{number}", price="7"))
        with subprocess.Popen([*COMMAND, "migrate", *store, "--rate", "20"], cwd=thing_folder) as running:
            while migrated(connection) < 5:
                assert running.poll() is None
            running.kill()
        assert 5 <= migrated(connection) < 40
        result = run("migrate", *store, cwd=thing_folder)
        assert result.returncode == 0, result.stderr
        assert migrated(connection) == 40
        connection.close()


def migrated(connection: Remote) -> int:
    """Count the prices that are numbers."""
    values = {":n": {"S": "N"}}
    request = {"TableName": "things-dev", "FilterExpression": "attribute_type(price, :n)", "Select": "COUNT"}
    return int(connection.call("Scan", request | {"ExpressionAttributeValues": values})["Count"])
