"""PartiQL statements: which tables a statement names, and whether it only reads.

A statement is split into tokens, by the lexer of the engine, so that comments and quotes mean the same in both. What is
not understood is rejected: the console must know the table of a statement to hide its secret attributes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tablewright.dynamodb.expressions.partiql.statement_tokens import (
    IDENTIFIER,
    KEYWORD,
    QUOTED,
    Token,
    tokenize,
)
from tablewright.errors import UsageError

_NAMES = (IDENTIFIER, QUOTED)
_BEFORE_TABLE = ("from", "insert_into", "update")
_COMPARING = ("where", "set")


@dataclass(frozen=True)
class Statement:
    """The parts of a statement that the console looks at."""

    text: str
    tables: tuple[str, ...]
    index: str | None
    is_read: bool
    is_whole: bool
    """Whether it selects all attributes: `SELECT * FROM ...`."""
    tokens: tuple[Token, ...]

    def reads_inside(self, names: Iterable[str]) -> str | None:
        """Return the first of these attributes that the statement compares, or selects other than as a whole.

        Parts (`token.part`) have no name that can be hidden, and endpoints other than AWS know aliases and functions.
        """
        known = frozenset(names)
        texts = ("", *(token.text for token in self.tokens), "")
        compares = False
        for place, token in enumerate(self.tokens):
            compares = compares or token.keyword in _COMPARING
            before, after = texts[place], texts[place + 2]
            is_whole = before in ("select", ",", ".") and after in (",", "from")
            is_part = not is_whole if self.is_read else after in (".", "[")
            if token.kind in _NAMES and token.text in known and (compares or is_part):
                return token.text
        return None


def parse_statement(text: object) -> Statement:
    """Return the parts of a statement; `UsageError` if it names no table.

    >>> parse_statement('SELECT * FROM "app-main"."GSI1" WHERE x = 1').tables
    ('app-main',)
    """
    if not isinstance(text, str) or not text.strip():
        raise UsageError("a statement is text such as: SELECT * FROM \"table\" WHERE PK = 'USER#1'")
    tokens = tuple(tokenize(text)[:-1])  # the last one is the end
    tables, index = _tables(tokens)
    if not tables:
        raise UsageError('the statement names no table; write SELECT ... FROM "table"')
    is_read = tokens[0].keyword == "select"
    is_whole = is_read and [token.text for token in tokens[1:2]] == ["*"]
    return Statement(text, tables, index, is_read, is_whole, tokens)


def _tables(tokens: Sequence[Token]) -> tuple[tuple[str, ...], str | None]:
    tables: list[str] = []
    index = None
    for place, token in enumerate(tokens):
        if token.kind != KEYWORD or token.text not in _BEFORE_TABLE:
            continue
        word = token.text.replace("_", " ").upper()
        rest = tokens[place + 1 : place + 4]
        if not rest or rest[0].kind not in _NAMES:
            raise UsageError(f'{word} must be followed by a table; write {word} "table"')
        tables.append(rest[0].text)
        if len(rest) == 3 and rest[1].text == "." and rest[2].kind in _NAMES:
            index = rest[2].text
    if len(tables) > 1:
        raise UsageError("a statement names one table; send one statement for each")
    return tuple(tables), index
