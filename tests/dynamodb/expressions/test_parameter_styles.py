"""Parameter styles: expressions and legacy parameters are not mixed."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import require_one_style
from tablewright.errors import ValidationError

_BOTH = "Can not use both expression and non-expression parameters in the same request: "


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            {"UpdateExpression": "", "Expected": {}, "AttributeUpdates": {}},
            f"{_BOTH}Non-expression parameters: {{AttributeUpdates, Expected}} "
            "Expression parameters: {UpdateExpression}",
        ),
        (
            {"ExpressionAttributeNames": {}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeValues": {}},
            "ExpressionAttributeValues can only be specified when using expressions",
        ),
    ],
)
def test_styles_are_not_mixed(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        require_one_style(
            request_, ("UpdateExpression", "ConditionExpression"), ("AttributeUpdates", "Expected")
        )
    assert caught.value.message == words


def test_key_conditions_mix_with_a_filter_but_not_with_a_key_condition_expression() -> None:
    expressions = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    legacy = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
    require_one_style({"KeyConditions": {}, "FilterExpression": "a = b"}, expressions, legacy)
    with pytest.raises(ValidationError) as caught:
        require_one_style({"KeyConditions": {}, "KeyConditionExpression": "a = b"}, expressions, legacy)
    assert caught.value.message == (
        f"{_BOTH}Non-expression parameters: {{KeyConditions}} Expression parameters: {{KeyConditionExpression}}"
    )
