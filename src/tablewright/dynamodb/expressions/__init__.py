"""DynamoDB's expressions: parsed once into frozen nodes, bound to one request's placeholders, evaluated.

    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    precondition = condition(request["ConditionExpression"], scope)
    change = update(request["UpdateExpression"], scope)
    scope.finish()
    if precondition.matches(old):
        new = change.apply(old)

The legacy parameters (`legacy_parameters`) become the same values.
"""

from tablewright.dynamodb.expressions.condition import ItemCondition, condition
from tablewright.dynamodb.expressions.key_condition import KeyCondition, KeyRange, key_condition
from tablewright.dynamodb.expressions.legacy_parameters import require_one_style
from tablewright.dynamodb.expressions.placeholders import Scope
from tablewright.dynamodb.expressions.projection import Projection, projection
from tablewright.dynamodb.expressions.update import ItemUpdate, update

__all__ = [
    "ItemCondition",
    "ItemUpdate",
    "KeyCondition",
    "KeyRange",
    "Projection",
    "Scope",
    "condition",
    "key_condition",
    "projection",
    "require_one_style",
    "update",
]
