"""The examples run, and the documentation shows their output."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_documentation_shows_the_output_of_the_quickstart() -> None:
    script = ROOT / "examples" / "quickstart.py"
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert f"```text\n{result.stdout}```" in (ROOT / "docs/how-to/use-the-engine-alone.md").read_text()
