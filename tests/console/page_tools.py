"""The npm packages that check the page; `make setup` installs them beside the virtual environment."""

import os
import sys
from pathlib import Path

import pytest

MODULES = Path(sys.prefix) / "node" / "node_modules"


def npm_file(path: str) -> Path:
    """Return a file of an npm package; without npm, skip loudly, or fail where everything is required."""
    found = MODULES / path
    if not found.exists():
        reason = f"NO NPM PACKAGES: {path} is missing. Install Node.js with npm, and run: make clean setup"
        if os.environ.get("TABLEWRIGHT_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found
