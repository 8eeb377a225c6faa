"""The shared parts of all expression grammars: a cursor over tokens, document paths, operands, errors.

There are two kinds of faults. A syntax error ends the parse at once. Any other fault (a reserved word, an unknown
function, redundant parentheses) is recorded and the parse continues, because AWS reports a syntax error further right
first, and has a ranking of the other faults: `Reader.settle` raises the one that ranks first.

Nothing here recurses on nesting: 4 KB of opening parentheses must not exhaust Python's stack.

Tokens of expressions.

Symbols and keywords are their own kind (`(`, `<=`, `AND`); the others are WORD (a bare name), NAME (`#n`),
VALUE (`:v`), NUMBER and END. Any other character becomes a token of its own, which the grammar rejects.
"""

import re
from dataclasses import field
from typing import NamedTuple, NoReturn

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.expressions.nodes import FunctionCall, Operand, Path, Reference
from tablewright.dynamodb.expressions.reserved_words import is_reserved
from tablewright.dynamodb.limits import MAX_EXPRESSION_SIZE
from tablewright.errors import ValidationError

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


class ExpressionToken(NamedTuple):
    """A token of an expression, with its position."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str, keywords: frozenset[str]) -> list[ExpressionToken]:
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
        tokens.append(ExpressionToken(kind, piece, *match.span()))
    tokens.append(ExpressionToken(END, END, len(text), len(text)))
    return tokens


MAX_OPERATORS = 300
MAX_PATH_DEPTH = 32
MAX_INDEX = 2**31 - 1

# The kinds of fault that do not end a parse.
PARENTHESES = "parentheses"
OPERATORS = "operators"
FUNCTION = "function"
MISUSE = "misuse"
RESERVED = "reserved"
SECTION = "section"
PATH = "path"

FUNCTIONS = frozenset(
    {
        "attribute_exists",
        "attribute_not_exists",
        "attribute_type",
        "begins_with",
        "contains",
        "if_not_exists",
        "list_append",
        "size",
    }
)

_CONNECTIVES = COMPARATORS | {"+", "-", "AND", "OR", "NOT", "BETWEEN", "IN"}


def invalid(kind: str, message: str) -> ValidationError:
    """The error of an invalid expression, in AWS's form; `kind` is the request's parameter."""
    return ValidationError(f"Invalid {kind}: {message}")


@dataclass(slots=True)
class _Enclosure:
    """An open parenthesis: of a call when it has a function, otherwise of a group."""

    function: str = ""
    operands: list[Operand] = field(default_factory=list)


class Reader:
    """A cursor over the tokens of one expression."""

    keywords: frozenset[str] = frozenset()
    nestable: frozenset[str] = frozenset()
    """The functions that may be operands of functions."""
    grouped_paths = False
    """Whether a path may continue after a parenthesis: `(a.b).c`."""

    def __init__(self, text: str, kind: str) -> None:
        self.kind = kind
        self.text = text
        if not text.strip():
            raise invalid(kind, "The expression can not be empty;")
        if len(text) > MAX_EXPRESSION_SIZE or len(text.encode()) > MAX_EXPRESSION_SIZE:
            # AWS does not show the size of an update.
            size = "" if kind == "UpdateExpression" else f" expression size: {len(text.encode())}"
            raise invalid(kind, f"Expression size has exceeded the maximum allowed size;{size}")
        self.tokens = tokenize(text, self.keywords)
        self.position = 0
        self.operators = 0
        self.faults: dict[str, str] = {}
        self.compound = _compound_groups(self.tokens)

    @property
    def token(self) -> ExpressionToken:
        """The token under the cursor."""
        return self.tokens[self.position]

    def at(self, kind: str) -> bool:
        """Whether the cursor is on a token of that kind."""
        return self.tokens[self.position].kind == kind

    def at_group(self) -> bool:
        """Whether the cursor opens a group with an operator in it, rather than a parenthesised operand."""
        return self.position in self.compound

    def accept(self, kind: str) -> bool:
        """Consume a token of that kind, if it is next; return whether it was."""
        if self.tokens[self.position].kind != kind:
            return False
        self.position += 1
        return True

    def expect(self, kind: str) -> ExpressionToken:
        """Consume a token of that kind, which must be next."""
        token = self.token
        if token.kind != kind:
            self.unexpected()
        self.position += 1
        return token

    def unexpected(self) -> NoReturn:
        """Reject the token under the cursor, quoting its neighbours as AWS does."""
        at = self.position
        first = self.tokens[max(at - 1, 0)]
        last = self.tokens[min(at + 1, len(self.tokens) - 1)]
        near = self.text[first.start : last.end].rstrip()
        raise invalid(self.kind, f'Syntax error; token: "{self.token.text}", near: "{near}"')

    def fault(self, sort: str, message: str) -> None:
        """Record a fault that does not end the parse; only the first of its sort is kept."""
        self.faults.setdefault(sort, message)

    def settle(self, ranking: tuple[str, ...]) -> None:
        """Raise the recorded fault that ranks first."""
        for sort in ranking:
            if sort in self.faults:
                raise invalid(self.kind, self.faults[sort])

    def operator(self) -> None:
        """Count an operator."""
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            self.fault(
                OPERATORS,
                f"The expression contains too many operators; operator count: {MAX_OPERATORS + 1}",
            )

    def redundant(self) -> None:
        """Record redundant parentheses."""
        self.fault(PARENTHESES, "The expression has redundant parentheses;")

    def require_use(self, operand: Operand, allowed: frozenset[str]) -> None:
        """Record a function where only `allowed` functions may be used."""
        if isinstance(operand, FunctionCall) and operand.function not in allowed:
            self.fault(
                MISUSE,
                "The function is not allowed to be used this way in an expression; "
                f"function: {operand.function}",
            )

    def path(self) -> Path:
        """A document path: `a.#b[3].c`."""
        return self._path([self._element()])

    def _path(self, parts: list[str | int]) -> Path:
        while True:
            if self.accept("."):
                parts.append(self._element())
            elif self.accept("["):
                parts.append(self._index())
                self.expect("]")
            else:
                break
        if len(parts) > MAX_PATH_DEPTH:
            message = f"The document path has too many nesting levels; nesting levels: {len(parts)}"
            self.fault(PATH, message)
        return Path(tuple(parts), any(isinstance(part, str) and part[0] == "#" for part in parts))

    def _element(self) -> str:
        token = self.token
        if token.kind not in (WORD, NAME):
            self.unexpected()
        self.position += 1
        if token.kind == WORD and is_reserved(token.text):
            message = f"Attribute name is a reserved keyword; reserved keyword: {token.text}"
            self.fault(RESERVED, message)
        return token.text

    def _index(self) -> int:
        index = int(self.expect(NUMBER).text)
        if index > MAX_INDEX:
            self.fault(PATH, f"List index is not within the allowable range; index: [{index}]")
        return index

    def operand(self) -> Operand:
        """A path, a value, a function call, or any of them in parentheses."""
        open_: list[_Enclosure] = []
        while True:
            if self._opens(open_):
                continue
            operand = self._atom()
            wrapped = False
            while open_ and not (open_[-1].function and self.accept(",")):
                operand, wrapped = self._close(open_.pop(), operand, wrapped)
            if not open_:
                return operand
            open_[-1].operands.append(operand)

    def _opens(self, open_: list[_Enclosure]) -> bool:
        if self.accept("("):
            open_.append(_Enclosure())
            return True
        if not self.at(WORD) or self.tokens[self.position + 1].kind != "(":
            return False
        function = self.token.text
        self.position += 2
        if function not in FUNCTIONS:
            self.fault(FUNCTION, f"Invalid function name; function: {function}")
        open_.append(_Enclosure(function))
        return True

    def _atom(self) -> Operand:
        token = self.token
        if token.kind == VALUE:
            self.position += 1
            return Reference(token.text)
        return self.path()

    def _close(self, enclosure: _Enclosure, operand: Operand, wrapped: bool) -> tuple[Operand, bool]:
        self.expect(")")
        if enclosure.function:
            return self._call(enclosure.function, (*enclosure.operands, operand)), False
        if wrapped:
            self.redundant()
        if self.grouped_paths and isinstance(operand, Path) and (self.at(".") or self.at("[")):
            return self._path(list(operand.parts)), False
        return operand, True

    def _call(self, function: str, operands: tuple[Operand, ...]) -> FunctionCall:
        for operand in operands:
            self.require_use(operand, self.nestable)
        return FunctionCall(function, operands)


def _compound_groups(tokens: list[ExpressionToken]) -> frozenset[int]:
    """The positions of opening parentheses that contain an operator, at any depth."""
    compound = set()
    open_: list[int] = []
    for position, token in enumerate(tokens):
        if token.kind == "(":
            open_.append(position)
        elif token.kind == ")" and open_:
            closed = open_.pop()
            if closed in compound and open_:
                compound.add(open_[-1])
        elif token.kind in _CONNECTIVES and open_:
            compound.add(open_[-1])
    return frozenset(compound)
