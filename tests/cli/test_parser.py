"""The parser: help texts, errors in one line, and how fast it starts."""

import subprocess
import sys

import pytest

from tablewright.cli.parser import COMMANDS, build_parser
from tests.cli.parsers import command_parsers
from tests.cli.runner import error_line, run


def test_version() -> None:
    assert run("--version").stdout.startswith("tablewright ")


def test_no_command_prints_the_help() -> None:
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == build_parser().format_help()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unknown"], "argument COMMAND: invalid choice: 'unknown'"),
        (["serve", "--port", "http"], "tablewright serve: argument --port: must be a number from 0 to 65535"),
        (["serve", "--unknown"], "unrecognized arguments: --unknown"),
        (["serve", "--memory", "--on", "a.db"], "not allowed with argument --memory"),
        (["export"], "the following arguments are required: --table, --bucket"),
    ],
)
def test_an_error_is_one_line(arguments: list[str], message: str) -> None:
    line = error_line(*arguments)
    assert message in line
    assert line.endswith("--help")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "tablewright: unknown 'chekc'; did you mean check?"),
        (["serve", "--prot", "1"], "tablewright serve: unknown '--prot'; did you mean --port?"),
        (["generate", "doc", "a"], "tablewright generate: unknown 'doc'; did you mean docs?"),
    ],
)
def test_a_misspelt_word_is_corrected(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        build_parser().parse_args(arguments)
    assert (stopped.value.code, capsys.readouterr().err) == (2, f"{message}\n")


@pytest.mark.parametrize("module", COMMANDS, ids=lambda module: str(module.NAME))
def test_help_has_examples(module: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        build_parser().parse_args([module.NAME, "--help"])  # type: ignore[attr-defined]
    assert stopped.value.code == 0
    assert f"examples:\n  tablewright {module.NAME}" in capsys.readouterr().out  # type: ignore[attr-defined]


def test_every_argument_has_a_help_text_in_one_style() -> None:
    for name, parser in command_parsers().items():
        for action in parser._actions:
            assert action.help, (name, action.dest)
            assert action.help[0].islower() or action.help.startswith(("AWS", "ARN", "JSON")), action.help
            assert not action.help.endswith("."), action.help


def test_every_summary_is_an_imperative_in_one_style() -> None:
    for module in COMMANDS:
        assert module.SUMMARY[0].islower()
        assert not module.SUMMARY.endswith(".")
        assert len(module.SUMMARY) <= 66


def test_help_imports_neither_rich_nor_the_engine() -> None:
    script = (
        "import sys\nfrom tablewright.cli.parser import build_parser\nbuild_parser().format_help()\n"
        "slow = {'rich', 'shtab', 'boto3', 'apsw', 'pydantic', 'uvicorn', 'asyncio'}\n"
        "assert not slow & {name.partition('.')[0] for name in sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
