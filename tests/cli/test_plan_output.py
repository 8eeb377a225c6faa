"""Deployment plans as text and as data."""

import pytest

from tablewright import Design, Entity, Index, Keys, Table, connect
from tablewright.cli.plan_output import plan_for, show_plan

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
    line, loss = capsys.readouterr().out.splitlines()
    assert line.startswith("  1  drop index GSI1 of shop")
    assert loss == "     destructive: reads of index GSI1 fail"
    (step,) = plan.as_data()["steps"]
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
