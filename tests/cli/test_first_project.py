"""The files of `tablewright init`, as data; tests/cli/commands/test_init.py runs them."""

import ast
import tomllib
from importlib import import_module
from typing import Any

import pytest

from tablewright.checks.runner import rules
from tablewright.cli import first_project

TEXTS = {name: text for name, text in vars(first_project).items() if name.isupper()}


@pytest.mark.parametrize("name", ["DESIGN", "TESTS"])
def test_python_files_have_docstrings_everywhere(name: str) -> None:
    tree = ast.parse(TEXTS[name])
    documented = [
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Module)
    ]
    assert len(documented) > 5
    assert all(ast.get_docstring(node) for node in documented)


def test_the_settings_continue_the_project_file() -> None:
    settings = tomllib.loads(first_project.PYPROJECT + first_project.PYTEST_SETTINGS)
    assert settings["tool"]["pytest"]["ini_options"] == {
        "tablewright_design": "PACKAGE.design:design",
        "pythonpath": ["ROOT"],
    }
    assert settings["project"]["dependencies"] == ["tablewright"]


def test_the_workflow_runs_check_and_pytest() -> None:
    yaml: Any = import_module("yaml")  # it has no type stubs
    workflow = yaml.safe_load(first_project.WORKFLOW)
    steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert steps[1:] == ["tablewright check PACKAGE.design:design --format github", "python -m pytest"]
    assert workflow["permissions"] == {"contents": "read"}


def test_nothing_is_suppressed() -> None:
    """The first design has no finding to suppress, so it shows no way around the checks."""
    assert not [rule.code for rule in rules() if any(rule.code in text for text in TEXTS.values())]
