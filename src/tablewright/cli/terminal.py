"""The terminal: what is said on it, and colour where a person is looking."""

import os
import sys


def say(text: str) -> None:
    """Print a line at once, so that whoever waits for it sees it."""
    print(text, flush=True)


def bold(text: str) -> str:
    """Emphasis, on a terminal that can show it and a user who has not said NO_COLOR."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\033[1m{text}\033[0m"
