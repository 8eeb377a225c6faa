"""Tokens of statements.

Kinds have PartiQL's own names, because error messages show them ("Expected RIGHT_PAREN"). Words are recognised in any
case; two words that belong together (NOT IN, INSERT INTO) make one token.

Keywords of PartiQL, which cannot be names without quotes, in any case: those of SQL-92, and PartiQL's own.

Source: the PartiQL specification and the keyword list of its reference implementation.
"""

import re
from typing import NamedTuple

from tablewright.errors import ValidationError

KEYWORDS = frozenset(
    """
    absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bigint
    bit bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded case cast catalog char char_length
    character character_length check clob close coalesce collate collation column commit conflict connect connection
    constraint constraints continue convert corresponding count create cross current current_date current_time
    current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable
    deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop else end escape
    except exception exec execute exists external extract false fetch first float for foreign found from full get
    global go goto grant group having identity immediate in index indicator initially inner input insensitive insert
    int int2 int4 int8 integer integer2 integer4 integer8 intersect interval into is isolation join key language last
    left let level like limit list local lower match max min missing modified module names national natural nchar new
    next no not nothing null nullif numeric octet_length of offset old on only open option or order outer output
    overlaps pad partial pivot position precision prepare preserve primary prior privileges procedure public read real
    references relative remove restrict returning revoke right rollback rows schema scroll section select session
    session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string struct substring sum symbol
    system_user table temporary then time timestamp to transaction translate translation trim true tuple union unique
    unknown unpivot update upper usage user using value values varchar varying view when whenever where with work
    write zone
    """.split()
)

# Words that are always operators.
WORD_OPERATORS = frozenset(
    {"and", "or", "not", "is", "in", "between", "like", "union", "except", "intersect"}
)

# Words with a token kind of their own.
TOKEN_WORDS = {
    "as": "AS",
    "at": "AT",
    "by": "BY",
    "for": "FOR",
    "null": "NULL",
    "missing": "MISSING",
    "asc": "ASC",
    "desc": "DESC",
}

# Two words that are read as one token.
PAIRS = {
    ("not", "in"): "not_in",
    ("is", "not"): "is_not",
    ("not", "between"): "not_between",
    ("not", "like"): "not_like",
    ("union", "all"): "union_all",
    ("except", "all"): "except_all",
    ("intersect", "all"): "intersect_all",
    ("character", "varying"): "character_varying",
    ("double", "precision"): "double_precision",
    ("insert", "into"): "insert_into",
    ("on", "conflict"): "on_conflict",
    ("do", "nothing"): "do_nothing",
    ("modified", "old"): "modified_old",
    ("modified", "new"): "modified_new",
    ("all", "old"): "all_old",
    ("all", "new"): "all_new",
}

TYPE_ALIASES = {
    "varchar": "character_varying",
    "char": "character",
    "dec": "decimal",
    "int": "integer",
    "int2": "smallint",
    "integer2": "smallint",
    "int4": "integer4",
    "int8": "integer8",
    "bigint": "integer8",
    "bool": "boolean",
}

# The maximum number of parameters of a type, as in DECIMAL(10, 2).
TYPES = {
    **dict.fromkeys(
        "missing null boolean smallint integer4 integer8 integer real double_precision timestamp date string symbol "
        "clob blob struct tuple list sexp bag any".split(),
        0,
    ),
    **dict.fromkeys(("float", "time", "character", "character_varying"), 1),
    **dict.fromkeys(("decimal", "numeric"), 2),
}

# Keywords that may be called as functions.
FUNCTION_WORDS = frozenset(
    "exists count avg max min sum substring char_length character_length octet_length bit_length upper lower size "
    "sexp list bag".split()
)


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


class TextSpan(NamedTuple):
    """The position of a token, as AWS shows it: line, column and length, all counted from one.

    >>> print(TextSpan(1, 8, 3))
    1:8:3
    """

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


class StatementToken(NamedTuple):
    """A token. `text` is its content: unquoted, and in lower case if it is a keyword or operator."""

    kind: str
    text: str
    span: TextSpan

    @property
    def keyword(self) -> str | None:
        """The keyword or operator; None for names, literals and parameters."""
        return self.text if self.kind in _LANGUAGE else None


_LANGUAGE = frozenset({OPERATOR, KEYWORD, "AS", "AT", "MISSING", "NULL"})


def malformed(detail: str = "") -> ValidationError:
    """The error for a statement that cannot be parsed."""
    return ValidationError(f"Statement wasn't well formed, can't be processed: {detail}")


def tokenize(text: str) -> list[StatementToken]:
    """The tokens of a statement, EOF last.

    >>> [token.kind for token in tokenize("SELECT * FROM \\"t\\" -- all")]
    ['KEYWORD', 'STAR', 'KEYWORD', 'QUOTED_IDENTIFIER', 'EOF']
    """
    tokens: list[StatementToken] = []
    line, line_start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise malformed()
        group, piece = match.lastgroup or "", match.group()
        if group != "space":
            span = TextSpan(line, position - line_start + 1, len(piece))
            _append(tokens, _token("torn" if match["torn"] else group, piece, span))
        for ending in _NEW_LINE.finditer(piece):
            line, line_start = line + 1, position + ending.end()
        position = match.end()
    tokens.append(StatementToken(EOF, EOF, TextSpan(line, position - line_start + 1, 0)))
    return tokens


def _token(group: str, piece: str, span: TextSpan) -> StatementToken:
    match group:
        case "word":
            return _word(piece, span)
        case "number":
            return StatementToken(NUMBER, _number(piece), span)
        case "string":
            return StatementToken(STRING, piece[1:-1].replace("''", "'"), span)
        case "quoted":
            return StatementToken(QUOTED, piece[1:-1].replace('""', '"'), span)
        case "ion":
            return StatementToken(ION, piece[1:-1], span)
        case "punctuation":
            return StatementToken(_PUNCTUATION[piece], piece, span)
        case "operator":
            return StatementToken(OPERATOR, "<>" if piece == "!=" else piece, span)
        case _:
            raise malformed()


def _word(piece: str, span: TextSpan) -> StatementToken:
    word = piece.lower()
    if word in WORD_OPERATORS:
        return StatementToken(OPERATOR, word, span)
    if word in TOKEN_WORDS:
        return StatementToken(TOKEN_WORDS[word], word, span)
    if word in ("true", "false"):
        return StatementToken(BOOLEAN, word, span)
    if word in KEYWORDS:
        return StatementToken(KEYWORD, TYPE_ALIASES.get(word, word), span)
    return StatementToken(IDENTIFIER, piece, span)


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


def _append(tokens: list[StatementToken], token: StatementToken) -> None:
    """Add a token; two words that form a pair become one token."""
    if tokens and token.keyword is not None and (before := tokens[-1]).keyword is not None:
        pair = PAIRS.get((before.text, token.text))
        if pair is not None:
            kind = OPERATOR if before.kind == OPERATOR else KEYWORD
            tokens[-1] = StatementToken(kind, pair, before.span)
            return
    tokens.append(token)
