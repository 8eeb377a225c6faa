"""The examples run, and the README shows what they print."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_readme_shows_what_the_quickstart_prints() -> None:
    script = ROOT / "examples" / "quickstart.py"
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert f"```text\n{answer.stdout}```" in (ROOT / "README.md").read_text()
