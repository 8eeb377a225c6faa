"""Deployment plans as text and as data."""

import pytest

from tablewright import Design, Entity, Index, Keys, Table, connect
from tablewright.cli.plan_output import plan_as_data, plan_for, show_plan

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
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("  1  drop index GSI1 of shop")
    assert line.endswith("  destructive")
    (step,) = plan_as_data(plan)["steps"]
    assert (step["table"], step["destructive"], step["does"]) == ("shop", True, plan.steps[0].description)
    assert [request["operation"] for request in step["requests"]] == ["UpdateTable"]
