"""Help, completion and documentation know every command and every option: none can be added in silence."""

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from tablewright.cli import main
from tablewright.cli.commands.completion import vocabulary
from tablewright.cli.getting_started import guide
from tablewright.cli.parser import COMMANDS, build_parser

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference" / "cli.md"
WORDS = [(command, word) for command, words in vocabulary(build_parser()).items() for word in words]


@pytest.mark.parametrize(("command", "word"), WORDS)
def test_every_word_is_documented(command: str, word: str) -> None:
    page = REFERENCE.read_text()
    section = page.partition(f"## tablewright {command}\n")[2].partition("\n## ")[0] if command else page
    assert f"`{word}" in section or word in ("-h", "--help")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_word(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for _, word in WORDS:
        assert word.lstrip("-") in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["tablewright", "se"], {"serve"}),
        (["tablewright", "serve", "--me"], {"--memory"}),
        (["tablewright", "serve", "--allow"], {"--allow-host", "--allow-origin"}),
        (["tablewright", "completion", "z"], {"zsh"}),
    ],
)
def test_bash_completes(typed: list[str], offered: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    words = " ".join(f"'{word}'" for word in typed)
    script = f"{capsys.readouterr().out}\nCOMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; _tablewright\n"
    answer = subprocess.run(
        ["bash", "-c", script + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(answer.stdout.split()) == offered


@pytest.mark.parametrize("module", COMMANDS, ids=lambda module: str(module.NAME))
def test_help_teaches_by_example(module: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        build_parser().parse_args([module.NAME, "--help"])  # type: ignore[attr-defined]
    assert stopped.value.code == 0
    assert "  tablewright" in capsys.readouterr().out or module.NAME == "completion"  # type: ignore[attr-defined]


def test_every_option_says_what_it_is_for() -> None:
    top = build_parser()
    commands = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    for parser in (top, *commands.choices.values()):
        assert all(action.help for action in parser._actions if action.option_strings)


def test_the_guide_is_python_that_parses_and_a_line_for_the_shell() -> None:
    text = guide("http://127.0.0.1:8000", "us-east-1")
    snippet = text.partition("<<'END'\n")[2].partition("\nEND\n")[0]
    compile(snippet, "guide", "exec")
    subprocess.run(
        ["sh", "-n", "-c", text.partition("With the AWS CLI:")[2].partition("Ctrl-C")[0]], check=True
    )
