"""Batch replies: unprocessed keys are requested again, until there are none or the attempts are used up."""

from typing import Any

import pytest

from tablewright.access.calls.backoff import ATTEMPTS
from tablewright.access.calls.procedures import run_sync
from tablewright.access.reads.batch_replies import batch_replies
from tablewright.errors import ProvisionedThroughputExceeded

REQUEST: dict[str, Any] = {"RequestItems": {"t": {"Keys": [1, 2]}}, "ReturnConsumedCapacity": "TOTAL"}


def run(*replies: dict[str, Any]) -> tuple[list[Any], list[Any], list[float]]:
    waiting, sent, pauses = list(replies), list[Any](), list[float]()

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        sent.append(request["RequestItems"])
        return waiting.pop(0)

    return run_sync(batch_replies(REQUEST, "P"), call, pauses.append), sent, pauses


def test_unprocessed_keys_are_requested_again_after_a_pause() -> None:
    rest = {"t": {"Keys": [2]}}
    found, sent, pauses = run({"Number": 1, "UnprocessedKeys": rest}, {"Number": 2})
    assert [reply["Number"] for reply in found] == [1, 2]
    assert sent == [REQUEST["RequestItems"], rest]
    assert len(pauses) == 1


def test_keys_that_stay_unprocessed_are_an_error() -> None:
    busy = {"UnprocessedKeys": REQUEST["RequestItems"]}
    with pytest.raises(
        ProvisionedThroughputExceeded, match=f"P: keys were left unprocessed {ATTEMPTS} times"
    ):
        run(*[busy] * ATTEMPTS)
