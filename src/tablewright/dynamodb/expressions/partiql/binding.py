"""Binding: from a statement's syntax and a request's parameters to a statement, in AWS's order of checks.

The parameters of a statement, as attribute values. Errors have the messages of AWS's older layer.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.dynamodb.expressions.partiql import statement_nodes as syntax
from tablewright.dynamodb.expressions.partiql.literals import literal, struct_keys
from tablewright.dynamodb.expressions.partiql.statement_grammar import parse
from tablewright.dynamodb.expressions.partiql.statement_nodes import Node, Returning, Source, kind_name
from tablewright.dynamodb.expressions.partiql.statements import (
    DeleteStatement,
    Exists,
    Insert,
    Ordering,
    Select,
    Statement,
    UpdateStatement,
)
from tablewright.dynamodb.expressions.partiql.update_clauses import update_of
from tablewright.dynamodb.expressions.partiql.where_clause import condition_node
from tablewright.dynamodb.values.attributes import AttributeValue, normalise
from tablewright.errors import ValidationError


def parameters_of(values: Iterable[Any] | None) -> list[AttributeValue]:
    """The parameters of a request, validated in order.

    >>> parameters_of([{"N": "1e2"}])
    [{'N': '100'}]
    """
    return [_parameter(value) for value in values or ()]


def _parameter(value: Any) -> AttributeValue:
    try:
        return normalise(value)
    except ValidationError as error:
        raise ValidationError(error.older) from None


Parameters = Sequence[AttributeValue]


def bind(text: str, parameters: Parameters = ()) -> Statement:
    """The statement of `text` with these parameters.

    >>> bind("SELECT * FROM \\"t\\" WHERE id = ?", [{"S": "x"}]).table
    't'
    """
    node, count = parse(text)
    if count != len(parameters):
        raise ValidationError("Number of parameters in request and statement don't match.")
    match node:
        case syntax.SelectNode():
            return _select(node, parameters)
        case syntax.InsertNode():
            return _insert(node, parameters)
        case syntax.UpdateNode():
            return _update(node, parameters)
        case syntax.DeleteNode():
            return _delete(node, parameters)
        case syntax.CallNode("exists", (syntax.SelectNode() as select,)):
            return Exists(_select(select, parameters))
        case _:
            raise ValidationError(f"Unsupported operation: {kind_name(node)}")


def _select(node: syntax.SelectNode, parameters: Parameters) -> Select:
    if node.unsupported is not None:
        clause, span = node.unsupported
        raise ValidationError(f"Unsupported clause: {clause} at {span}")
    if any(column.aliased for column in node.columns):
        raise ValidationError("Aliasing is not supported")
    table, index = _names(node.source)
    where = None if node.where is None else condition_node(node.where, parameters)
    if node.order and where is None:
        raise ValidationError("Must have WHERE clause in the statement when using ORDER BY clause.")
    return Select(table, index, node.columns, where, tuple(map(_ordering, node.order)))


def _ordering(entry: syntax.OrderingNode) -> Ordering:
    if not isinstance(entry.node, syntax.Name):
        raise ValidationError(
            f"Argument to ORDER BY must be of type VariableReference. Type: {kind_name(entry.node)}"
        )
    return Ordering(entry.node.text, entry.descending)


def _insert(node: syntax.InsertNode, parameters: Parameters) -> Insert:
    table, index = _names(node.target)
    if index is not None:
        raise ValidationError(
            "FROM clause may only contain a single table name in data manipulation statements"
        )
    if not node.single:
        raise ValidationError(
            "Unsupported operation: Inserting multiple items in a single statement is not supported, "
            'use "INSERT INTO tableName VALUE item" instead'
        )
    if node.positioned:
        raise ValidationError("AT is not supported in insert statements.")
    if node.on_conflict:
        raise ValidationError("Unsupported clause: ON CONFLICT")
    if node.returning:
        raise ValidationError("RETURNING is not supported in INSERT")
    if not isinstance(node.value, syntax.Struct):
        raise ValidationError(
            "Unsupported format in item expression. Please use struct format {...} to express item values "
            "for insert statement."
        )
    names = struct_keys(node.value.members)
    values = [_member(value, parameters) for _, value in node.value.members]
    return Insert(table, dict(zip(names, values, strict=True)))


def _member(node: Node, parameters: Parameters) -> AttributeValue:
    return parameters[node.number] if isinstance(node, syntax.ParameterNode) else literal(node)


def _update(node: syntax.UpdateNode, parameters: Parameters) -> UpdateStatement:
    table, index = _names(node.source)
    update = update_of(node.changes, parameters)
    where = None if node.where is None else condition_node(node.where, parameters)
    return UpdateStatement(table, index, update, where, _returning(node.returning))


def _delete(node: syntax.DeleteNode, parameters: Parameters) -> DeleteStatement:
    table, index = _names(node.source)
    where = None if node.where is None else condition_node(node.where, parameters)
    returning = _returning(node.returning)
    if returning not in (None, "ALL_OLD"):
        shown = returning.replace("_", " ")
        raise ValidationError(
            f"Invalid returning clause: RETURNING {shown} *. Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    return DeleteStatement(table, index, where, returning)


def _returning(elements: tuple[Returning, ...]) -> str | None:
    if not elements:
        return None
    if len(elements) > 1:
        raise ValidationError("Invalid syntax with multiple returning elements in RETURNING clause")
    (element,) = elements
    if not element.star:
        raise ValidationError("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
    return element.mapping.upper()


def _names(source: Source) -> tuple[str, str | None]:
    """The table, and the index or None."""
    if source.joined:
        raise ValidationError("Only select from a single table or index is supported.")
    if source.aliased:
        raise ValidationError("Aliasing is not supported")
    match source.node:
        case syntax.Name(table):
            names = [table]
        case syntax.Access(syntax.Name(table), steps):
            names = [table, *map(_component, steps)]
        case _:
            raise ValidationError("Unexpected from source")
    if "" in names:
        raise ValidationError("Path component cannot be an empty string")
    if len(names) > 2:
        raise ValidationError("A path may contain at most 2 components in the FROM clause")
    return names[0], names[1] if len(names) == 2 else None


def _component(step: syntax.Step) -> str:
    if step.bracketed:
        raise ValidationError("Invalid list expression in source.")
    if not isinstance(step.content, syntax.Name):
        raise ValidationError(
            "Invalid path dot component in this operation, expecting either an IDENTIFIER or STAR."
        )
    return step.content.text
