"""The limits of expressions, placeholders and PartiQL statements."""

from collections.abc import Callable
from typing import Any

from tests.engine.limits.limit import Limit, Request, calling
from tests.engine.limits.limit_tables import PLAIN, SORTED, text

TOPIC = "Expressions"
TOO_LONG = "Expression size has exceeded the maximum allowed size"
KEY = {"p": {"S": "expressions"}}
MB = 1024 * 1024


def _put(**more: Any) -> Request:
    return {"TableName": PLAIN, "Item": KEY, **more}


def _update(**more: Any) -> Request:
    return {"TableName": PLAIN, "Key": KEY, **more}


def _get(**more: Any) -> Request:
    return {"TableName": PLAIN, "Key": KEY, **more}


def _query(**more: Any) -> Request:
    return {
        "TableName": PLAIN,
        "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": {"S": "k"}},
        **more,
    }


def padded(expression: str, size: int) -> str:
    """The expression with spaces, so that it has that size."""
    return expression.replace(" ", " " * (size - len(expression) + 1), 1)


def _size(kind: str, operation: str, request: Callable[[str], Request], expression: str) -> Limit:
    return Limit(
        TOPIC,
        f"size of {kind}",
        calling(operation, lambda size: request(padded(expression, size))),
        most=4096,
        unit="bytes",
        above=f"Invalid {kind}: {TOO_LONG}",
        shown="4 KB",
    )


SIZES = (
    _size(
        "ConditionExpression",
        "PutItem",
        lambda text: _put(ConditionExpression=text),
        "attribute_exists(p) OR attribute_not_exists(p)",
    ),
    _size("UpdateExpression", "UpdateItem", lambda text: _update(UpdateExpression=text), "REMOVE a"),
    _size("FilterExpression", "Query", lambda text: _query(FilterExpression=text), "NOT attribute_exists(a)"),
    _size("KeyConditionExpression", "Query", lambda text: _query(KeyConditionExpression=text), "p = :p"),
    _size("ProjectionExpression", "GetItem", lambda text: _get(ProjectionExpression=text), "a, b"),
)


