"""The types of the page: JSDoc, checked by TypeScript."""

import subprocess
from pathlib import Path

from tests.console.page_tools import npm_file

CONFIGURATION = Path(__file__).parent / "node"


def test_the_page_has_no_type_errors() -> None:
    compiler = npm_file("typescript/bin/tsc")
    result = subprocess.run(
        ["node", str(compiler), "-p", str(CONFIGURATION)], capture_output=True, text=True, timeout=120
    )
    assert result.stdout == ""
    assert result.returncode == 0
