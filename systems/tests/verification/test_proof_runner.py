"""Results of proofs: passed, failed assertions and errors, with measurements."""

from collections.abc import Iterator

import pytest
from tablewright_systems.boards.design import ProfileById
from tablewright_systems.registry import System, find
from tablewright_systems.verification.proof_runner import proof_context, verify
from tablewright_systems.verification.proofs import Proof, ProofContext, expect_error

system = find("boards")
assert system is not None
BOARDS: System = system


@pytest.fixture
def context() -> Iterator[ProofContext]:
    with proof_context(BOARDS) as opened:
        yield opened


def read_profile(context: ProofContext) -> None:
    context.db.run(ProfileById(user_id="setup"))
    with context.measured():
        context.db.run(ProfileById(user_id="ada"))


def failing(context: ProofContext) -> None:
    assert context.db is None


def broken(context: ProofContext) -> None:
    raise KeyError("type")


def test_only_measured_calls_count(context: ProofContext) -> None:
    result = verify(BOARDS, context, Proof("A1", read_profile))
    assert result.is_ok
    assert result.measurement.operations == ["GetItem"]
    assert result.measurement.capacity == 1.0


def test_failed_assertion_quotes_its_line(context: ProofContext) -> None:
    result = verify(BOARDS, context, Proof("A1", failing))
    assert not result.is_ok
    assert result.failure is not None
    assert result.failure.startswith("assert context.db is None (test_proof_runner.py:")


def test_unexpected_error_is_a_failure(context: ProofContext) -> None:
    assert verify(BOARDS, context, Proof("A1", broken)).failure == "KeyError: 'type'"


def test_condition_that_stays_false_fails_at_once_in_memory(context: ProofContext) -> None:
    with pytest.raises(AssertionError, match="did not become true"):
        context.eventually(lambda: False)


def forbidden(context: ProofContext) -> None:
    expect_error(KeyError, lambda: broken(context))
    expect_error(KeyError, lambda: None)


def test_rejections_are_counted_and_a_missing_one_quotes_its_line(context: ProofContext) -> None:
    result = verify(BOARDS, context, Proof("A1", forbidden))
    assert result.measurement.rejections == ["KeyError"]
    assert result.failure is not None
    assert result.failure.startswith("expect_error(KeyError, lambda: None) (test_proof_runner.py:")
