"""`tablewright plan`."""

from pathlib import Path

import pytest

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
