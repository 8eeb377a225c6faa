"""The grammar of PartiQL's expressions: operators by precedence, terms, paths, literals.

    expression = prefix (infix-operator expression)*        the higher the precedence, the tighter it binds
    prefix     = ("+" | "-" | "NOT") ... | term path-step*
    term       = name | literal | "?" | call | "(" expression ("," expression)* ")"
               | "[" ... "]" | "<<" ... ">>" | "{" key ":" value, ... "}" | statement

Error messages are PartiQL's own, in the order of its parser.

Document paths as statements write them: `a.b[0]."c d"`.
"""

from collections.abc import Callable
from typing import TypeVar

from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.partiql.statement_nodes import (
    Access,
    CallNode,
    Collection,
    Ion,
    Literal,
    Missing,
    Name,
    Node,
    OperationNode,
    ParameterNode,
    Step,
    Struct,
    TypeTest,
)
from tablewright.dynamodb.expressions.partiql.statement_tokens import (
    BOOLEAN,
    EOF,
    FUNCTION_WORDS,
    IDENTIFIER,
    KEYWORD,
    NUMBER,
    OPERATOR,
    QUOTED,
    STRING,
    TYPES,
    StatementToken,
    malformed,
    negated,
    tokenize,
)
from tablewright.errors import ValidationError

MAX_INDEX = 2**31 - 1


def path_of(node: Node) -> Path | None:
    """The document path of a node; None when it is no path.

    >>> from tablewright.dynamodb.expressions.partiql.statement_tokens import TextSpan
    >>> print(path_of(Name("a", TextSpan(1, 1, 1))))
    [a]
    """
    match node:
        case Name(text):
            return Path((_require_content(text),))
        case Access(Name(text), steps):
            return Path((_require_content(text), *map(_part, steps)))
        case Access():
            raise ValidationError("Unexpected path component")
        case _:
            return None


def column_name(path: Path) -> str:
    """The column name of a path in a select list: its last name, with the indexes after it.

    >>> column_name(Path(("m", "k", 0)))
    'k[0]'
    """
    last = max(at for at, part in enumerate(path.parts) if isinstance(part, str))
    return str(path.parts[last]) + "".join(f"[{index}]" for index in path.parts[last + 1 :])


def _part(step: Step) -> str | int:
    match step.content:
        case None if step.bracketed:
            raise ValidationError("Wildcard path component like a[*].b are not supported")
        case None:
            raise ValidationError("Unpivot path component like a.*.b are not supported")
        case Name(text) if not step.bracketed:
            return _require_content(text)
        case Literal("S", text):
            return _require_content(text)
        case Literal("N", numeral, span) if numeral.lstrip("-").isdigit():
            if numeral.startswith("-") or len(numeral) > len(str(MAX_INDEX)) or int(numeral) > MAX_INDEX:
                raise ValidationError(
                    f"List index is not within the allowable range; index: [{numeral}] at {span}"
                )
            return int(numeral)
        case _:
            raise ValidationError(f"Unexpected path component at {step.span}")


def _require_content(name: str) -> str:
    if not name:
        raise ValidationError("Path component cannot be an empty string")
    return name


# Deeper than any value or sensible condition. A level takes up to seven calls, and Python allows a thousand.
MAX_DEPTH = 100

SELECT_PRECEDENCE = 6
_NOT_PRECEDENCE = 30
_PRECEDENCES = {
    **dict.fromkeys(("union", "union_all", "except", "except_all", "intersect", "intersect_all"), 5),
    "or": 10,
    "and": 20,
    **dict.fromkeys(("=", "<>", "is", "is_not", "in", "not_in"), 40),
    **dict.fromkeys(("<", "<=", ">", ">=", "between", "not_between", "like", "not_like"), 50),
    **dict.fromkeys(("+", "-", "||"), 60),
    **dict.fromkeys(("*", "/", "%"), 70),
}
_NEGATED = {"not_in": "in", "not_between": "between", "not_like": "like", "is_not": "is"}
_NAMES = (IDENTIFIER, QUOTED)

T = TypeVar("T")


