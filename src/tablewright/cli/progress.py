"""What commands that go over whole tables share: how fast they may be, and the bar that shows how far they are."""

import argparse
from typing import TYPE_CHECKING, Self

from tablewright.cli.output import Progress

if TYPE_CHECKING:
    from tablewright.connections import Connection


def rate_argument(parser: argparse.ArgumentParser) -> None:
    """How fast to go."""
    parser.add_argument(
        "--rate", metavar="UNITS", type=_rate, help="capacity units to consume in a second, at most"
    )


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not rate > 0:
        raise argparse.ArgumentTypeError(f"{text} is no rate; give units a second, such as 50")
    return rate


class Bar:
    """Shows how far the way over a table has come; the next way begins anew."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._progress: Progress | None = None
        self._table = ""
        self._seen = 0

    def show(self, table: str, seen: int, told: str = "") -> None:
        """So many items of a table were seen."""
        if self._progress is None or table != self._table or seen < self._seen:
            described = self._connection.call("DescribeTable", {"TableName": table})["Table"]
            self._progress = Progress(described.get("ItemCount", 0), f"items of {table}")
            self._table, self._seen = table, 0
        self._progress.step(told, seen - self._seen)
        self._seen = seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
