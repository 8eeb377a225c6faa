"""Messages about many things: those that differ only in a value are one line with a count and three examples."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

EXAMPLES = 3
LISTED = 10
"""Groups of up to so many messages are listed one by one."""
_VALUES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+(?:[.,]\d+)*")


def grouped_lines(
    things: Iterable[T],
    message: Callable[[T], str],
    name: Callable[[T], str],
    line: Callable[[T], str],
    noun: str = "item",
) -> Iterator[str]:
    """Return the lines to print, the largest group first.

    Things are of one group when their messages differ only in values. A small group has the `line` of each thing, a
    large one a line with its count, the message, and the names of three.

    >>> list(grouped_lines(range(8000), lambda n: f"{n} is odd", str, str))
    ['8,000 items: ... is odd; for example 0, 1, 2']
    """
    groups: dict[str, list[T]] = {}
    for thing in things:
        groups.setdefault(_VALUES.sub("...", message(thing)), []).append(thing)
    for summary, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        if len(members) <= LISTED:
            yield from map(line, members)
            continue
        messages = {message(member) for member in members}
        shown = messages.pop() if len(messages) == 1 else summary
        examples = ", ".join(map(name, members[:EXAMPLES]))
        yield f"{len(members):,} {noun}s: {shown}; for example {examples}"
