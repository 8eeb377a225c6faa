"""Updates of items: UpdateExpression and AttributeUpdates.

All right-hand sides are computed from the old item. Then all changes are made on a copy: first values
are set, then elements are appended to lists (in the order of their indexes), then elements are removed from
lists; every index refers to the old list.

The grammars of UpdateExpression and ProjectionExpression.

update      = section+                     each section at most once
section     = "SET" path "=" value ("," ...)*
            | "REMOVE" path ("," path)*
            | ("ADD" | "DELETE") path :value ("," ...)*
value       = operand (("+" | "-") operand)? | "(" value ")"
projection  = path ("," path)*
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NoReturn, Self, TypeAlias

from tablewright.dynamodb.expressions.clauses import reject_count, reject_type
from tablewright.dynamodb.expressions.document_paths import cover, require_disjoint, tree_of
from tablewright.dynamodb.expressions.evaluation import value_at
from tablewright.dynamodb.expressions.grammar import (
    END,
    FUNCTION,
    MISUSE,
    OPERATORS,
    PARENTHESES,
    PATH,
    RESERVED,
    SECTION,
    VALUE,
    Reader,
    invalid,
)
from tablewright.dynamodb.expressions.nodes import (
    Action,
    AddToValue,
    Arithmetic,
    Assign,
    Constant,
    DeleteFromSet,
    FunctionCall,
    Operand,
    Path,
    Reference,
    RemovePath,
    Slot,
    known_type,
    paths_in,
)
from tablewright.dynamodb.expressions.placeholders import Scope, prepared
from tablewright.dynamodb.values.attributes import AttributeValue, Item, in_order, type_of
from tablewright.dynamodb.values.numbers import minus, plus
from tablewright.errors import ValidationError

_RANKING = (RESERVED, PARENTHESES, OPERATORS, FUNCTION, MISUSE, SECTION, PATH)
_SECTIONS = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
_IF_NOT_EXISTS = frozenset({"if_not_exists"})
_UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})


@lru_cache(maxsize=4096)
def parse_update(text: str) -> tuple[Action, ...]:
    """The actions of an UpdateExpression, placeholders unresolved.

    >>> parse_update("REMOVE a.b")
    (RemovePath(path=Path(parts=('a', 'b'))),)
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
            return RemovePath(path)
        if section == "SET":
            self.expect("=")
            return Assign(path, self._value())
        value = Reference(self.expect(VALUE).text)
        return AddToValue(path, value) if section == "ADD" else DeleteFromSet(path, value)

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


_KIND = "UpdateExpression"
_MISSING = "The provided expression refers to an attribute that does not exist in the item"
_WRONG_TYPE = "An operand in the update expression has an incorrect data type"
_WRONG_PATH = "The document path provided in the update expression is invalid for update"
_SETS = frozenset({"SS", "NS", "BS"})
_LONG_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "NULL": "NULL",
    "BOOL": "BOOL",
    "L": "LIST",
    "M": "MAP",
}

Change: TypeAlias = tuple[Path, AttributeValue | None]
"""A path and its new value; None removes the value."""


def update(text: str, scope: Scope) -> "ItemUpdate":
    """The update of `text` with one request's placeholders.

    >>> visit = update("ADD visits :one", Scope(None, {":one": {"N": "1"}}))
    >>> visit.apply({"id": {"S": "x"}, "visits": {"N": "41"}})
    {'id': {'S': 'x'}, 'visits': {'N': '42'}}
    """
    return ItemUpdate(_actions(text, scope), scope.values)


@prepared
def _actions(text: str, scope: Scope) -> "Actions":
    actions = tuple([_resolved(action, scope) for action in parse_update(text)])
    require_disjoint([action.path for action in actions], _KIND)
    try:
        check_actions(actions)
    except ValidationError as error:
        raise invalid(_KIND, error.message) from None
    return Actions(actions)


def check_actions(actions: tuple[Action, ...]) -> None:
    """Reject bound actions with invalid operands."""
    for action in actions:
        if isinstance(action, AddToValue | DeleteFromSet):
            _check_element_type(action)
    for action in actions:
        if isinstance(action, Assign):
            _check_operand(action.value)


