"""The terminal: what is said on it, and colour where a person is looking."""

import os
import sys
from types import TracebackType
from typing import Self


def say(text: str) -> None:
    """Print a line at once, so that whoever waits for it sees it."""
    print(text, flush=True)


def bold(text: str) -> str:
    """Emphasis, on a terminal that can show it and a user who has not said NO_COLOR."""
    return _styled(text, "1")


def red(text: str) -> str:
    """What is wrong."""
    return _styled(text, "31")


def green(text: str) -> str:
    """What is as it should be."""
    return _styled(text, "32")


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


class Progress:
    """A bar that shows how far long work has come, to a person who is looking; anybody else sees nothing.

    >>> with Progress(2, "tables") as progress:
    ...     progress.step("Users")
    """

    WIDTH = 30

    def __init__(self, total: int, what: str) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def step(self, told: str = "", count: int = 1) -> None:
        """So much more is done."""
        self._done += count
        if self._is_shown:
            share = min(self._done / self._total, 1.0) if self._total else 1.0
            bar = ("█" * round(share * self.WIDTH)).ljust(self.WIDTH, "░")
            print(
                f"\r{bar} {self._done}/{self._total} {self._what} {told}\033[K",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
