"""PartiQL statements: which tables a statement names, and whether it only reads.

A statement is split into tokens; it is not parsed. What is not understood is rejected: the console must know the tables
of a statement to hide their secret attributes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tablewright.errors import UsageError

_TOKEN = re.compile(
    r"""\s+ | '(?:[^']|'')*' | "(?P<quoted>(?:[^"]|"")+)" | (?P<word>[A-Za-z_][A-Za-z0-9_]*) | [0-9.]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_BEFORE_TABLE = ("from", "into", "update")


@dataclass(frozen=True)
class Statement:
    """The parts of a statement that the console looks at."""

    text: str
    tables: tuple[str, ...]
    index: str | None
    is_read: bool
    is_whole: bool
    """Whether it selects all attributes: `SELECT * FROM ...`."""
    tokens: tuple[tuple[str, bool], ...]
    """The tokens in their order, without space; and whether each is a name."""

    def path_into(self, names: Iterable[str]) -> str | None:
        """Return the first of these attributes whose inside the statement selects or compares: `token.part`."""
        known = frozenset(names)
        following = (*(text for text, _ in self.tokens[1:]), "")
        for (text, is_name), after in zip(self.tokens, following, strict=True):
            if is_name and text in known and after in (".", "["):
                return text
        return None


def parse_statement(text: object) -> Statement:
    """Return the parts of a statement; `UsageError` if it names no table.

    >>> parse_statement('SELECT * FROM "app-main"."GSI1" WHERE x = 1').tables
    ('app-main',)
    """
    if not isinstance(text, str) or not text.strip():
        raise UsageError("a statement is text such as: SELECT * FROM \"table\" WHERE PK = 'USER#1'")
    tokens = tuple(_tokens(text))
    tables, index = _tables(tokens)
    if not tables:
        raise UsageError('the statement names no table; write SELECT ... FROM "table"')
    words = [token.lower() for token, is_name in tokens[:2]]
    is_read = words[:1] == ["select"]
    return Statement(text, tables, index, is_read, is_read and words[1:] == ["*"], tokens)


def _tokens(text: str) -> Iterable[tuple[str, bool]]:
    for match in _TOKEN.finditer(text):
        if match["quoted"] is not None:
            yield match["quoted"].replace('""', '"'), True
        elif not match[0].isspace():
            yield match[0], match["word"] is not None


def _tables(tokens: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, ...], str | None]:
    tables: list[str] = []
    index = None
    for place, (text, is_name) in enumerate(tokens):
        if not is_name or text.lower() not in _BEFORE_TABLE:
            continue
        rest = tokens[place + 1 : place + 4]
        if not rest or not rest[0][1]:
            raise UsageError(f'{text.upper()} must be followed by a table; write {text.upper()} "table"')
        tables.append(rest[0][0])
        if len(rest) == 3 and rest[1][0] == "." and rest[2][1]:
            index = rest[2][0]
    return tuple(tables), index
