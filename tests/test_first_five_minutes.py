"""The program of README.md and the first five minutes, as a new user: the built package and the commands as written."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FIVE_MINUTES = (ROOT / "docs/tutorial/five-minutes.md").read_text()
SCRIPT = """\
#!{python}
import sys
from tablewright.cli import main
sys.exit(main())
"""


def blocks(language: str, page: str = FIVE_MINUTES) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment after `pip install`: the files of the wheel, and the command."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "packages")
    commands = folder / "bin"
    commands.mkdir()
    (commands / "tablewright").write_text(SCRIPT.format(python=sys.executable))
    (commands / "tablewright").chmod(0o755)
    search = os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {"PATH": search, "PYTHONPATH": str(folder / "packages"), "HOME": str(folder)}


def shell(script: str, folder: Path, environment: dict[str, str]) -> str:
    result = subprocess.run(
        ["bash", "-ec", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_package_has_the_command_and_the_plugin(environment: dict[str, str]) -> None:
    (entry_points,) = Path(environment["PYTHONPATH"]).glob("tablewright-*.dist-info/entry_points.txt")
    assert "tablewright = tablewright.cli:main" in entry_points.read_text()
    assert "tablewright = tablewright.pytest_plugin" in entry_points.read_text()


def test_the_program_of_the_readme_prints_what_is_shown(tmp_path: Path, environment: dict[str, str]) -> None:
    (program,) = blocks("python", README)
    (tmp_path / "app.py").write_text(program)
    assert shell("python app.py", tmp_path, environment) == blocks("text", README)[0]
    assert "app: 0 errors, 0 warnings" in shell("tablewright check app:design", tmp_path, environment)


def test_one_file_runs_and_prints_what_is_shown(tmp_path: Path, environment: dict[str, str]) -> None:
    (program,) = blocks("python")
    (tmp_path / "app.py").write_text(program)
    (session,) = blocks("text")
    commands = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)[1:]
    shown = dict(zip(commands[::2], commands[1::2], strict=True))
    assert list(shown) == ["python app.py", "tablewright check app:design"]
    for command, output in shown.items():
        assert shell(command, tmp_path, environment) == output


def test_the_project_of_init_passes(tmp_path: Path, environment: dict[str, str]) -> None:
    install, commands, look = blocks("bash")
    assert install.endswith("\npython -m pip install '.[console]' pytest\n")
    output = shell(commands, tmp_path, environment)
    assert "shop: 0 errors, 0 warnings" in output
    assert "5 passed" in output
    *data, console = look.splitlines()
    output = shell("\n".join(data), tmp_path / "shop", environment)
    assert "create table shop-dev" in output
    assert "Wrote 20 samples to tablewright.db." in output
    assert console == "tablewright console shop.design:design --env dev"  # it serves until it is stopped


def test_the_code_that_ran_is_that_of_the_package(tmp_path: Path, environment: dict[str, str]) -> None:
    output = shell("python -c 'import tablewright; print(tablewright.__file__)'", tmp_path, environment)
    assert output.startswith(environment["PYTHONPATH"])
