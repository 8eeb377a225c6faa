"""Store errors: replacing an error of the store by one that describes the failed flow."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from tablewright import Entity, errors
from tablewright_systems.service.errors import ApiError

Translation = ApiError | Callable[[], ApiError]


@contextmanager
def translate_errors(translations: Mapping[type[Entity], Translation]) -> Iterator[None]:
    """Replace the error of a write that fails because of one of these entities by the given problem.

    Other errors are raised unchanged. So is a unique value that is taken: that error names its field itself.
    """
    named = {entity.__name__: translation for entity, translation in translations.items()}
    try:
        yield
    except errors.TransactionFailed as error:
        failures = [each for each in error.failures if each is not None]
        _raise_translated(failures, named)
        raise
    except errors.WriteError as error:
        _raise_translated([error], named)
        raise


def _raise_translated(failures: list[errors.TablewrightError], named: Mapping[str, Translation]) -> None:
    for failure in failures:
        if isinstance(failure, errors.UniqueViolation):
            raise failure
        if isinstance(failure, errors.Contended):
            return
        if isinstance(failure, errors.WriteError) and failure.entity in named:
            translation = named[failure.entity]
            raise (translation if isinstance(translation, ApiError) else translation()) from failure
