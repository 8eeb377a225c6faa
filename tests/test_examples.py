"""The examples run, and the documentation shows their output."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("script", "page"),
    [("quickstart.py", "use-the-engine-alone.md"), ("similar_notes.py", "search-vectors.md")],
)
def test_the_documentation_shows_the_output_of_an_example(script: str, page: str) -> None:
    command = [sys.executable, str(ROOT / "examples" / script)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"```text\n{result.stdout}```" in (ROOT / "docs/how-to" / page).read_text()
