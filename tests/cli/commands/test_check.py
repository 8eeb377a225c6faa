"""`tablewright check`."""

import json
from pathlib import Path

import pytest

from tablewright.checks.runner import rules
from tablewright.cli import main

SHOP = """
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Scan
from tablewright.design.tables import Table

main = Table("shop", key="PK")


class User(Entity, table=main, type="USER"):
    name: str
    keys = Keys(primary="USER#{name}")


class Guest(Entity, table=main, type="GUEST"):
    name: str
    keys = Keys(primary="USER#{name}")


class AllUsers(Scan[User]):
    pass


broken = Design("broken", entities=[User, Guest])
warned = Design("warned", entities=[User], patterns=[AllUsers])
clean = Design("clean", entities=[User])
silenced = Design(
    "silenced", entities=[User], patterns=[AllUsers], suppress={"TW303:AllUsers": "100 users, ever"}
)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A separate module for each test, as Python imports a module only once."""
    name = f"shop_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize(("design", "code"), [("broken", 1), ("warned", 0), ("clean", 0), ("silenced", 0)])
def test_the_exit_code_is_1_only_for_errors(module: str, design: str, code: int) -> None:
    assert main(["check", f"{module}:{design}"]) == code


def test_findings_are_printed_with_their_fix(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:broken"])
    assert capsys.readouterr().out == (
        "error    TW107  User\n"
        '         User writes "USER#{name}" and Guest writes "USER#{name}" into shop: both can be "USER#a"\n'
        "         fix: begin each template with its own text\n"
        "\n"
        "broken: 1 error, 0 warnings, 2 notes (2 not shown: --level info)\n"
    )


def test_notes_are_shown_on_request(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:clean"])
    assert capsys.readouterr().out == "clean: 0 errors, 0 warnings, 1 note (1 not shown: --level info)\n"
    main(["check", f"{module}:clean", "--level", "info"])
    assert capsys.readouterr().out.startswith("info     TW601  User\n")


def test_suppressed_findings_are_counted(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:silenced", "--level", "error"])
    assert "0 warnings, 1 note, 1 suppressed" in capsys.readouterr().out


def test_json(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:warned", "--format", "json"])
    output = json.loads(capsys.readouterr().out)
    assert output["design"] == "warned"
    assert output["suppressed"] == []
    (finding,) = output["findings"]
    assert (finding["code"], finding["severity"], finding["where"]) == ("TW303", "warning", "AllUsers")
    assert (finding["file"], finding["line"]) == (f"{module}.py", 21)


def test_json_contains_suppressed_findings(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:silenced", "--format", "json"])
    (suppressed,) = json.loads(capsys.readouterr().out)["suppressed"]
    assert (suppressed["code"], suppressed["reason"]) == ("TW303", "100 users, ever")


def test_github(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", f"{module}:warned", "--format", "github"])
    assert capsys.readouterr().out == (
        f"::warning file={module}.py,line=21,title=TW303 AllUsers::"
        "AllUsers reads every item of shop at every run%0A"
        "fix: read an index whose partition key the pattern knows\n"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module", "cannot import no_such_module"),
        ("json:design", "json has no variable design; add design = Design("),
    ],
)
def test_a_missing_design(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 2
    assert message in capsys.readouterr().err


def test_no_design_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert "tablewright check MODULE:DESIGN" in capsys.readouterr().err


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule.code))
def test_every_code_can_be_explained(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    code, title, manual = rule.code, rule.title, rule.manual  # type: ignore[attr-defined]
    assert main(["check", "--explain", code.lower()]) == 0
    assert capsys.readouterr().out == f"{code}  {title}\n\n{manual}\n"


def test_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--explain", "TW999"]) == 2
    assert "the codes are: TW001, TW002" in capsys.readouterr().err
