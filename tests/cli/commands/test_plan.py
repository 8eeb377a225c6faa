"""`tablewright plan`."""

from tests.cli.things import Things


def test_steps_before_and_after_a_deployment(things: Things) -> None:
    assert things.run("plan") == (0, "1  create table things-dev with indexes GSI1")
    things.run("deploy")
    assert things.run("plan") == (0, "The tables match the design.")


def test_json_has_the_requests(things: Things) -> None:
    (step,) = things.json("plan")["steps"]
    assert (step["table"], step["destructive"]) == ("things-dev", False)
    assert [request["operation"] for request in step["requests"]] == ["CreateTable"]
