"""The grammars of UpdateExpression and ProjectionExpression.

update      = section+                     each section at most once
section     = "SET" path "=" value ("," ...)*
            | "REMOVE" path ("," path)*
            | ("ADD" | "DELETE") path :value ("," ...)*
value       = operand (("+" | "-") operand)? | "(" value ")"
projection  = path ("," path)*
"""

from functools import lru_cache

from tablewright.dynamodb.expressions.grammar import (
    FUNCTION,
    MISUSE,
    OPERATORS,
    PARENTHESES,
    PATH,
    RESERVED,
    SECTION,
    Reader,
)
from tablewright.dynamodb.expressions.nodes import (
    Action,
    Add,
    Arithmetic,
    Assign,
    Delete,
    Operand,
    Path,
    Reference,
    Remove,
)
from tablewright.dynamodb.expressions.tokens import END, VALUE

_RANKING = (RESERVED, PARENTHESES, OPERATORS, FUNCTION, MISUSE, SECTION, PATH)
_SECTIONS = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
_IF_NOT_EXISTS = frozenset({"if_not_exists"})
_UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})


@lru_cache(maxsize=4096)
def parse_update(text: str) -> tuple[Action, ...]:
    """The actions of an UpdateExpression, placeholders unresolved.

    >>> parse_update("REMOVE a.b")
    (Remove(path=Path(parts=('a', 'b'))),)
    """
    reader = _UpdateReader(text, "UpdateExpression")
    actions = reader.actions()
    reader.settle(_RANKING)
    return actions


@lru_cache(maxsize=4096)
def parse_projection(text: str) -> tuple[Path, ...]:
    """The paths of a ProjectionExpression, placeholders unresolved.

    >>> [str(path) for path in parse_projection("a, b[0].c")]
    ['[a]', '[b, [0], c]']
    """
    reader = Reader(text, "ProjectionExpression")
    paths = [reader.path()]
    while reader.accept(","):
        paths.append(reader.path())
    reader.expect(END)
    reader.settle(_RANKING)
    return tuple(paths)


class _UpdateReader(Reader):
    keywords = _SECTIONS
    # AWS rejects list_append inside any function, though if_not_exists may be nested in both.
    nestable = _IF_NOT_EXISTS

    def actions(self) -> tuple[Action, ...]:
        actions: list[Action] = []
        seen: set[str] = set()
        while not self.at(END) or not actions:
            section = self.token.kind
            if section not in _SECTIONS:
                self.unexpected()
            self.position += 1
            if section in seen:
                self.fault(SECTION, f'The "{section}" section can only be used once in an update expression;')
            seen.add(section)
            actions.append(self._action(section))
            while self.accept(","):
                actions.append(self._action(section))
        return tuple(actions)

    def _action(self, section: str) -> Action:
        path = self.path()
        if section == "REMOVE":
            return Remove(path)
        if section == "SET":
            self.expect("=")
            return Assign(path, self._value())
        value = Reference(self.expect(VALUE).text)
        return Add(path, value) if section == "ADD" else Delete(path, value)

    def _value(self) -> Operand:
        groups = 0
        while self.at_group():
            self.position += 1
            groups += 1
        if groups > 1:
            self.redundant()
        value = self.operand()
        if self.at("+") or self.at("-"):
            value = self._arithmetic(value)
        else:
            self.require_use(value, _UPDATE_FUNCTIONS)
        for _ in range(groups):
            self.expect(")")
        return value

    def _arithmetic(self, left: Operand) -> Arithmetic:
        operator = self.token.kind
        self.position += 1
        self.operator()
        right = self.operand()
        self.require_use(left, _IF_NOT_EXISTS)
        self.require_use(right, _IF_NOT_EXISTS)
        return Arithmetic(operator, left, right)
