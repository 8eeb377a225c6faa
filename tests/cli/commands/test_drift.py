"""`tablewright drift`."""

from tests.cli.things import Things


def test_the_exit_code_says_whether_tables_differ(things: Things) -> None:
    code, output = things.run("drift")
    assert code == 1
    assert output.startswith("The tables differ from the design; 1 step to deploy:")
    assert "create table things-dev with indexes GSI1" in output
    things.run("deploy")
    assert things.run("drift") == (0, "The tables match the design.")


def test_json_has_the_steps(things: Things) -> None:
    assert [step["step"] for step in things.json("drift")["steps"]] == ["CreateTable"]
