"""SET and REMOVE: a statement's changes as the actions of an update expression."""

from collections.abc import Sequence

from tablewright.dynamodb.expressions.document_paths import require_disjoint
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
    RemovePath,
)
from tablewright.dynamodb.expressions.partiql import statement_nodes as syntax
from tablewright.dynamodb.expressions.partiql.expression_grammar import path_of
from tablewright.dynamodb.expressions.partiql.literals import literal
from tablewright.dynamodb.expressions.partiql.statement_nodes import Node
from tablewright.dynamodb.expressions.partiql.where_clause import unrecognized
from tablewright.dynamodb.expressions.update import Actions, ItemUpdate, check_actions
from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.errors import ValidationError

_KIND = "UpdateExpression"
_SET_FUNCTIONS = frozenset({"set_add", "set_delete"})
_SETS = frozenset({"SS", "NS", "BS"})
_FUNCTIONS = frozenset({"list_append", "if_not_exists"})


def update_of(
    changes: tuple[syntax.SetNode | syntax.RemoveNode | syntax.InsertNode, ...],
    parameters: Sequence[AttributeValue],
) -> ItemUpdate:
    """The update of a statement's SET and REMOVE clauses."""
    binder = _UpdateBinder(parameters)
    actions = tuple([binder.action(change) for change in changes])
    try:
        require_disjoint([action.path for action in actions], _KIND)
    except ValidationError as error:
        raise ValidationError(error.message.removeprefix(f"Invalid {_KIND}: ")) from None
    check_actions(actions)
    return ItemUpdate(Actions(actions))


class _UpdateBinder:
    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self._parameters = parameters

    def action(self, change: syntax.SetNode | syntax.RemoveNode | syntax.InsertNode) -> Action:
        match change:
            case syntax.RemoveNode(target):
                return RemovePath(_target(target))
            case syntax.SetNode(target, syntax.CallNode(function) as call) if function in _SET_FUNCTIONS:
                return self._set_change(_target(target), call)
            case syntax.SetNode(target, value):
                return Assign(_target(target), self._operand(value))
            case _:
                raise ValidationError("Only SET and REMOVE are supported in update expressions at this time")

    def _set_change(self, target: Path, call: syntax.CallNode) -> Action:
        name = call.function.upper()
        if len(call.arguments) != 2:
            raise ValidationError(f"{name} must have exactly two arguments at {call.span}")
        first, second = call.arguments
        if path_of(first) != target:
            raise ValidationError(
                f"The first argument to {name} must equal the assignment value at {call.span}"
            )
        value = self._constant(second)
        if value is None or not _SETS & value.keys():
            span = getattr(first, "span", call.span)
            raise ValidationError(f"The second argument to {name} must be a value with type SET at {span}")
        members = Constant(value)
        return AddToValue(target, members) if call.function == "set_add" else DeleteFromSet(target, members)

    def _constant(self, node: Node) -> AttributeValue | None:
        if isinstance(node, syntax.ParameterNode):
            return self._parameters[node.number]
        is_literal = isinstance(node, syntax.Literal | syntax.Collection | syntax.Struct)
        return literal(node) if is_literal else None

    def _operand(self, node: Node) -> Operand:
        match node:
            case syntax.OperationNode("+" | "-" as sign, (left, right)):
                return Arithmetic(sign, self._operand(left), self._operand(right))
            case syntax.OperationNode(operator):
                raise ValidationError(
                    f"Unsupported operator in Update Expression. Operator: {operator.upper()} at {node.span}"
                )
            case syntax.TypeTest():
                raise ValidationError("IS operator is not supported in update expressions")
            case syntax.Missing():
                raise ValidationError("MISSING must be compared using IS operator")
            case syntax.CallNode(function, arguments):
                if function not in _FUNCTIONS:
                    raise unrecognized(node)
                return FunctionCall(function, tuple([self._operand(argument) for argument in arguments]))
            case syntax.ParameterNode(number):
                return Constant(self._parameters[number])
            case _:
                return path_of(node) or Constant(literal(node))


def _target(node: Node) -> Path:
    path = path_of(node)
    if path is None:
        raise ValidationError("Unrecognized assignment target")
    return path
