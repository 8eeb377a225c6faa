"""Tokens of statements.

Kinds have PartiQL's own names, because error messages show them ("Expected RIGHT_PAREN"). Words are recognised in any
case; two words that belong together (NOT IN, INSERT INTO) make one token.
"""

import re
from typing import NamedTuple

from tablewright.dynamodb.expressions.partiql.keywords import (
    KEYWORDS,
    PAIRS,
    TOKEN_WORDS,
    TYPE_ALIASES,
    WORD_OPERATORS,
)
from tablewright.errors import ValidationError

IDENTIFIER = "IDENTIFIER"
QUOTED = "QUOTED_IDENTIFIER"
KEYWORD = "KEYWORD"
OPERATOR = "OPERATOR"
STRING = "STRING"
NUMBER = "NUMBER"
BOOLEAN = "BOOLEAN"
ION = "ION_LITERAL"
EOF = "EOF"

_PUNCTUATION = {
    "(": "LEFT_PAREN",
    ")": "RIGHT_PAREN",
    "[": "LEFT_BRACKET",
    "]": "RIGHT_BRACKET",
    "{": "LEFT_CURLY",
    "}": "RIGHT_CURLY",
    "<<": "LEFT_DOUBLE_ANGLE_BRACKET",
    ">>": "RIGHT_DOUBLE_ANGLE_BRACKET",
    ".": "DOT",
    "*": "STAR",
    ",": "COMMA",
    ":": "COLON",
    ";": "SEMICOLON",
    "?": "QUESTION_MARK",
}

_TOKEN = re.compile(
    r"(?P<space>[\r\n\t\v\f ]+|--[^\r\n]*|/\*.*?\*/)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?P<torn>[eE])?)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<ion>`[^`]*`)"
    r"|(?P<open_comment>/\*)"
    r"|(?P<punctuation><<|>>|[()\[\]{}.*,:;?])"
    r"|(?P<operator><=|>=|<>|!=|\|\||[-+/%=<>@])",
    re.DOTALL,
)
_NEW_LINE = re.compile(r"\r\n|\r|\n")
_INT32 = range(-(2**31), 2**31)
_INT32_DIGITS = 10


class Span(NamedTuple):
    """The position of a token, as AWS shows it: line, column and length, all counted from one.

    >>> print(Span(1, 8, 3))
    1:8:3
    """

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


class Token(NamedTuple):
    """A token. `text` is its content: unquoted, and in lower case if it is a keyword or operator."""

    kind: str
    text: str
    span: Span

    @property
    def keyword(self) -> str | None:
        """The keyword or operator; None for names, literals and parameters."""
        return self.text if self.kind in _LANGUAGE else None


_LANGUAGE = frozenset({OPERATOR, KEYWORD, "AS", "AT", "MISSING", "NULL"})


def malformed(detail: str = "") -> ValidationError:
    """The error for a statement that cannot be parsed."""
    return ValidationError(f"Statement wasn't well formed, can't be processed: {detail}")


def tokenize(text: str) -> list[Token]:
    """The tokens of a statement, EOF last.

    >>> [token.kind for token in tokenize("SELECT * FROM \\"t\\" -- all")]
    ['KEYWORD', 'STAR', 'KEYWORD', 'QUOTED_IDENTIFIER', 'EOF']
    """
    tokens: list[Token] = []
    line, line_start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise malformed()
        group, piece = match.lastgroup or "", match.group()
        if group != "space":
            span = Span(line, position - line_start + 1, len(piece))
            _append(tokens, _token("torn" if match["torn"] else group, piece, span))
        for ending in _NEW_LINE.finditer(piece):
            line, line_start = line + 1, position + ending.end()
        position = match.end()
    tokens.append(Token(EOF, EOF, Span(line, position - line_start + 1, 0)))
    return tokens


def _token(group: str, piece: str, span: Span) -> Token:
    match group:
        case "word":
            return _word(piece, span)
        case "number":
            return Token(NUMBER, _number(piece), span)
        case "string":
            return Token(STRING, piece[1:-1].replace("''", "'"), span)
        case "quoted":
            return Token(QUOTED, piece[1:-1].replace('""', '"'), span)
        case "ion":
            return Token(ION, piece[1:-1], span)
        case "punctuation":
            return Token(_PUNCTUATION[piece], piece, span)
        case "operator":
            return Token(OPERATOR, "<>" if piece == "!=" else piece, span)
        case _:
            raise malformed()


def _word(piece: str, span: Span) -> Token:
    word = piece.lower()
    if word in WORD_OPERATORS:
        return Token(OPERATOR, word, span)
    if word in TOKEN_WORDS:
        return Token(TOKEN_WORDS[word], word, span)
    if word in ("true", "false"):
        return Token(BOOLEAN, word, span)
    if word in KEYWORDS:
        return Token(KEYWORD, TYPE_ALIASES.get(word, word), span)
    return Token(IDENTIFIER, piece, span)


def _number(piece: str) -> str:
    if not is_decimal(piece):
        raise malformed()
    return piece


def is_decimal(numeral: str) -> bool:
    """Whether exponent and scale of a numeral fit in 32 bits, as Java's decimals require.

    >>> is_decimal("1e2147483647"), is_decimal("1e2147483648"), is_decimal("1.5e-2147483647")
    (True, False, False)
    """
    mantissa, _, exponent = numeral.lower().partition("e")
    if len(exponent.lstrip("+-0")) > _INT32_DIGITS:
        return False
    power = int(exponent or 0)
    return power in _INT32 and len(mantissa.partition(".")[2]) - power in _INT32


def negated(numeral: str) -> str:
    """The numeral with the opposite sign.

    >>> negated("1.5"), negated("-2"), negated("0")
    ('-1.5', '2', '0')
    """
    if numeral.startswith("-"):
        return numeral[1:]
    # An integer has no negative zero; a decimal has.
    return numeral if not numeral.strip("0") else f"-{numeral}"


def is_negative_zero(numeral: str) -> bool:
    """Whether a numeral is a zero with a sign."""
    return numeral.startswith("-") and not numeral[1:].lower().partition("e")[0].strip("0.")


def _append(tokens: list[Token], token: Token) -> None:
    """Add a token; two words that form a pair become one token."""
    if tokens and token.keyword is not None and (before := tokens[-1]).keyword is not None:
        pair = PAIRS.get((before.text, token.text))
        if pair is not None:
            kind = OPERATOR if before.kind == OPERATOR else KEYWORD
            tokens[-1] = Token(kind, pair, before.span)
            return
    tokens.append(token)
