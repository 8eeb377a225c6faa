"""Spans of time, as lists are asked for. A span that is left open has the same ends always: cursors hold to them."""

from datetime import UTC, datetime
from typing import TypedDict

from tablewright_systems.api_errors import Invalid


class Span(TypedDict):
    """From when to when, both included."""

    start: datetime
    end: datetime


ALWAYS = Span(start=datetime(1970, 1, 1, tzinfo=UTC), end=datetime(9999, 12, 31, tzinfo=UTC))


def span(start: datetime | None, end: datetime | None) -> Span:
    """The span, open where nothing is said."""
    chosen = Span(start=start or ALWAYS["start"], end=end or ALWAYS["end"])
    if chosen["start"] > chosen["end"]:
        raise Invalid("it ends before it begins", "end")
    return chosen
