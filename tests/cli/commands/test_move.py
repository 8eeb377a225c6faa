"""`tablewright move`."""

from pathlib import Path

import pytest

from tablewright import connect
from tablewright.cli import main
from tests.cli.things import Things

STREAMS_ENABLED = [
    f"enabled the stream of things-dev at the {side}; disable it after the move"
    for side in ("source", "target")
]


def items(location: str) -> int:
    import thing_design  # type: ignore[import-not-found]

    with connect(thing_design.design, location, environment="dev") as db:
        return int(db.connection.call("Scan", {"TableName": "things-dev"})["Count"])


def test_a_file_is_moved_and_compared(things: Things) -> None:
    things.run("deploy")
    things.put(("a", "1"), ("b", "2"))
    where = ("--from", "tablewright.db", "--to", "other.db")
    code, output = things.run("move", *where, "--once")
    assert (code, output) == (0, "\n".join(["4 items compared, 0 differences.", *STREAMS_ENABLED]))
    things.put(("c", "3"))
    assert things.run("move", *where, "--once") == (0, "6 items compared, 0 differences.")
    assert items("other.db") == 6


def test_a_difference_is_listed(things: Things) -> None:
    things.run("deploy")
    things.put(("a", "1"))
    where = ("--from", "tablewright.db", "--to", "other.db")
    things.run("move", *where, "--once")
    import thing_design

    with connect(thing_design.design, "other.db", environment="dev") as db:
        db.put(thing_design.Thing(thing_id="x", name="x", price="1"))
    code, output = things.run("move", *where, "--once")
    assert code == 1
    assert "2 items compared, 2 differences." in output
    assert "things-dev: PK = 'THING#x', SK = 'THING' is missing at the source" in output.replace(
        "{env}", "dev"
    )
    assert "--repair" in output
    code, output = things.run("move", *where, "--once", "--repair")
    assert (code, output) == (0, "2 items repaired.\n2 items compared, 0 differences.")
    again = things.run("move", *where, "--restart", "--once")
    assert again[0] == 0
    assert again[1].startswith("2 items compared, 0 differences.")


def test_errors_name_the_option(things: Things, tmp_path: Path) -> None:
    code, output = things.run("move", "--from", "absent.db", "--to", "other.db", "--once")
    assert code == 2
    assert "data file absent.db does not exist; give another location with --from" in output
    assert not Path("other.db").exists()
    assert "with --to" in things.run("move", "--from", "absent.db", "--to", "memory")[1]
    with pytest.raises(SystemExit):
        things.run("move", "--from", "a.db", "--to", "b.db", "--segments", "0")


def test_a_source_without_the_tables_leaves_no_target(
    things: Things, capsys: pytest.CaptureFixture[str]
) -> None:
    things.run("deploy")
    where = ("--from", "tablewright.db", "--to", "other.db", "--once")
    code, output = things.run("move", *where, "--prefix", "old-")
    assert code == 2
    assert "table old-things-dev does not exist at the source" in output
    assert not Path("other.db").exists()
    assert main(["move", "thing_design:design", *where]) == 2
    assert "table things-{env}: {env} needs an environment, such as dev; use --env dev" in (
        capsys.readouterr().err
    )
    assert not Path("other.db").exists()


def test_one_file_is_not_both_sides(things: Things) -> None:
    things.run("deploy")
    code, output = things.run("move", "--from", "tablewright.db", "--to", "./tablewright.db", "--once")
    assert code == 2
    assert output.endswith(
        "the source and the target are the same file, ./tablewright.db; give another location with --to"
    )


def test_a_switch_creates_no_target(things: Things) -> None:
    things.run("deploy")
    code, output = things.run("move", "--from", "tablewright.db", "--to", "other.db", "--switch-to", "target")
    assert code == 2
    assert "data file other.db does not exist; give another location with --to" in output
    assert not Path("other.db").exists()
