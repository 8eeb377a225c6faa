"""Otherwise: the caller's exception, from an instance, a class or a function."""

from typing import Any

import pytest

from tablewright.access.otherwise import Otherwise, replacement
from tablewright.errors import AlreadyExists, DoesNotExist, TransactionFailed, UsageError, WriteError

ERROR = DoesNotExist("User", {"user_id": "u1"}, "does not exist")


class Missing(Exception):
    def __init__(self, what: str = "default") -> None:
        super().__init__(what)


@pytest.mark.parametrize(
    ("otherwise", "text"),
    [(Missing("given"), "given"), (Missing, "default"), (lambda: Missing("made"), "made")],
    ids=["instance", "class", "function"],
)
def test_the_library_error_is_the_cause(otherwise: Otherwise, text: str) -> None:
    exception = replacement(otherwise, ERROR)
    assert isinstance(exception, Missing)
    assert (str(exception), exception.__cause__) == (text, ERROR)


def test_an_instance_does_not_keep_an_older_traceback() -> None:
    instance = Missing()
    for _ in range(2):
        with pytest.raises(Missing) as caught:
            raise replacement(instance, ERROR)
        assert len(caught.traceback) == 1


@pytest.mark.parametrize("wrong", ["EmailTaken", 3, lambda: "EmailTaken", KeyboardInterrupt])
def test_other_values_are_rejected(wrong: Any) -> None:
    with pytest.raises(UsageError, match="otherwise= takes an exception"):
        replacement(wrong, ERROR)


def test_a_mapping_has_an_exception_for_each_error() -> None:
    reasons: Otherwise = {AlreadyExists: KeyError("twice"), DoesNotExist: Missing("gone")}
    assert str(replacement(reasons, ERROR)) == "gone"
    assert replacement({AlreadyExists: Missing}, ERROR) is ERROR, "other errors stay as they are"


def test_a_mapping_takes_a_base_class_of_errors() -> None:
    assert isinstance(replacement({WriteError: Missing}, ERROR), Missing)


def test_in_a_transaction_the_error_of_the_write_decides() -> None:
    failed = TransactionFailed([ERROR], ["Update"])
    made = replacement({DoesNotExist: Missing}, failed, ERROR)
    assert isinstance(made, Missing)
    assert made.__cause__ is failed


def test_a_mapping_of_other_exceptions_is_rejected() -> None:
    wrong: Any = {KeyError: Missing}
    with pytest.raises(UsageError, match="maps errors of the library"):
        replacement(wrong, ERROR)
