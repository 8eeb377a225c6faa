"""What the commands with a console share: who may write, and the sessions of a location."""

import argparse
from pathlib import Path

import pytest

from tablewright.cli.console_server import access_arguments, check_console, may_write, session_key
from tablewright.errors import DesignError, UsageError


@pytest.mark.parametrize(
    ("location", "arguments", "expected"),
    [
        ("app.db", [], False),
        ("app.db", ["--write"], True),
        ("http://127.0.0.1:8000", ["--write"], True),
        ("aws:eu-north-1", [], False),
        ("aws:eu-north-1", ["--write", "aws:eu-north-1"], True),
    ],
)
def test_who_may_write(location: str, arguments: list[str], expected: bool) -> None:
    parser = argparse.ArgumentParser()
    access_arguments(parser)
    assert may_write(parser.parse_args(arguments, argparse.Namespace(on=location))) is expected


@pytest.mark.parametrize("arguments", [["--write"], ["--write", "aws:eu-west-1"]])
def test_writes_on_aws_repeat_the_location(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    access_arguments(parser)
    with pytest.raises(UsageError, match="repeat the location: --write aws:eu-north-1"):
        may_write(parser.parse_args(arguments, argparse.Namespace(on="aws:eu-north-1")))


def test_sessions_of_a_data_file_last(tmp_path: Path) -> None:
    assert session_key(str(tmp_path / "app.db")) == tmp_path / "app.db.console.key"
    assert session_key("aws:eu-north-1") is None


def test_an_unknown_design_is_an_error_before_the_server_starts() -> None:
    with pytest.raises(DesignError, match="cannot import absent"):
        check_console(argparse.Namespace(console=["absent.module:design"]))


def test_a_console_without_the_environment_of_its_tables_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "staged_design.py").write_text(
        "from tablewright import Design, Table\ndesign = Design('app', tables=[Table('app-{env}', key='id')])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    check_console(argparse.Namespace(console=["staged_design:design@dev"]))
    with pytest.raises(
        UsageError, match=r"table app-\{env\} needs an environment: --console staged_design:design@dev"
    ):
        check_console(argparse.Namespace(console=["staged_design:design"]))
