"""Refusals of the store, in the words of the flow that met them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from tablewright import Entity, errors
from tablewright_systems.api_errors import ApiError

Answer = ApiError | Callable[[], ApiError]


@contextmanager
def refusing(answers: Mapping[type[Entity], Answer]) -> Iterator[None]:
    """Within, a write that fails because of an entity fails for the reason given; others fail as they do.

    A value that is taken names its field itself, and is raised as it is.
    """
    named = {entity.__name__: answer for entity, answer in answers.items()}
    try:
        yield
    except errors.TransactionFailed as refusal:
        failures = [each for each in refusal.failures if each is not None]
        _answer(failures, named)
        raise
    except errors.WriteError as refusal:
        _answer([refusal], named)
        raise


def _answer(failures: list[errors.TablewrightError], named: Mapping[str, Answer]) -> None:
    for failure in failures:
        if isinstance(failure, errors.UniqueViolation):
            raise failure
        if isinstance(failure, errors.Contended):
            return
        if isinstance(failure, errors.WriteError) and failure.entity in named:
            answer = named[failure.entity]
            raise (answer if isinstance(answer, ApiError) else answer()) from failure