class ExpressionReader:
    """A cursor over the tokens of one statement."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.position = 0
        self.parameters = 0
        self._depth = 0

    @property
    def token(self) -> StatementToken:
        """The token under the cursor."""
        return self.tokens[self.position]

    def at(self, *kinds: str) -> bool:
        """Whether the cursor is on a token of one of these kinds."""
        return self.token.kind in kinds

    def at_word(self, *words: str) -> bool:
        """Whether the cursor is on one of these keywords or operators."""
        return self.token.keyword in words

    def step(self) -> StatementToken:
        """Consume the next token, of any kind."""
        token = self.token
        self.position += 1
        return token

    def accept(self, kind: str) -> bool:
        """Consume a token of that kind, if it is next; return whether it was."""
        if self.token.kind != kind:
            return False
        self.position += 1
        return True

    def accept_word(self, word: str) -> bool:
        """Consume that keyword, if it is next; return whether it was."""
        if self.token.keyword != word:
            return False
        self.position += 1
        return True

    def expect(self, kind: str) -> None:
        """Consume a token of that kind, which must be next."""
        if not self.accept(kind):
            raise malformed(f"Expected {kind}")

    def separated(self, read: Callable[[], T]) -> tuple[T, ...]:
        """One or more elements, separated by commas."""
        elements = [read()]
        while self.accept("COMMA"):
            elements.append(read())
        return tuple(elements)

    def expression(self, precedence: int = -1) -> Node:
        """An expression whose operators all bind tighter than `precedence`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise malformed()
        node = self._prefix()
        links = 0
        while precedence < self._precedence():
            operator = self.step()
            node = self._infix(node, operator)
            links += operator.text not in ("and", "or")
            if links > MAX_DEPTH:
                raise malformed()
        self._depth -= 1
        return node

    def _precedence(self) -> int:
        token = self.token
        if token.kind == "STAR":
            return _PRECEDENCES["*"]
        return _PRECEDENCES.get(token.text, -1) if token.kind == OPERATOR else -1

    def _infix(self, left: Node, token: StatementToken) -> Node:
        operator = token.text
        positive = _NEGATED.get(operator, operator)
        if positive == "is":
            node: Node = TypeTest(left, self._type(), token.span)
        elif positive == "in" and self.at("LEFT_PAREN") and not self._at_subquery():
            opening = self.step()
            choices = Collection("List", self.separated(self.expression), opening.span)
            self.expect("RIGHT_PAREN")
            node = OperationNode("in", (left, choices), token.span)
        else:
            node = self._binary(left, positive, token)
        return OperationNode("not", (node,), token.span) if operator in _NEGATED else node

    def _at_subquery(self) -> bool:
        return self.tokens[self.position + 1].keyword in ("select", "values")

    def _binary(self, left: Node, operator: str, token: StatementToken) -> Node:
        if self.at(EOF):
            raise malformed("Missing right-hand side expression of infix operator")
        right = self.expression(_PRECEDENCES[operator])
        if operator == "between":
            if not self.accept_word("and"):
                raise malformed("Expected AND keyword")
            if self.at(EOF):
                raise malformed("Expected expression after AND")
            return OperationNode(operator, (left, right, self.expression(_PRECEDENCES[operator])), token.span)
        if operator == "like" and self.accept_word("escape"):
            return OperationNode(operator, (left, right, self.expression(_PRECEDENCES[operator])), token.span)
        if operator in ("and", "or") and isinstance(left, OperationNode) and left.operator == operator:
            return OperationNode(operator, (*left.operands, right), token.span)
        return OperationNode(operator, (left, right), token.span)

    def _type(self) -> str:
        name = self.token.keyword
        if name not in TYPES:
            raise malformed("Expected type name")
        self.position += 1
        if self.accept("LEFT_PAREN"):
            parameters = self.separated(self.expression)
            self.expect("RIGHT_PAREN")
            if len(parameters) > TYPES[name]:
                raise malformed(f"is type argument {name} must have arity of 0..{TYPES[name]}")
        return name

    def _prefix(self) -> Node:
        token = self.token
        if token.kind != OPERATOR or token.text not in ("+", "-", "not"):
            return self.path(self.term())
        self.position += 1
        if token.text == "not":
            return OperationNode("not", (self.expression(_NOT_PRECEDENCE),), token.span)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise malformed()
        operand = self._prefix()
        self._depth -= 1
        match operand:
            case Literal("N", numeral, span):
                return Literal("N", negated(numeral) if token.text == "-" else numeral, span)
        return OperationNode(token.text, (operand,), token.span)

    def path(self, root: Node, *, simple: bool = False) -> Node:
        """The path after a term; a simple path has names and literals only."""
        steps = []
        while self.at("DOT", "LEFT_BRACKET"):
            steps.append(self._bracket(simple) if self.at("LEFT_BRACKET") else self._dot(simple))
        return Access(root, tuple(steps), root.span) if steps else root  # type: ignore[union-attr]

    def _dot(self, simple: bool) -> Step:
        self.position += 1
        token = self.step()
        if token.kind in _NAMES:
            return Step(Name(token.text, token.span), False, token.span)
        if token.kind != "STAR":
            raise malformed("Invalid path dot component")
        if simple:
            raise malformed("Invalid path dot component for simple path")
        return Step(None, False, token.span)

    def _bracket(self, simple: bool) -> Step:
        self.position += 1
        token = self.token
        if self.accept("STAR"):
            self.expect("RIGHT_BRACKET")
            return Step(None, True, token.span)
        inner = self.expression()
        self.expect("RIGHT_BRACKET")
        if simple and not isinstance(inner, Literal | Name | Missing | Ion):
            raise malformed("Invalid path component for simple path")
        return Step(inner, True, token.span)

    def simple_path(self) -> Node:
        """A path that begins with a name, as the target of a change must."""
        if not self.at(*_NAMES):
            raise malformed("Expected identifier for simple path")
        token = self.step()
        return self.path(Name(token.text, token.span), simple=True)

    def term(self) -> Node:
        """A term: an operand between operators."""
        token = self.token
        match token.kind:
            case "IDENTIFIER" | "QUOTED_IDENTIFIER":
                self.position += 1
                if self.at("LEFT_PAREN"):
                    return self._call(token)
                return Name(token.text, token.span)
            case "STRING" | "NUMBER" | "BOOLEAN" | "NULL":
                self.position += 1
                return Literal(_LITERAL_TYPES[token.kind], token.text, token.span)
            case "QUESTION_MARK":
                self.position += 1
                self.parameters += 1
                return ParameterNode(self.parameters - 1, token.span)
            case "MISSING":
                self.position += 1
                return Missing(token.span)
            case "ION_LITERAL":
                self.position += 1
                return Ion(token.text, token.span)
            case "LEFT_PAREN":
                return self._group()
            case "LEFT_BRACKET" | "LEFT_DOUBLE_ANGLE_BRACKET":
                return self._collection()
            case "LEFT_CURLY":
                return self._struct()
            case "KEYWORD":
                return self.keyword_term()
            case "OPERATOR":
                raise malformed("Unexpected operator")
            case _:
                raise malformed("Unexpected term")

    def keyword_term(self) -> Node:
        """A term that begins with a keyword."""
        token = self.token
        if token.text in FUNCTION_WORDS and self.tokens[self.position + 1].kind == "LEFT_PAREN":
            self.position += 1
            return self._call(token)
        raise malformed("Unexpected keyword")

    def _call(self, name: StatementToken) -> Node:
        self.position += 1
        function = name.text.lower()
        if self.at("STAR"):
            if name.kind != KEYWORD or function != "count":
                raise malformed(f"{name.text}(*) is not allowed")
            self.position += 1
            self.expect("RIGHT_PAREN")
            return CallNode(function, (), name.span, star=True)
        if self.accept("RIGHT_PAREN"):
            return CallNode(function, (), name.span)
        arguments = self.separated(self.expression)
        self.expect("RIGHT_PAREN")
        return CallNode(function, arguments, name.span)

    def _group(self) -> Node:
        opening = self.step()
        members = self.separated(self.expression)
        self.expect("RIGHT_PAREN")
        return members[0] if len(members) == 1 else Collection("List", members, opening.span)

    def _collection(self) -> Node:
        opening = self.step()
        kind = "List" if opening.kind == "LEFT_BRACKET" else "Bag"
        closing = opening.kind.replace("LEFT", "RIGHT")
        if self.accept(closing):
            return Collection(kind, (), opening.span)
        members = self.separated(self.expression)
        self.expect(closing)
        return Collection(kind, members, opening.span)

    def _struct(self) -> Node:
        opening = self.step()
        if self.accept("RIGHT_CURLY"):
            return Struct((), opening.span)
        members = self.separated(self._member)
        self.expect("RIGHT_CURLY")
        return Struct(members, opening.span)

    def _member(self) -> tuple[Node, Node]:
        key = self.expression()
        self.expect("COLON")
        return key, self.expression()


_LITERAL_TYPES = {STRING: "S", NUMBER: "N", BOOLEAN: "BOOL", "NULL": "NULL"}
