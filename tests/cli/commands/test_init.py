"""`tablewright init`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tablewright.cli import main
from tests import forked_processes
from tests.cli.runner import error_line_here, run, run_here

UNUSED_PLUGINS = ("anyio", "hypothesispytest", "randomly", "schemathesis", "xdist", "xdist.looponfail")
"""Plugins of this environment that a new project does not have; they take longer to import than its tests run."""
SOURCES = Path(__file__).parent.parent.parent.parent / "src"


def in_project(directory: Path, *command: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run a Python module in a new project as its user does, with this checkout instead of an installed package."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [path, str(SOURCES)])),
        "PYTEST_ADDOPTS": " ".join(f"-p no:{plugin}" for plugin in UNUSED_PLUGINS),
    }
    result = forked_processes.run(
        [sys.executable, "-m", *command], cwd=directory, env=environment, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def files(directory: Path) -> set[str]:
    """The files of a directory, without caches."""
    found = (file.relative_to(directory) for file in directory.rglob("*") if file.is_file())
    return {str(file) for file in found if "cache" not in str(file)}


def test_the_files_pass_the_linter_and_the_next_commands_are_printed(tmp_path: Path) -> None:
    """Its types are tested with those of the documentation, and the commands that it prints with the built package:
    see `tests/typing` and `tests/test_first_five_minutes.py`."""
    result = run("init", "my-shop", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    shop = tmp_path / "my-shop"
    assert files(shop) == {
        ".github/workflows/design.yml",
        "README.md",
        "my_shop/__init__.py",
        "my_shop/design.py",
        "pyproject.toml",
        "tests/test_my_shop_design.py",
    }
    assert result.stdout.partition("\n\n")[2] == (
        "Next:\n\n"
        "    cd my-shop\n"
        "    tablewright check my_shop.design:design\n"
        "    python -m pytest\n"
        "    tablewright deploy my_shop.design:design --env dev\n"
        "    tablewright generate samples my_shop.design:design --env dev --on tablewright.db\n"
        "    tablewright console my_shop.design:design --env dev\n"
    )
    in_project(shop, "ruff", "check", "--select", "A,B,C4,D1,E,ERA,F,I,PT,RET,RUF,SIM,UP,W", ".")
    in_project(shop, "ruff", "format", "--check", ".")


def test_no_placeholder_is_left(tmp_path: Path) -> None:
    main(["init", str(tmp_path / "shop")])
    for name in files(tmp_path):
        text = (tmp_path / name).read_text()
        assert not [word for word in ("PACKAGE", "ROOT", "DESIGN", "TESTS") if word in text], name


def test_a_project_with_src_gets_its_package_there(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    result = run_here("init", "--package", "orders", cwd=tmp_path)
    assert "    PYTHONPATH=src tablewright check orders.design:design\n" in result.stdout
    assert "cd " not in result.stdout
    in_project(tmp_path, "tablewright", "check", "orders.design:design", path="src")
    assert "5 passed" in in_project(tmp_path, "pytest").stdout


@pytest.mark.parametrize(
    "name", ["orders/design.py", "tests/test_orders_design.py", ".github/workflows/design.yml"]
)
def test_a_file_that_exists_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("mine")
    message = error_line_here("init", "--package", "orders", cwd=tmp_path)
    assert message == (
        f"{name} in {tmp_path}: already there, nothing was written; choose another name with --package, or overwrite "
        "with --force"
    )
    assert files(tmp_path) == {name}
    assert run_here("init", "--package", "orders", "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text() != "mine"


def test_files_of_the_project_are_kept_even_with_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {
        "README.md": "mine\n",
        "orders/__init__.py": "x = 1\n",
        "pyproject.toml": '[project]\nname = "mine"\n',
    }
    for name, text in own.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    main(["init", str(tmp_path), "--package", "orders", "--force"])
    output = capsys.readouterr().out
    assert "kept   README.md\n" in output
    assert "kept   orders/__init__.py\n" in output
    assert "added  [tool.pytest.ini_options] to pyproject.toml\n" in output
    assert (tmp_path / "README.md").read_text() == "mine\n"
    assert (tmp_path / "orders/__init__.py").read_text() == "x = 1\n"
    assert (tmp_path / "pyproject.toml").read_text() == (
        '[project]\nname = "mine"\n\n[tool.pytest.ini_options]\n'
        'tablewright_design = "orders.design:design"\npythonpath = ["."]\n'
    )
    main(["init", str(tmp_path), "--package", "orders", "--force"])
    assert "kept   pyproject.toml\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "place", "line"),
    [
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\n",
            "[tool.pytest.ini_options] of pyproject.toml",
            'tablewright_design = "orders.design:design"',
        ),
        ("pytest.ini", "[pytest]\n", "pytest.ini", "tablewright_design = orders.design:design"),
        ("setup.cfg", "[tool:pytest]\n", "setup.cfg", "tablewright_design = orders.design:design"),
    ],
)
def test_pytest_settings_that_exist_are_kept_and_the_lines_to_add_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, text: str, place: str, line: str
) -> None:
    (tmp_path / file).write_text(text)
    main(["init", str(tmp_path), "--package", "orders"])
    assert (
        f"kept   the pytest settings in {place}; add these lines to them:\n\n    {line}\n"
        in capsys.readouterr().out
    )
    assert (tmp_path / file).read_text() == text
    indented = [each.strip() for each in line.splitlines()]
    root = 'pythonpath = ["."]' if file.endswith("toml") else "pythonpath = ."
    (tmp_path / file).write_text("\n".join([text, *indented, root]) + "\n")
    assert "5 passed" in in_project(tmp_path, "pytest").stdout


@pytest.mark.parametrize(
    ("directory", "package"),
    [
        ("shop", "shop"),
        ("My Shop 2", "my_shop_2"),
        ("2nd", "app"),
        ("class", "app"),
        ("calendar", "app"),
        ("tests", "app"),
    ],
)
def test_the_package_is_named_after_the_directory_if_it_can_be(
    tmp_path: Path, directory: str, package: str
) -> None:
    main(["init", str(tmp_path / directory)])
    assert (tmp_path / directory / package / "design.py").exists()


def test_a_directory_with_a_space_is_quoted(tmp_path: Path) -> None:
    assert "    cd 'My Shop'\n" in run_here("init", "My Shop", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["file"], "file is a file; give a directory"),
        (
            ["--package", "my-shop"],
            "'my-shop' cannot be the name of a package; give a Python name with --package",
        ),
        (["--package", "json"], "json is the name of an installed module; give another name with --package"),
    ],
)
def test_wrong_arguments_are_named_with_their_fix(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "file").write_text("")
    assert error_line_here("init", *arguments, cwd=tmp_path) == message
    assert files(tmp_path) == {"file"}


def test_a_broken_pyproject_is_named_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool\n")
    assert error_line_here("init", "--package", "orders", cwd=tmp_path).startswith(
        "pyproject.toml is not valid: "
    )
    assert files(tmp_path) == {"pyproject.toml"}
