"""Batch replies: a BatchGetItem, repeated for the keys that DynamoDB left unprocessed."""

from typing import Any

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.calls.retries import with_retries
from tablewright.access.calls.retry_counts import count_retry
from tablewright.errors import ProvisionedThroughputExceeded


def batch_replies(request: dict[str, Any], name: str) -> Procedure[list[Reply]]:
    """Make a BatchGetItem; repeat it for unprocessed keys until all are read."""
    replies = []
    for attempt in range(ATTEMPTS):
        reply = yield from with_retries(Call("BatchGetItem", request))
        replies.append(reply)
        if not reply.get("UnprocessedKeys"):
            return replies
        request = {**request, "RequestItems": reply["UnprocessedKeys"]}
        count_retry("UnprocessedKeys")
        yield backoff(attempt)
    raise ProvisionedThroughputExceeded(
        f"{name}: keys were left unprocessed {ATTEMPTS} times; the table has too little capacity"
    )
