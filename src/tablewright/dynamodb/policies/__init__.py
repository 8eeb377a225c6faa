"""IAM policies: documents, condition operators, and the decision whether a request is allowed.

    text -> PolicyDocument -> Statement -> Condition          parsed and validated once
    Caller + Permission + resource policy -> Denial or None   decided for each request

The server enforces identity policies and resource policies with this package, and tests prove with it that a generated
policy is sufficient. Nothing here knows DynamoDB's operations: `engine.features.authorization` maps requests to
permissions.
"""

from tablewright.dynamodb.policies.policy_documents import PolicyDocument, parse_document
from tablewright.dynamodb.policies.policy_evaluation import Caller, Denial, Permission, decide
from tablewright.dynamodb.policies.principals import Principal, RequestContext

__all__ = [
    "Caller",
    "Denial",
    "Permission",
    "PolicyDocument",
    "Principal",
    "RequestContext",
    "decide",
    "parse_document",
]
