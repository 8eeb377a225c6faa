"""WHERE clauses: a statement's conditions as the nodes of a condition expression.

PartiQL allows a condition in place of a value, as in `attribute_exists(a) = true`. Conditions are therefore
rewritten until only values are compared: the evaluator does not know PartiQL.
"""

from collections.abc import Sequence

from tablewright.dynamodb.expressions.clauses import MAX_CHOICES, check_clause, reject_type
from tablewright.dynamodb.expressions.condition import PREDICATES, conjunction, disjunction
from tablewright.dynamodb.expressions.nodes import (
    And,
    BetweenNode,
    Clause,
    ComparisonNode,
    ConditionNode,
    Constant,
    FunctionCall,
    NotNode,
    Operand,
    Or,
    Within,
)
from tablewright.dynamodb.expressions.partiql import statement_nodes as syntax
from tablewright.dynamodb.expressions.partiql.expression_grammar import path_of
from tablewright.dynamodb.expressions.partiql.literals import literal
from tablewright.dynamodb.expressions.partiql.statement_nodes import Node
from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.errors import ValidationError

NEVER = Or(())
# Each comparison of a condition with a value may double the size of the rewritten condition.
MAX_TRUTHS = 8

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_TRUE: AttributeValue = {"BOOL": True}
_FALSE: AttributeValue = {"BOOL": False}
_TYPES = {
    "null": "NULL",
    "boolean": "BOOL",
    "blob": "B",
    "string": "S",
    "numeric": "N",
    "struct": "M",
    "tuple": "M",
    "list": "L",
}


def condition_node(node: Node, parameters: Sequence[AttributeValue]) -> ConditionNode:
    """The condition of a WHERE clause, with a request's parameters filled in."""
    binder = ConditionBinder(parameters)
    if not binder.is_condition(node):
        raise ValidationError("WHERE clause must contain an expression that resolves to a boolean")
    return binder.condition(node)


