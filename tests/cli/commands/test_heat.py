"""`tablewright heat`."""

import json

import pytest

from tablewright.cli import main
from tests.cli.things import Things

DESIGN = "tablewright_systems.collabhub.design:design"


def test_hot_keys_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", DESIGN, "--users", "1,20"]) == 0
    shown = capsys.readouterr().out
    assert "collabhub with 1 x the users" in shown
    assert "x the limit of a partition" in shown
    assert "a write that an index throttles is throttled on its table too" in shown
    assert (
        "R/s, W/s: read and write units in the busiest second. A partition supports 3,000 R/s and 1,000 W/s."
        in (shown)
    )
    assert "(1.), (2.): the key values that are requested most." in shown


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", DESIGN, "--users", "20", "--json"]) == 1
    (data,) = json.loads(capsys.readouterr().out)
    assert data["users"] == 20
    assert {"throttles"} <= {resource["verdict"] for resource in data["resources"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--users", "many"], "--users must be a list of numbers such as 1,10,1000, got many"),
        (["--users", "0"], "--users must be numbers above 0"),
    ],
)
def test_invalid_options(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heat", DESIGN, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_design_without_rates_is_simulated_with_an_assumption(
    things: Things, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["heat", "thing_design:design", "--users", "1"])
    output = capsys.readouterr()
    assert code == 0
    assert "things declares no rates. Assumed: " in output.err
    assert "things with 1 x the users" in output.out
