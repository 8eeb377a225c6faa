"""`tablewright completion`: the scripts of shtab, in the shells of this machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tablewright.cli import main
from tablewright.cli.commands.completion import SHELLS
from tests.cli.parsers import command_parsers


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_knows_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name, parser in command_parsers().items():
        assert name in script
        for action in parser._actions:
            for option in action.option_strings:
                assert option.lstrip("-") in script


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_the_script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    main(["completion", shell])
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    subprocess.run([shell, "-n", str(script)], check=True)


CASES = pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("tablewright se", {"serve"}),
        ("tablewright serve --me", {"--memory"}),
        ("tablewright serve --allow", {"--allow-host", "--allow-origin"}),
        ("tablewright completion z", {"zsh"}),
        ("tablewright keys n", {"new"}),
        ("tablewright check --format g", {"github"}),
        ("tablewright migrate app:design --re", {"--rejects", "--retry"}),
        ("tablewright serve --on ap", {"app.db"}),
        ("tablewright tables --data ap", {"app.db"}),
        ("tablewright export --buckets fol", {"folder"}),
    ],
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@CASES
def test_bash_completes(
    typed: str, offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.db").touch()
    (tmp_path / "folder").mkdir()
    main(["completion", "bash"])
    words = typed.split()
    script = f"""{capsys.readouterr().out}
        COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
        COMP_LINE='{typed}'; COMP_POINT={len(typed)}
        $(complete -p tablewright | sed -E 's/.*-F ([^ ]+).*/\\1/') tablewright '{words[-1]}' '{words[-2]}'
        printf "%s\\n" "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert set(result.stdout.split()) == offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@CASES
def test_fish_completes(
    typed: str, offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.db").touch()
    (tmp_path / "folder").mkdir()
    main(["completion", "fish"])
    script = f"{capsys.readouterr().out}\ncomplete -C '{typed}'"
    result = subprocess.run(
        ["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert {line.partition("\t")[0].rstrip("/") for line in result.stdout.splitlines()} == offered
