"""`tablewright-systems verify`."""

import json
import re
from pathlib import Path

from systems.tests.commands.runner import error_line, run_here

README = Path(__file__).parents[3] / "README.md"


def test_a_row_for_each_proof(tmp_path: Path) -> None:
    result = run_here("verify", "student_hub", cwd=tmp_path)
    assert result.returncode == 0
    assert "47 of 47 passed" in result.stdout
    printed = {" ".join(line.split()) for line in result.stdout.splitlines()}
    shown = re.findall(r"^(?:REQUIREMENT|A\d+) +.*$", README.read_text(), re.MULTILINE)
    assert len(shown) == 4
    assert {" ".join(line.split()) for line in shown} <= printed
    assert "…" not in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_and_json(tmp_path: Path) -> None:
    results = json.loads(run_here("verify", "boards", "--on", "new.db", "--json", cwd=tmp_path).stdout)
    assert {result["system"] for result in results} == {"boards"}
    assert all(result["ok"] for result in results)
    assert (tmp_path / "new.db").exists()


def test_an_unknown_system(tmp_path: Path) -> None:
    assert error_line("verify", "unknown", cwd=tmp_path).startswith(
        "unknown system 'unknown'; the systems are:"
    )
