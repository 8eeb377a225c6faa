"""The two distributions: what their wheels contain and require, and the lock files that pin it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BASE = {"apsw", "boto3", "cryptography", "orjson", "pydantic", "rich", "shtab"}
HEAVY = {"amazon-ion", "numpy", "uvloop"}
"""Packages that only extras bring."""


@pytest.fixture(scope="module", params=["tablewright", "tablewright-systems"])
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    project = ROOT / "systems" if request.param == "tablewright-systems" else ROOT
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=project, check=True, capture_output=True, timeout=120)
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_a_wheel_has_its_own_package_and_command(wheel: zipfile.ZipFile) -> None:
    packages = {name.partition("/")[0] for name in wheel.namelist() if ".dist-info" not in name}
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    commands = wheel.read(entry_points).decode()
    if packages == {"tablewright"}:
        assert "tablewright = tablewright.cli:main" in commands
        assert "tablewright/console/page/index.html" in wheel.namelist()
        assert "tablewright/py.typed" in wheel.namelist()
    else:
        assert packages == {"tablewright_systems"}
        assert "tablewright-systems = tablewright_systems.commands:main" in commands
        assert "tablewright_systems/web/pages/start.html" in wheel.namelist()


def test_a_base_install_is_light() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    assert names == BASE
    assert set(project["optional-dependencies"]) == {"console", "ion", "server", "vectors"}


def test_the_locks_agree() -> None:
    everything, runtime = pins("requirements.lock"), pins("requirements-run.lock")
    assert runtime.items() <= everything.items()
    assert BASE | {"uvloop", "fastapi", "hatchling"} <= set(runtime)
    assert not {"numpy", "amazon-ion", "pytest", "mypy", "awscli"} & set(runtime)
    assert set(everything) >= HEAVY
