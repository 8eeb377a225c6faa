"""A feature is removed with its folder and its line: the rest of the engine passes its tests.

In a copy, the folder of the feature, its tests and its line in the list are removed, and with it the features that need
it. Tests elsewhere that use the feature, by one of its words or through another module of tests, are left out: they
test both.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tablewright.engine.feature_list import FEATURES

ROOT = Path(__file__).parents[2]
WORDS = {
    "authorization": ("ResourcePolicy", "authoriz"),
    "backups": ("Backup", "PointInTime", "enable_recovery", "Recovery", "archive", "Copying", "recovery"),
    "bulk": ("bulk_put", "BulkOperation", "BulkPutItems"),
    "exports": ("Export",),
    "faults": ("Faults", "faulty"),
    "imports": ("ImportTable", "Import"),
    "insights": ("Insights", "contributors"),
    "kinesis": ("Kinesis", "kinesis"),
    "vectors": ("Vector", "vector"),
    "ttl": ("TimeToLive", "enable_ttl", "expir", "Expiry", "streaming", "EXPIRY"),
}
"""The features that can be removed, with the words by which other tests use them."""
KEPT = {
    "replicas": "`engine.regions` and the server's peers are built on it",
    "streams": "replicas need it",
}
"""The features that cannot be removed, each with the reason."""
OF_ALL_FEATURES = (
    "test_absent_features.py",
    "test_removed_features.py",
    "test_required_permissions.py",
    "test_table_permissions.py",
    "test_unsupported.py",
)
"""Tests that need every feature: they compare what there is with AWS's API."""
SMALL = ("core/operations/test_put_item.py", "core/operations/test_create_table.py", "core/test_plugs.py")


def test_every_feature_can_be_removed_or_has_a_reason() -> None:
    assert {feature.name for feature in FEATURES} == WORDS.keys() | KEPT.keys()


def test_the_engine_works_without_insights(tmp_path: Path) -> None:
    run_without("insights", tmp_path, [f"tests/engine/{name}" for name in SMALL])


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(WORDS))
def test_the_engine_works_without_a_feature(name: str, tmp_path: Path) -> None:
    run_without(
        name, tmp_path, ["tests/engine", "--ignore=tests/engine/crash", "--ignore=tests/engine/limits"]
    )


def run_without(name: str, folder: Path, tests: list[str]) -> None:
    """Run tests in a copy without a feature."""
    copy(folder)
    gone = removed_with(name)
    for feature in gone:
        remove(folder, feature)
    environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        *tests,
    ]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800
    )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-2000:]


def removed_with(name: str) -> list[str]:
    """The feature, and those that need it."""
    gone = [name]
    for feature in FEATURES:
        if set(feature.needs) & set(gone):
            gone.append(feature.name)
    return gone


def copy(folder: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    for name in ("tests", "benchmarks", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)


def remove(folder: Path, feature: str) -> None:
    shutil.rmtree(folder / "src/tablewright/engine/features" / feature)
    shutil.rmtree(folder / "tests/engine/features" / feature, ignore_errors=True)
    listed = folder / "src/tablewright/engine/feature_list.py"
    lines = listed.read_text().splitlines(keepends=True)
    listed.write_text("".join(line for line in lines if not re.match(rf"    {feature}(\.FEATURE)?,\n", line)))
    words = re.compile("|".join((*WORDS[feature], rf"features\.{feature}\b")))
    texts = {
        path: path.read_text()
        for path in (folder / "tests/engine").rglob("*.py")
        if path.stem not in ("conftest", "__init__")
    }
    using = {path for path, text in texts.items() if path.name in OF_ALL_FEATURES or words.search(text)}
    left_out: set[Path] = set()
    while using - left_out:
        left_out |= using
        stems = "|".join(path.stem for path in left_out)
        names = re.compile(
            rf"^from tests\.engine(\.[\w.]*\b({stems}) import|[\w.]* import[^.]*\b({stems})\b)", re.M
        )
        using = {path for path, text in texts.items() if names.search(text)}
    for path in left_out:
        if path.stem.startswith("test_"):
            path.unlink()
