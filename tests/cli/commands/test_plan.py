"""`tablewright plan`."""

from pathlib import Path

import pytest

from tablewright import Design, Entity, Index, Keys, Table, connect
from tablewright.cli.commands.plan import plan_for, show_plan
from tests.cli.things import Things


def test_steps_before_and_after_a_deployment(things: Things) -> None:
    assert things.run("plan") == (0, "1  create table things-dev with indexes GSI1")
    things.run("deploy")
    assert things.run("plan") == (0, "The tables match the design.")


def test_json_has_the_requests(things: Things) -> None:
    (step,) = things.json("plan")["steps"]
    assert (step["table"], step["destructive"]) == ("things-dev", False)
    assert [request["operation"] for request in step["requests"]] == ["CreateTable"]


@pytest.mark.parametrize("command", ["plan", "drift"])
def test_a_missing_data_file_is_not_created(things: Things, tmp_path: Path, command: str) -> None:
    before = set(Path().iterdir())
    code, output = things.run(command, "--on", str(tmp_path / "absent.db"))
    assert "1  create table things-dev with indexes GSI1" in output
    assert code == (1 if command == "drift" else 0)
    assert list(tmp_path.glob("absent*")) == []
    assert set(Path().iterdir()) == before


before = Table("shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])
after = Table("shop", ("PK", "SK"))


class Before(Entity, table=before, type="ITEM"):
    name: str
    keys = Keys(primary=("ITEM#{name}", "ITEM"), GSI1=("ITEMS", "{name}"))


class After(Entity, table=after, type="ITEM"):
    name: str
    keys = Keys(primary=("ITEM#{name}", "ITEM"))


def test_a_destructive_step_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    with connect(Design("shop", entities=[Before])) as db:
        assert plan_for(db).steps == ()
        show_plan(plan_for(db))
        assert capsys.readouterr().out == "The tables match the design.\n"
        plan = plan_for(connect(Design("shop", entities=[After]), db.connection, create=False))
    show_plan(plan)
    line, loss, removal = capsys.readouterr().out.splitlines()
    assert line.startswith("  1  drop index GSI1 of shop")
    assert loss == "     destructive: reads of index GSI1 fail"
    assert removal.startswith("  2  remove index keys, copies and locks from shop")
    step, _ = plan.as_data()["steps"]
    assert (step["table"], step["destructive"], step["does"]) == ("shop", True, plan.steps[0].description)
    assert [request["operation"] for request in step["requests"]] == ["UpdateTable"]
    assert step["loss"] == "reads of index GSI1 fail"


def test_what_prevents_a_deployment_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    protected = Table("shop", "id", deletion_protection=True)
    with connect(Design("shop", tables=[protected])) as db:
        plan = plan_for(connect(Design("shop", entities=[After]), db.connection, create=False))
    show_plan(plan)
    output = capsys.readouterr().out
    assert output.startswith("not possible: table shop must be replaced")
    assert plan.as_data()["obstacles"] == list(plan.obstacles)
