"""The terminal: what is said on it, and colour where a person is looking."""

import os
import sys


def say(text: str) -> None:
    """Print a line at once, so that whoever waits for it sees it."""
    print(text, flush=True)


def bold(text: str) -> str:
    """Emphasis, on a terminal that can show it and a user who has not said NO_COLOR."""
    return _styled(text, "1")


def red(text: str) -> str:
    """What is wrong."""
    return _styled(text, "31")


def yellow(text: str) -> str:
    """What may go wrong."""
    return _styled(text, "33")


def faint(text: str) -> str:
    """What can be passed over."""
    return _styled(text, "2")


def _styled(text: str, style: str) -> str:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\033[{style}m{text}\033[0m"
