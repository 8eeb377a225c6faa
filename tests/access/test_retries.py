"""Retries: which errors are retried, how often, and after which the outcome is unknown."""

import random

import pytest

from tablewright import errors
from tablewright.access.procedures import (
    ATTEMPTS,
    LONGEST,
    NETWORK_ATTEMPTS,
    RETRYABLE,
    SHORTEST,
    Call,
    Reply,
    backoff,
    is_outcome_unknown,
    run_sync,
    with_retries,
)
from tablewright.errors import TablewrightError

CALL = Call("GetItem", {"TableName": "t"})


class Failing:
    """Raises an error a number of times, then replies."""

    def __init__(self, error: TablewrightError, times: int) -> None:
        self.calls = 0
        self.pauses: list[float] = []
        self._error, self._times = error, times

    def call(self, operation: str, request: dict[str, object]) -> Reply:
        self.calls += 1
        if self.calls <= self._times:
            raise self._error
        return {"Item": "found"}

    def run(self) -> Reply:
        return run_sync(with_retries(CALL), self.call, self.pauses.append)


def made(kind: type[TablewrightError]) -> TablewrightError:
    return kind("why")


@pytest.mark.parametrize("kind", RETRYABLE, ids=lambda kind: kind.__name__)
def test_a_retryable_error_is_retried_after_a_pause(kind: type[TablewrightError]) -> None:
    failing = Failing(made(kind), 2)
    assert failing.run() == {"Item": "found"}
    assert (failing.calls, len(failing.pauses)) == (3, 2)


@pytest.mark.parametrize(
    ("error", "attempts"),
    [(errors.Throttling("busy"), ATTEMPTS), (errors.LostConnection("gone"), NETWORK_ATTEMPTS)],
)
def test_the_last_attempt_raises_the_error(error: TablewrightError, attempts: int) -> None:
    failing = Failing(error, attempts)
    with pytest.raises(type(error)):
        failing.run()
    assert failing.calls == attempts


def test_another_error_is_raised_at_once() -> None:
    failing = Failing(errors.ValidationError("wrong"), 1)
    with pytest.raises(errors.ValidationError):
        failing.run()
    assert (failing.calls, failing.pauses) == (1, [])


@pytest.mark.parametrize(
    ("error", "is_unknown"),
    [
        (errors.InternalFailure("broken"), True),
        (errors.LostConnection("no reply"), True),
        (errors.LostConnection("not connected", was_sent=False), False),
        (errors.Throttling("busy"), False),
    ],
)
def test_after_which_errors_the_outcome_is_unknown(error: TablewrightError, is_unknown: bool) -> None:
    assert is_outcome_unknown(error) is is_unknown


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_the_maximum_doubles_up_to_a_limit(attempt: int) -> None:
    source = random.Random(attempt)
    pauses = [backoff(attempt, source).seconds for _ in range(500)]
    maximum = min(LONGEST, SHORTEST * 2**attempt)
    assert 0 <= min(pauses) < maximum * 0.1
    assert maximum * 0.9 < max(pauses) <= maximum


def test_the_same_source_gives_the_same_pauses() -> None:
    assert [backoff(3, random.Random(1)) for _ in range(2)] == [backoff(3, random.Random(1))] * 2
