"""Tokens of expressions.

Symbols and keywords are their own kind (`(`, `<=`, `AND`); the others are WORD (a bare name), NAME (`#n`),
VALUE (`:v`), NUMBER and END. Any other character becomes a token of its own, which the grammar rejects.
"""

import re
from typing import NamedTuple

WORD = "word"
NAME = "name"
VALUE = "value"
NUMBER = "number"
END = "<EOF>"

COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})

# A bare name begins with a letter; after # and : any of these characters may come first.
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f]+)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<name>#[A-Za-z0-9_]+)"
    r"|(?P<value>:[A-Za-z0-9_]+)"
    r"|(?P<number>[0-9]+)"
    r"|(?P<symbol><=|>=|<>|.)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A token of an expression, with its position."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str, keywords: frozenset[str]) -> list[Token]:
    """The tokens of `text`, END last. Keywords are recognised in any case.

    >>> [token.kind for token in tokenize("#a between :b", frozenset({"BETWEEN"}))]
    ['name', 'BETWEEN', 'value', '<EOF>']
    """
    tokens = []
    for match in _TOKEN.finditer(text):
        piece = match.group()
        kind = match.lastgroup or ""
        if kind == "space":
            continue
        if kind == "symbol":
            kind = piece
        elif kind == WORD and piece.upper() in keywords:
            kind = piece.upper()
        tokens.append(Token(kind, piece, *match.span()))
    tokens.append(Token(END, END, len(text), len(text)))
    return tokens