class Actions(tuple[Action, ...]):
    """The actions of an update, and the facts about them that depend on no item and no value."""

    paths: tuple[Path, ...]
    """The paths that the actions change."""
    attributes: tuple[str, ...]
    """The top-level attributes that the actions change, in the order they appear."""
    nested_attributes: frozenset[str]
    """The top-level attributes of nested paths that the actions change or read."""
    only_remove: bool
    """Whether the actions only remove values."""

    def __new__(cls, actions: Iterable[Action]) -> Self:
        """Actions, already checked."""
        self = super().__new__(cls, actions)
        self.paths = tuple([action.path for action in self])
        self.attributes = tuple(dict.fromkeys(path.attribute for path in self.paths))
        self.nested_attributes = frozenset(path.attribute for path in _all_paths(self) if len(path.parts) > 1)
        self.only_remove = bool(self) and all(
            isinstance(action, RemovePath | DeleteFromSet) for action in self
        )
        return self


def _all_paths(actions: Iterable[Action]) -> Iterator[Path]:
    for action in actions:
        yield action.path
        if isinstance(action, Assign):
            yield from paths_in(action.value)


class ItemUpdate:
    """Actions on an item, with the values for their slots.

    `mismatch` is the message when a value does not have the type that an action needs.
    """

    __slots__ = ("_mismatch", "_values", "actions")

    def __init__(
        self,
        actions: Actions,
        values: Mapping[str, AttributeValue] = MappingProxyType({}),
        mismatch: str = _WRONG_TYPE,
    ) -> None:
        self.actions = actions
        self._values = values
        self._mismatch = mismatch

    def __repr__(self) -> str:
        return f"Update({', '.join(map(repr, self.actions))}, values={dict(self._values)})"

    def apply(self, item: Item) -> Item:
        """The updated item; the given one is not changed."""
        changes = [(action.path, self._value(action, item)) for action in self.actions]
        changed = dict(item)
        nested = []
        for path, value in changes:
            if len(path.parts) == 1:
                _place(changed, path.attribute, value)
            else:
                nested.append((path, value))
        if nested:
            _change_inside(changed, item, nested)
        return changed

    @property
    def named_attributes(self) -> tuple[str, ...]:
        """The top-level attributes that the actions change or read, in the order they appear."""
        return tuple(dict.fromkeys(path.attribute for path in _all_paths(self.actions)))

    def touched(self, item: Item) -> Item:
        """The part of an item, old or new, at the paths that the update changes."""
        return cover(tree_of(self.actions.paths), item)

    def fixed_value(self, operand: Operand) -> AttributeValue | None:
        """The value of an operand that does not depend on the item; None for all others."""
        if isinstance(operand, Slot):
            return self._values[operand.name]
        return operand.value if isinstance(operand, Constant) else None

    def _value(self, action: Action, item: Item) -> AttributeValue | None:
        if isinstance(action, Assign):
            return self._evaluate(action.value, item)
        if isinstance(action, RemovePath):
            return None
        old = value_at(item, action.path.parts)
        operand = self._evaluate(action.value, item)
        return self._sum(old, operand) if isinstance(action, AddToValue) else self._difference(old, operand)

    def _evaluate(self, operand: Operand, item: Item) -> AttributeValue:
        if isinstance(operand, Slot):
            return self._values[operand.name]
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, Path):
            value = value_at(item, operand.parts)
            if value is None:
                raise ValidationError(_MISSING)
            return value
        if isinstance(operand, Arithmetic):
            one, other = self._content("N", operand.left, item), self._content("N", operand.right, item)
            return {"N": plus(one, other) if operand.operator == "+" else minus(one, other)}
        match operand:
            case FunctionCall("if_not_exists", (Path(parts), default)):
                value = value_at(item, parts)
                return self._evaluate(default, item) if value is None else value
            case FunctionCall("list_append", (first, second)):
                return {"L": [*self._content("L", first, item), *self._content("L", second, item)]}
            case _:
                raise AssertionError(f"not bound: {operand}")

    def _content(self, kind: str, operand: Operand, item: Item) -> Any:
        value = self._evaluate(operand, item)
        if kind not in value:
            self._reject_type()
        return value[kind]

    def _sum(self, old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
        if old is None:
            return value
        kind = type_of(value)
        if kind not in old:
            self._reject_type()
        if kind == "N":
            return {"N": plus(old["N"], value["N"])}
        if kind == "L":
            return {"L": [*old["L"], *value["L"]]}
        return {kind: in_order({*old[kind], *value[kind]}, kind)}

    def _difference(self, old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
        if old is None:
            return None
        kind = type_of(value)
        if kind not in old:
            self._reject_type()
        gone = set(value[kind])
        left = [element for element in old[kind] if element not in gone]
        return {kind: left} if left else None

    def _reject_type(self) -> NoReturn:
        raise ValidationError(self._mismatch)


def _change_inside(changed: Item, item: Item, changes: list[Change]) -> None:
    """Apply nested changes to the attributes of `changed`, on copies of the values in `item`."""
    for name in {path.attribute for path, _ in changes}:
        if name in item:
            changed[name] = _copy(item[name])
    appended: list[tuple[int, list[Any], AttributeValue]] = []
    removed: list[tuple[int, list[Any]]] = []
    for container, key, value in [(*_target(changed, path), value) for path, value in changes]:
        if isinstance(container, dict):
            _place(container, key, value)
        elif key >= len(container):
            if value is not None:
                appended.append((key, container, value))
        elif value is None:
            removed.append((key, container))
        else:
            container[key] = value
    for _, elements, value in sorted(appended, key=lambda entry: entry[0]):
        elements.append(value)
    for index, elements in sorted(removed, key=lambda entry: entry[0], reverse=True):
        del elements[index]


def _target(item: Item, path: Path) -> tuple[Any, Any]:
    """The map or list that contains the last part of a nested path, and that part."""
    last = path.parts[-1]
    value = value_at(item, path.parts[:-1])
    container = None if value is None else value.get("M" if isinstance(last, str) else "L")
    if container is None:
        raise ValidationError(_WRONG_PATH)
    return container, last


def _place(members: dict[str, Any], key: str, value: AttributeValue | None) -> None:
    if value is None:
        members.pop(key, None)
    else:
        members[key] = value


def _copy(value: AttributeValue) -> AttributeValue:
    """A copy of all nested maps and lists; scalars are never changed in place."""
    if "M" in value:
        return {"M": {name: _copy(member) for name, member in value["M"].items()}}
    if "L" in value:
        return {"L": [_copy(element) for element in value["L"]]}
    return value


def _resolved(action: Action, scope: Scope) -> Action:
    path = scope.resolve_path(action.path, _KIND)
    if isinstance(action, RemovePath):
        return RemovePath(path)
    return type(action)(path, scope.resolve(action.value, _KIND))


def _check_element_type(action: AddToValue | DeleteFromSet) -> None:
    kind = known_type(action.value)
    assert kind is not None
    if kind in _SETS or (kind == "N" and isinstance(action, AddToValue)):
        return
    operator = "ADD" if isinstance(action, AddToValue) else "DELETE"
    raise ValidationError(
        "Incorrect operand type for operator or function; "
        f"operator: {operator}, operand type: {_LONG_NAMES[kind]}, typeSet: ALLOWED_FOR_{operator}_OPERAND"
    )


def _check_operand(operand: Operand) -> None:
    match operand:
        case FunctionCall(function, operands):
            for inner in operands:
                _check_operand(inner)
            _check_call(function, operands)
        case Arithmetic(sign, left, right):
            _check_operand(left)
            _check_operand(right)
            _require_type(sign, "N", left, right)


def _check_call(function: str, operands: tuple[Operand, ...]) -> None:
    if len(operands) != 2:
        reject_count(function, len(operands))
    if function == "list_append":
        _require_type(function, "L", *operands)
    elif not isinstance(operands[0], Path):
        raise ValidationError(
            f"Operator or function requires a document path; operator or function: {function}"
        )


def _require_type(operator: str, expected: str, *operands: Operand) -> None:
    for operand in operands:
        kind = known_type(operand)
        if kind is not None and kind != expected:
            reject_type(operator, kind)
