"""Targets of the fuzzer: each parses one input, uses the result, and checks it.

An input gives a result, or an error of the target's own kind with a message. `check` returns what the input
reached: the kinds of the nodes, or the error's message without the parts that depend on the input.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.fuzz.random_grammar import Grammar

_VARYING = re.compile(r'[0-9]+|"[^"]*"|\'[^\']*\'|[;:,] .*|\[.*|\{.*', re.DOTALL)

_PREFIX = re.compile(
    r"^(Statement wasn't well formed, can't be processed|Invalid \w+|One or more .* were invalid): "
)


@dataclass(frozen=True, slots=True)
class Target:
    """A parser, its grammar, and the errors it may raise."""

    name: str
    parse: Callable[[bytes], Iterable[str]]
    grammar: Grammar
    errors: tuple[type[Exception], ...]
    seeds: tuple[bytes, ...]
    longest: int
    """The greatest length that a user can send, or a part of it that takes a parser milliseconds."""
    modules: tuple[str, ...]
    """The packages whose coverage guides the mutations."""

    def check(self, data: bytes) -> set[str]:
        """Parse an input; return what it reached. Every exception that this raises is a bug of the parser."""
        try:
            return set(self.parse(data))
        except self.errors as error:
            message = str(error)
            if not message.strip():
                raise AssertionError(f"{type(error).__name__} without a message") from error
            return {_VARYING.split(_PREFIX.sub("", message), maxsplit=1)[0].strip()}
