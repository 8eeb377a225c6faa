"""Parameters and results are statically typed: type checkers run on a sample that includes mistakes.

Every mistake in the sample carries an ignore, and an ignore that nothing needs is an error; so both correct and
wrong uses are tested.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SAMPLE = Path(__file__).parent / "typed_sample.py"


def check(*command: str, where: Path = ROOT) -> None:
    result = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=where)
    assert result.returncode == 0, result.stdout + result.stderr


def check_with_mypy(sample: Path) -> None:
    check("mypy", "--strict", "--warn-unused-ignores", str(sample))


def check_with_pyright(sample: Path, folder: Path) -> None:
    settings = {
        "include": [str(sample)],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "standard",
        "reportUnusedExpression": False,
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    check("basedpyright", "-p", str(folder), where=folder)


def test_the_sample_passes_mypy() -> None:
    check_with_mypy(SAMPLE)


def test_the_sample_passes_pyright(tmp_path: Path) -> None:
    check_with_pyright(SAMPLE, tmp_path)
