"""`tablewright cost`."""

import json
from pathlib import Path

import pytest
from tablewright_systems.student_hub import design as student_hub

from tablewright.cli import main
from tests.cli.things import Things

HUB = "tablewright_systems.student_hub.design:design"
MONTH = str(Path(student_hub.__file__).with_name("workload.json"))


def test_patterns_tables_and_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", HUB, "--workload", MONTH]) == 0
    shown = capsys.readouterr().out
    assert "student_hub in us-east-1, prices of 2025-09-09: $0.0365 per month" in shown
    assert "create Deadline (2 indexes)" in shown
    assert "ProfileJustWritten" in shown
    assert (
        "R: read units, W: write units. Utilisation: the average share of provisioned units in use." in shown
    )


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", HUB, "--workload", MONTH, "--region", "us-west-2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["design"], data["region"]) == ("student_hub", "us-west-2")
    assert data["cost"] == pytest.approx(sum(table["cost"] for table in data["tables"]))
    assert {line["name"] for line in data["lines"]} >= {"ProfileOf", "create Deadline"}


def test_compare_with_another_design(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", HUB, "--diff", HUB, "--workload", MONTH]) == 0
    assert "student_hub costs the same" in capsys.readouterr().out
    assert main(["cost", HUB, "--diff", "tablewright_systems.collabhub.design:design", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["differences"]
    assert {one["why"] for one in found} == {"new", "removed"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not valid JSON"),
        ('{"patterns": {"ProfileOff": 1}}', "the design has no pattern ProfileOff; did you mean ProfileOf?"),
        ('{"entities": {"Cat": {}}}', "the design has no entity Cat; there are: UserProfile, Progress"),
        ('{"entities": {"Deadline": {"moves": {"X": 1}}}}', "the design has no index X"),
        ('{"entities": {"Deadline": {"copies": {"X": 1}}}}', "the design has no copy X; there are: none"),
        (
            '{"entities": {"Deadline": {"fails": 2}}}',
            "entities.Deadline.fails must be less than or equal to 1",
        ),
        ('{"entities": {"Deadline": {"creates": 2}}}', "entities.Deadline.creates is not a known name"),
        (
            '{"patterns": {"ProfileOf": -1}}',
            "patterns.ProfileOf.times must be greater than or equal to 0",
        ),
        ('{"peak": 0.5}', "peak must be greater than or equal to 1"),
        ("[]", "the file"),
    ],
)
def test_an_invalid_workload(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "month.json"
    file.write_text(content)
    assert main(["cost", HUB, "--workload", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--region", "cn-north-1"],
            "there are no prices for the region cn-north-1, only for us-east-1, us-east-2",
        ),
        (["--region", "cn-north-1"], "or give a price file with --prices FILE"),
        (["--workload", "nowhere.json"], "cannot read nowhere.json"),
        (["--prices", "nowhere.json"], "cannot read nowhere.json"),
        (["--diff", "nowhere:design"], "cannot import nowhere"),
    ],
)
def test_invalid_options(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", HUB, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_design_without_rates_is_estimated_with_an_assumption(
    things: Things, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cost", "thing_design:design"]) == 0
    output = capsys.readouterr()
    assert "things declares no rates. Assumed: " in output.err
    assert "the first 25 GB of each account and region are free" in output.out
    assert "$0.00 per month" not in output.out


def test_a_page_and_json_have_the_assumption(things: Things, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "thing_design:design", "--html", "cost.html"]) == 0
    assert capsys.readouterr().out == "Wrote cost.html; open it in a browser.\n"
    assert "things declares no rates. Assumed: 1,000,000 runs" in Path("cost.html").read_text()
    assert main(["cost", "thing_design:design", "--json"]) == 0
    first_note, *_ = json.loads(capsys.readouterr().out)["notes"]
    assert first_note.startswith("things declares no rates. Assumed: 1,000,000 runs")


def test_a_page_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "missing" / "cost.html"
    assert main(["cost", HUB, "--html", str(file)]) == 2
    assert f"{file} cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_page_compares_no_designs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", HUB, "--html", "cost.html", "--diff", HUB]) == 2
    assert "--html shows one design; leave out --diff" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["cost", HUB, "--html", "cost.html", "--json"])
    assert "not allowed with argument" in capsys.readouterr().err
    assert not Path("cost.html").exists()
