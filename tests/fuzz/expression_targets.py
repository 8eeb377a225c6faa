"""Targets for expressions and PartiQL statements. What parses is bound, evaluated, written as text and parsed again."""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from tablewright.dynamodb.expressions import Scope, condition, key_condition, projection, update
from tablewright.dynamodb.expressions.condition import parse_condition
from tablewright.dynamodb.expressions.partiql import parse
from tablewright.dynamodb.expressions.update import parse_projection, parse_update
from tablewright.dynamodb.limits import MAX_EXPRESSION_SIZE
from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure, ServiceError
from tests.engine.statements import TABLES
from tests.fuzz import grammars, unparse
from tests.fuzz.random_grammar import Grammar
from tests.fuzz.target import Target

_MODULES = (
    "tablewright.dynamodb.expressions",
    "tablewright.engine.core.partiql",
    "tablewright.dynamodb.values",
)

NAMES = {"#n": "a", "#m": "deep", "#h": "pk"}
VALUES: dict[str, Any] = {
    ":s": {"S": "x"},
    ":n": {"N": "1"},
    ":b": {"B": "YWJj"},
    ":t": {"BOOL": True},
    ":z": {"NULL": True},
    ":l": {"L": [{"N": "1"}]},
    ":m": {"M": {"k": {"S": "v"}}},
    ":ss": {"SS": ["x", "y"]},
    ":ns": {"NS": ["1", "2"]},
    ":bs": {"BS": ["YWJj"]},
}
ITEM: Item = {
    "pk": {"S": "p"},
    "sk": {"S": "1"},
    "a": {"N": "1"},
    "b": {"SS": ["x"]},
    "deep": {"M": {"a": {"L": [{"S": "x"}, {"N": "2"}]}, "b": {"M": {"a": {"N": "3"}}}}},
}


def text_of(data: bytes) -> str:
    """An input as text; JSON has no other text."""
    return data.decode("utf-8", "replace")


def _require_same(text: str, node: object, again: Callable[[str], object]) -> None:
    if len(text.encode()) <= MAX_EXPRESSION_SIZE:
        assert again(text) == node, f"{text!r} has other nodes: {node}"


def kinds_in(node: Any) -> Iterator[str]:
    """The kinds of nodes in a tree, functions and operators by name. The stack is a list: trees may be deep."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple | list):
            waiting.extend(node)
        if is_dataclass(node):
            detail = getattr(node, "function", None) or getattr(node, "operator", None) or ""
            yield f"{type(node).__name__} {detail}".strip()
            waiting.extend(getattr(node, each.name) for each in fields(node))


def _condition(data: bytes) -> Iterable[str]:
    text = text_of(data)
    node = parse_condition(text, "FilterExpression")
    again = unparse.condition_text(node)
    _require_same(again, node, lambda text: parse_condition(text, "FilterExpression"))
    bound = condition(text, Scope(NAMES, VALUES), "FilterExpression")
    assert not (bound.matches(ITEM) and condition(f"NOT ({again})", Scope(NAMES, VALUES)).matches(ITEM))
    bound.matches(None)
    return kinds_in(node)


def _key_condition(data: bytes) -> Iterable[str]:
    text = text_of(data)
    found = key_condition(text, Scope(NAMES, VALUES)).match(["pk"], ["sk"], {"pk": "S", "sk": "S"})
    assert len(found.hash_values) == 1
    return [f"KeyRange {found.operator} {len(found.prefix)}"]


def _update(data: bytes) -> Iterable[str]:
    text = text_of(data)
    actions = parse_update(text)
    _require_same(unparse.update_text(actions), actions, parse_update)
    before = deepcopy(ITEM)
    change = update(text, Scope(NAMES, VALUES))
    try:
        changed = change.apply(ITEM)
    finally:
        assert before == ITEM, "the given item was changed"
    # What an update makes of valid values is valid, and already in the stored form.
    assert admit_item(changed)[0] == changed
    return kinds_in(actions)


def _projection(data: bytes) -> Iterable[str]:
    text = text_of(data)
    paths = parse_projection(text)
    _require_same(unparse.projection_text(paths), paths, parse_projection)
    chosen = projection(text, Scope(NAMES)).of(ITEM)
    assert chosen.keys() <= ITEM.keys()
    return [f"{len(paths[:3])} paths, {len(chosen)} found"]


@cache
def _database() -> Database:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    return database


def _partiql(data: bytes) -> Iterable[str]:
    text = text_of(data)
    node, parameters = parse(text)
    reached = set(kinds_in(node))
    database = _database()
    database.call("PutItem", {"TableName": "pairs", "Item": ITEM})
    for given in ([{"S": "p"}] * parameters, [{"S": "p"}, {"N": "1"}, {"L": []}][:parameters]):
        request: dict[str, Any] = {"Statement": text} | ({"Parameters": given} if given else {})
        try:
            reply = database.call("ExecuteStatement", request)
        except InternalFailure as error:
            raise error.__cause__ or error from None
        reached.add(f"run, {len(reply['Items'][:2])} items")
    return reached


def _target(
    name: str,
    parse: Callable[[bytes], Iterable[str]],
    grammar: Grammar,
    *seeds: str,
    longest: int = MAX_EXPRESSION_SIZE,
) -> Target:
    return Target(
        name, parse, grammar, (ServiceError,), tuple(seed.encode() for seed in seeds), longest, _MODULES
    )


TARGETS = (
    _target(
        "condition",
        _condition,
        grammars.CONDITION,
        "a = :n AND NOT (contains(b, :s) OR size(deep.a[0]) > :n)",
        "#n BETWEEN :n AND :n",
    ),
    _target("key condition", _key_condition, grammars.KEY_CONDITION, "pk = :s AND begins_with(sk, :s)"),
    _target(
        "update",
        _update,
        grammars.UPDATE,
        "SET a = a + :n, deep.a = list_append(deep.a, :l) REMOVE deep.b, c ADD b :ss DELETE d :ss",
    ),
    _target("projection", _projection, grammars.PROJECTION, "a, deep.a[0], #m.b.a"),
    _target(
        "PartiQL",
        _partiql,
        grammars.PARTIQL,
        "SELECT a, deep.a[0] FROM \"pairs\" WHERE pk = 'p' AND sk > '0' ORDER BY sk DESC",
        "UPDATE pairs SET a = a + 1 REMOVE b WHERE pk = ? AND sk = '1' RETURNING ALL NEW *",
        "INSERT INTO pairs VALUE {'pk': 'q', 'sk': '1', 'a': <<1, 2>>, 'm': {'x': [NULL]}}",
        longest=8192,
    ),
)