class ConditionBinder:
    """Converts syntax nodes to conditions and operands."""

    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self._parameters = parameters
        self._truths = 0

    def is_condition(self, node: Node) -> bool:
        """Whether a node is a condition, rather than a value."""
        match node:
            case syntax.TypeTest():
                return True
            case syntax.OperationNode(operator):
                return operator in _COMPARISONS or operator in ("and", "or", "not", "between", "in", "like")
            case syntax.CallNode(function):
                return function != "size"
            case _:
                return False

    def condition(self, node: Node) -> ConditionNode:
        """The condition of a node, with every clause checked."""
        match node:
            case syntax.OperationNode("and", operands):
                return conjunction([self._term(operand) for operand in operands])
            case syntax.OperationNode("or", operands):
                return disjunction([self._term(operand) for operand in operands])
            case syntax.OperationNode("not", (operand,)):
                if not self.is_condition(operand):
                    raise ValidationError("The argument to NOT must be a Type or Expression")
                return NotNode(self.condition(operand))
            case syntax.OperationNode("between", (operand, low, high)):
                return self._checked(
                    BetweenNode(self.operand(operand), self.operand(low), self.operand(high))
                )
            case syntax.OperationNode("in", (operand, choices)):
                return self._within(operand, choices)
            case syntax.OperationNode(operator, (left, right)) if operator in _COMPARISONS:
                return self._comparison(operator, left, right)
            case syntax.TypeTest(operand, kind):
                return self._type_test(operand, kind)
            case syntax.CallNode(function, arguments):
                return self._call(function, arguments, node)
            case syntax.OperationNode(operator):
                raise ValidationError(
                    f"Unsupported operator in Condition Expression. Operator: {operator.upper()} at {node.span}"
                )
            case _:
                raise ValidationError("The arguments to AND/OR must be Expressions")

    def _term(self, node: Node) -> ConditionNode:
        if not self.is_condition(node):
            raise ValidationError("The arguments to AND/OR must be Expressions")
        return self.condition(node)

    def operand(self, node: Node) -> Operand:
        """The operand of a node: a path, a literal, a parameter, or a size."""
        match node:
            case syntax.ParameterNode(number):
                return Constant(self._parameters[number])
            case syntax.Missing():
                raise ValidationError("MISSING must be compared using IS operator")
            case syntax.CallNode("size", arguments):
                return FunctionCall("size", tuple([self.operand(argument) for argument in arguments]))
            case syntax.CallNode():
                raise unrecognized(node)
            case syntax.OperationNode(operator):
                raise ValidationError(
                    f"Unsupported operator in Condition Expression. Operator: {operator.upper()} at {node.span}"
                )
            case _:
                return path_of(node) or Constant(literal(node))

    def _checked(self, clause: Clause) -> ConditionNode:
        check_clause(clause)
        return clause

    def _call(self, function: str, arguments: tuple[Node, ...], node: syntax.CallNode) -> ConditionNode:
        if function not in PREDICATES:
            raise unrecognized(node)
        return self._checked(
            FunctionCall(function, tuple([self.operand(argument) for argument in arguments]))
        )

    def _type_test(self, operand: Node, kind: str) -> ConditionNode:
        if isinstance(operand, syntax.Literal):
            tested: Operand = Constant(literal(operand))
        elif (path := path_of(operand)) is not None:
            tested = path
        else:
            raise ValidationError(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
        if kind == "missing":
            return NEVER if isinstance(tested, Constant) else FunctionCall("attribute_not_exists", (tested,))
        if kind not in _TYPES:
            raise ValidationError(
                f"Unsupported data type for IS operator: {kind.upper()}. Supported data types are "
                "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"
            )
        return FunctionCall("attribute_type", (tested, Constant({"S": _TYPES[kind]})))

    def _within(self, operand: Node, choices: Node) -> ConditionNode:
        if not isinstance(choices, syntax.Collection) or not choices.members:
            raise ValidationError(
                "IN operator must have a left hand argument of type Variable Reference and right hand argument "
                "of type Seq with at least one member"
            )
        if len(choices.members) > MAX_CHOICES:
            raise ValidationError(
                f"The IN operator is provided with too many operands; number of operands: {len(choices.members)}"
            )
        if self.is_condition(operand):
            return disjunction([self._comparison("=", operand, choice) for choice in choices.members])
        values = tuple([self.operand(choice) for choice in choices.members])
        return self._checked(Within(self.operand(operand), values))

    def _comparison(self, operator: str, left: Node, right: Node) -> ConditionNode:
        if self.is_condition(left):
            return self._truth_comparison(operator, left, right)
        if self.is_condition(right):
            return self._truth_comparison(operator, right, left)
        return self._checked(ComparisonNode(operator, self.operand(left), self.operand(right)))

    def _truth_comparison(self, operator: str, stated: Node, other: Node) -> ConditionNode:
        if operator not in ("=", "<>"):
            reject_type(operator, "BOOL")
        self._truths += 1
        if self._truths > MAX_TRUTHS:
            raise ValidationError(f"Unsupported operator in Condition Expression. Operator: {operator}")
        first = self.condition(stated)
        if self.is_condition(other):
            second = self.condition(other)
            same: ConditionNode = Or((And((first, second)), And((NotNode(first), NotNode(second)))))
        else:
            same = _equals_truth(first, self.operand(other))
        return same if operator == "=" else NotNode(same)


def unrecognized(call: syntax.CallNode) -> ValidationError:
    """The error for a function that does not exist, or is not allowed here."""
    return ValidationError(f"Unrecognized function: {call.function} at {call.span}")


def _equals_truth(stated: ConditionNode, operand: Operand) -> ConditionNode:
    match operand:
        case Constant(value) if value == _TRUE:
            return stated
        case Constant(value) if value == _FALSE:
            return NotNode(stated)
        case Constant():
            return NEVER
        case _:
            yes, no = (
                ComparisonNode("=", operand, Constant(_TRUE)),
                ComparisonNode("=", operand, Constant(_FALSE)),
            )
            return Or((And((stated, yes)), And((NotNode(stated), no))))