def _filter_of(operators: int) -> Request:
    """A filter with that many operators: comparisons, the ANDs between them, and a NOT if the number is even."""
    expression = " AND ".join(["a=b"] * ((operators + 1) // 2))
    return _query(FilterExpression=expression if operators % 2 else f"NOT {expression}")


def _update_of(operators: int) -> Request:
    """An update with that many additions."""
    additions = ",".join(f"a{number}=:o+:o" for number in range(operators))
    return _update(UpdateExpression=f"SET {additions}", ExpressionAttributeValues={":o": {"N": "1"}})


def _in(count: int, placeholder: str = ":v") -> str:
    return f"a IN ({','.join([placeholder] * count)})"


def _values_in(count: int) -> Request:
    return _query(FilterExpression=_in(count), ExpressionAttributeValues={":p": {"S": "k"}, ":v": {"S": "x"}})


COUNTS = (
    Limit(
        TOPIC,
        "operators of a condition or a filter",
        calling("Query", _filter_of),
        most=300,
        above="The expression contains too many operators; operator count: 301",
    ),
    Limit(
        TOPIC,
        "operators of an update",
        calling("UpdateItem", _update_of),
        most=300,
        above="The expression contains too many operators; operator count: 301",
    ),
    Limit(
        TOPIC,
        "operands of IN",
        calling("Query", _values_in),
        least=1,
        most=100,
        below="Syntax error",
        above="The IN operator is provided with too many operands; number of operands: 101",
    ),
    Limit(
        TOPIC,
        "levels of a document path",
        calling("GetItem", lambda levels: _get(ProjectionExpression=".".join(["a"] * levels))),
        least=1,
        most=32,
        below="The expression can not be empty",
        above="The document path has too many nesting levels; nesting levels: 33",
    ),
    Limit(
        TOPIC,
        "index of a list element in a path",
        calling("GetItem", lambda number: _get(ProjectionExpression=f"a[{number}]")),
        least=0,
        most=2**31 - 1,
        below="Syntax error",
        above="List index is not within the allowable range",
    ),
)


def _name(size: int) -> Request:
    placeholder = "#" + "n" * (size - 1)
    return _get(ProjectionExpression=placeholder, ExpressionAttributeNames={placeholder: "a"})


def _value(size: int) -> Request:
    placeholder = ":" + "v" * (size - 1)
    return _put(
        ConditionExpression=f"absent <> {placeholder}", ExpressionAttributeValues={placeholder: {"S": "x"}}
    )


def _substituted(size: int) -> Request:
    """Placeholders, names and values that have that many bytes together."""
    placeholders = {f":{number:03}": text(250_000) for number in range(8)}
    used = sum(len(name) + 250_000 for name in placeholders) + len("#na") + len(":pk")
    placeholders[":rest"] = text(size - used - len(":rest"))
    return _query(
        FilterExpression=f"#n IN ({','.join(placeholders)})",
        ExpressionAttributeNames={"#n": "a"},
        ExpressionAttributeValues={**placeholders, ":p": {"S": "k"}},
    )


PLACEHOLDERS = (
    Limit(
        TOPIC,
        "placeholder of a name, with its #",
        calling("GetItem", _name),
        least=2,
        most=255,
        unit="bytes",
        below="Syntax error",
        above="The expression attribute map contains a key that is too long",
    ),
    Limit(
        TOPIC,
        "placeholder of a value, with its colon",
        calling("PutItem", _value),
        least=2,
        most=255,
        unit="bytes",
        below="Syntax error",
        above="The expression attribute map contains a key that is too long",
    ),
    Limit(
        TOPIC,
        "all placeholders of a request, with their names and values",
        calling("Query", _substituted),
        most=2 * MB,
        unit="bytes",
        above="Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size",
        shown="2 MB",
    ),
)


def _select(size: int) -> Request:
    statement = f"SELECT * FROM \"{PLAIN}\" WHERE p = 'k'"
    return {"Statement": padded(statement, size) if size else ""}


def _partiql_in(count: int) -> Request:
    return {
        "Statement": f'SELECT * FROM "{PLAIN}" WHERE {_in(count, "?")}',
        "Parameters": [{"S": str(number)} for number in range(count)],
    }


def _keys_in(count: int) -> Request:
    places = ",".join(["?"] * count)
    return {
        "Statement": f'SELECT * FROM "{SORTED}" WHERE p IN ({places}) ORDER BY p',
        "Parameters": [{"S": str(number)} for number in range(count)],
    }


def _batch_of(count: int) -> Request:
    return {"Statements": [_one_item(number) for number in range(count)]}


def _one_item(number: int) -> Request:
    return {"Statement": f"SELECT * FROM \"{PLAIN}\" WHERE p = '{number}'"}


PARTIQL = (
    Limit(
        "PartiQL",
        "statement",
        calling("ExecuteStatement", _select),
        least=1,
        most=8192,
        unit="characters",
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 8192",
    ),
    Limit(
        "PartiQL",
        "operands of IN",
        calling("ExecuteStatement", _partiql_in),
        most=100,
        above="IN",
    ),
    Limit(
        "PartiQL",
        "partition keys of IN",
        calling("ExecuteStatement", _keys_in),
        most=50,
        above="Too many decomposed read operations for a given query.",
    ),
    Limit(
        "PartiQL",
        "statements of BatchExecuteStatement",
        calling("BatchExecuteStatement", _batch_of),
        least=1,
        most=25,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 25",
    ),
    Limit(
        "PartiQL",
        "statements of ExecuteTransaction",
        calling("ExecuteTransaction", lambda count: {"TransactStatements": _batch_of(count)["Statements"]}),
        least=1,
        most=100,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 100",
    ),
)

LIMITS = (*SIZES, *COUNTS, *PLACEHOLDERS, *PARTIQL)
